import { gitText } from "./git.ts";
import { type Repository, readHead, readSafeSettings } from "./repository.ts";

export type BranchResult =
  | { type: "stayed"; branch: string }
  | { type: "switched"; branch: string; from: string | undefined }
  | { type: "created"; branch: string; from: string | undefined }
  | { type: "refused"; message: string };

/** Makes `name` the current branch, and makes the branch where there is none. Local changes come along or it is refused. */
export async function switchBranch(repository: Repository, name: string): Promise<BranchResult> {
  if (!(await isBranchName(repository, name))) {
    return refused(`"${name}" is no name git takes for a branch. Change branchName or --branch.`);
  }
  const current = await readHead(repository);
  if (!current.ok) return refused(current.message);
  const { head } = current;
  if (head.branch === name) return { type: "stayed", branch: name };
  if (head.commit === undefined) {
    const pointed = await repository.git({ arguments: ["symbolic-ref", "HEAD", `refs/heads/${name}`] });
    return pointed.ok ? { type: "created", branch: name, from: head.branch } : refused(pointed.message);
  }
  const existing = await existingBranch(repository, name);
  const { settings } = await readSafeSettings(repository);
  const switched = await repository.git({ arguments: ["switch", "--quiet", ...existing.arguments], settings });
  if (!switched.ok) return refused(explain(name, switched.message));
  return { type: existing.isLocal ? "switched" : "created", branch: name, from: head.branch ?? head.commit };
}

export async function isBranchName(repository: Repository, name: string): Promise<boolean> {
  const checked = await repository.git({ arguments: ["check-ref-format", "--branch", name] });
  return checked.ok && gitText(checked) === name;
}

/** A branch of that name on exactly one remote is where it begins; otherwise it begins here. */
async function existingBranch(repository: Repository, name: string) {
  const local = await repository.git({ arguments: ["show-ref", "--verify", "--quiet", `refs/heads/${name}`] });
  if (local.ok) return { isLocal: true, arguments: ["--no-guess", name] };
  const listed = await repository.git({ arguments: ["for-each-ref", "--format=%(refname)", "refs/remotes/"] });
  const remote = listed.ok
    ? gitText(listed)
        .split("\n")
        .filter((ref) => isOnRemote(ref, name))
    : [];
  const [only] = remote;
  if (only !== undefined && remote.length === 1) return { isLocal: false, arguments: ["--track", "-c", name, only] };
  return { isLocal: false, arguments: ["-c", name] };
}

function isOnRemote(reference: string, name: string): boolean {
  return reference.replace(/^refs\/remotes\/[^/]+\//, "") === name;
}

function explain(name: string, said: string): string {
  if (/would be overwritten/i.test(said)) {
    return `Switching to ${name} would overwrite local changes: ${paths(said)}. Commit or stash them first.`;
  }
  if (/already (checked out|used by worktree)/i.test(said)) {
    return `${name} is checked out in another worktree. Use that one, or another branch.`;
  }
  return `Switching to ${name} failed: ${said}`;
}

function paths(said: string): string {
  const named = said
    .split("\n")
    .filter((line) => line.startsWith("\t"))
    .map((line) => line.trim());
  return named.length > 0 ? named.slice(0, 10).join(", ") : "some files";
}

function refused(message: string): BranchResult {
  return { type: "refused", message };
}
