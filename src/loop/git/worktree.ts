import { constants, existsSync, realpathSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { lookAt } from "../../system/look-at.ts";
import { isBranchName } from "./branch.ts";
import { gitText } from "./git.ts";
import { decodePath, splitNul } from "./path-bytes.ts";
import { findRepository, type Repository, type RepositoryPlace, readSafeSettings } from "./repository.ts";
import { readStatus } from "./workspace-state.ts";

export const INCLUDE_FILE = ".worktreeinclude";

export interface WorktreeRequest {
  /** Where it goes: outside of the repository's own folder. */
  directory: string;
  /** Made at `commit` where it does not exist. */
  branch: string;
  commit: string | undefined;
  /** For git in the new worktree. */
  place: Omit<RepositoryPlace, "directory">;
}

export type WorktreeResult =
  | {
      ok: true;
      repository: Repository;
      isNew: boolean;
      madeBranch: boolean;
      copied: readonly string[];
      problems: readonly string[];
    }
  | { ok: false; message: string };

/** A working tree of its own for a run. It is there and separate, or it is a failure: a run never works elsewhere instead. */
export async function openWorktree(repository: Repository, request: WorktreeRequest): Promise<WorktreeResult> {
  const { branch, commit } = request;
  if (commit === undefined) return failed("The repository has no commit yet, so it cannot have a second worktree.");
  if (!(await isBranchName(repository, branch))) return failed(`"${branch}" is no name git takes for a branch.`);
  await mkdir(dirname(request.directory), { recursive: true, mode: 0o700 });
  const directory = join(realpathSync(dirname(request.directory)), request.directory.split("/").at(-1) ?? "");
  if (isInside(directory, repository.root)) {
    return failed(`A worktree inside of ${repository.root} would be no isolation. Choose a folder outside of it.`);
  }
  await repository.git({ arguments: ["worktree", "prune"] });
  const known = (await listWorktrees(repository)).some((worktree) => worktree.directory === directory);
  const hasBranch = await repository.git({ arguments: ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`] });
  if (!known) {
    const added = await addWorktree(repository, { directory, branch, commit });
    if (added !== undefined) return failed(added);
  }
  const found = await findRepository({ ...request.place, directory });
  if (!found.ok) return failed(`The worktree at ${directory} cannot be used: ${found.message}`);
  if (found.repository.root !== directory || found.repository.commonDirectory !== repository.commonDirectory) {
    return failed(`${directory} is no worktree of ${repository.root}.`);
  }
  const files = known ? { copied: [], problems: [] } : await copyIncluded(repository, directory);
  return { ok: true, repository: found.repository, isNew: !known, madeBranch: !hasBranch.ok, ...files };
}

export type CloseResult = { type: "removed" } | { type: "kept"; reason: string };

/** Removes a worktree, unless something in it exists nowhere else. Paths of `elsewhere`, from its top, do. */
export async function closeWorktree(
  repository: Repository,
  directory: string,
  elsewhere: readonly string[] = [],
): Promise<CloseResult> {
  const unsaved = await unsavedWork(repository, directory, elsewhere);
  if (unsaved !== undefined) return { type: "kept", reason: `${directory} is kept: ${unsaved}` };
  // Ignored files may be there, and git counts none of them; what it would lose was looked for above.
  const removed = await repository.git({ arguments: ["worktree", "remove", "--force", directory] });
  if (removed.ok) return { type: "removed" };
  return { type: "kept", reason: `${directory} could not be removed: ${removed.message}` };
}

/** Closes what earlier runs left in a folder of worktrees. */
export async function closeStaleWorktrees(
  repository: Repository,
  { folder, inUse, elsewhere = [] }: { folder: string; inUse: readonly string[]; elsewhere?: readonly string[] },
): Promise<{ directory: string; result: CloseResult }[]> {
  await repository.git({ arguments: ["worktree", "prune"] });
  const closed: { directory: string; result: CloseResult }[] = [];
  for (const { directory } of await listWorktrees(repository)) {
    if (!isInside(directory, folder) || inUse.includes(directory)) continue;
    closed.push({ directory, result: await closeWorktree(repository, directory, elsewhere) });
  }
  return closed;
}

interface AddRequest {
  directory: string;
  branch: string;
  commit: string;
}

async function addWorktree(repository: Repository, { directory, branch, commit }: AddRequest) {
  if (existsSync(directory)) return `${directory} is there already and no worktree of this repository. Remove it.`;
  const exists = await repository.git({ arguments: ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`] });
  const { settings } = await readSafeSettings(repository);
  const added = await repository.git({
    arguments: ["worktree", "add", "--quiet", ...(exists.ok ? [directory, branch] : ["-b", branch, directory, commit])],
    settings,
  });
  return added.ok ? undefined : `The worktree could not be made: ${added.message}`;
}

export async function listWorktrees(
  repository: Repository,
): Promise<{ directory: string; head: string | undefined; branch: string | undefined }[]> {
  const listed = await repository.git({ arguments: ["worktree", "list", "--porcelain", "-z"] });
  if (!listed.ok) return [];
  const texts = splitNul(listed.stdout).map(decodePath);
  const starts = texts.flatMap((text, at) => (text.startsWith("worktree ") ? [at] : []));
  return starts.map((start, at) => {
    const lines = texts.slice(start, starts[at + 1]);
    const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
    return { directory: value("worktree") ?? "", head: value("HEAD"), branch: value("branch") };
  });
}

/** What would be lost with the worktree: files nobody committed, commits no branch or tag has. */
async function unsavedWork(
  repository: Repository,
  directory: string,
  elsewhere: readonly string[],
): Promise<string | undefined> {
  const known = (await listWorktrees(repository)).find((worktree) => worktree.directory === directory);
  if (known === undefined) return "it is no worktree of this repository";
  const { settings } = await readSafeSettings(repository);
  const status = await repository.git({
    arguments: [`-C`, directory, `--git-dir=${join(directory, ".git")}`, `--work-tree=${directory}`].concat([
      ...["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all"],
    ]),
    settings,
  });
  if (!status.ok) return status.message;
  const dirty = readStatus(status.stdout).dirty.filter(({ path }) => !elsewhere.includes(path));
  if (dirty.length === 1) return "1 changed file in it is in no commit";
  if (dirty.length > 1) return `${dirty.length} changed files in it are in no commit`;
  if (known.branch !== undefined || known.head === undefined) return undefined;
  const containing = await repository.git({ arguments: ["for-each-ref", "--count=1", `--contains=${known.head}`] });
  return containing.ok && gitText(containing) !== "" ? undefined : `its commit ${known.head} is on no branch`;
}

/** Untracked files and folders the include file names. `from` is a file in gitignore syntax. */
export async function includedPaths(repository: Repository, from: string): Promise<string[]> {
  const listed = await repository.git({
    arguments: ["ls-files", "-z", "--others", "--ignored", "--directory", `--exclude-from=${from}`],
  });
  return listed.ok ? splitNul(listed.stdout).map((path) => decodePath(path).replace(/\/$/, "")) : [];
}

async function copyIncluded(repository: Repository, directory: string) {
  const from = join(repository.root, INCLUDE_FILE);
  const copied: string[] = [];
  const problems: string[] = [];
  if (!lookAt(from)?.isFile()) return { copied, problems };
  for (const path of await includedPaths(repository, from)) {
    try {
      await cp(join(repository.root, path), join(directory, path), COPY);
      copied.push(path);
    } catch (error) {
      problems.push(`${path} could not be copied: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { copied, problems };
}

/** Shares the blocks on the disk where the file system can. */
const COPY = {
  recursive: true,
  mode: constants.COPYFILE_FICLONE,
  verbatimSymlinks: true,
  force: false,
  preserveTimestamps: true,
};

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../"));
}

function failed(message: string): WorktreeResult {
  return { ok: false, message };
}
