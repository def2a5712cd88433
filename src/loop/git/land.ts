import { type GitFailure, gitText } from "./git.ts";
import { emptyTree, type Repository, readSafeSettings, resolveCommit } from "./repository.ts";
import { writeIndexEntries } from "./temporary-index.ts";
import { compareIndex, compareTrees } from "./tree-entries.ts";

export interface LandRequest {
  /** Without `refs/heads/`; undefined where HEAD is detached. */
  branch: string | undefined;
  /** What the branch must name now: the candidate's parent. */
  from: string | undefined;
  commit: string;
  /** For the reference log. */
  reason: string;
  /** Whether a staged change stays. The index gets all else as the commit has it; where this is absent, only what the commit changes. */
  keepsStaged?(path: string): boolean;
}

export type LandResult =
  | { type: "landed"; warning?: string }
  /** Somebody else moved the branch. Nothing was changed. */
  | { type: "moved"; message: string }
  | { type: "failed"; message: string };

/**
 * Moves the branch to the commit if it still names `from`, and makes the index agree for the paths the commit changes and those an
 * agent, or a landing that could not write it, has left behind in it. All files stay as they are. Done twice it is done once.
 */
export async function landCandidate(repository: Repository, request: LandRequest): Promise<LandResult> {
  const reference = request.branch === undefined ? "HEAD" : `refs/heads/${request.branch}`;
  const notMoved = await moveReference(repository, reference, request);
  if (notMoved !== undefined) return notMoved;
  const refreshed = await refreshIndex(repository, request);
  if (refreshed.ok) return { type: "landed" };
  const warning = `The branch has the commit, but the index could not be brought in line: ${oneLine(refreshed.message)} Then \`git reset\` does it.`;
  return { type: "landed", warning };
}

/** Undefined where it names the commit now. git itself looks whether it still names `from`; what it names instead is asked only then. */
async function moveReference(
  repository: Repository,
  reference: string,
  { branch, from, commit, reason }: LandRequest,
): Promise<LandResult | undefined> {
  const moved = await repository.git({
    arguments: [
      ...["update-ref", "-m", reason, "--create-reflog", ...(branch === undefined ? ["--no-deref"] : [])],
      ...[reference, commit, from ?? "0".repeat(repository.idLength)],
    ],
    variables: (await readSafeSettings(repository)).identity,
  });
  if (moved.ok) return undefined;
  const now = await resolveCommit(repository, reference);
  if (now === commit) return undefined;
  if (now === from) return { type: "failed", message: `${reference} could not be moved: ${oneLine(moved.message)}` };
  if (now !== undefined && (await isAncestor(repository, commit, now))) return { type: "landed" };
  const message = `${reference} names ${now ?? "nothing"} and not ${from ?? "nothing"}: somebody else has moved it. The commit ${commit} is kept but not on it.`;
  return { type: "moved", message };
}

/** git explains locked files over several lines; the first names the file. */
function oneLine(message: string): string {
  const [first = ""] = message.split("\n");
  const isLocked = /\.lock': File exists/.test(first);
  return isLocked ? `${first} Remove that file when no git is at work there.` : first;
}

export async function isAncestor(repository: Repository, commit: string, of: string): Promise<boolean> {
  const asked = await repository.git({ arguments: ["merge-base", "--is-ancestor", commit, of] });
  return asked.ok;
}

async function refreshIndex(repository: Repository, request: LandRequest): Promise<{ ok: true } | GitFailure> {
  const { from, commit, keepsStaged } = request;
  if (from === commit && keepsStaged === undefined) return { ok: true };
  const [changed, staged] = await Promise.all([
    compareTrees(repository, from ?? emptyTree(repository), commit),
    keepsStaged && compareIndex(repository, commit),
  ]);
  if (!changed.ok) return changed;
  if (staged?.ok === false) return staged;
  const stale = [...(staged?.differences ?? [])].filter(([path]) => !keepsStaged?.(path));
  const edits = new Map([
    ...stale.map(([path, { before }]) => [path, before] as const),
    ...[...changed.differences].map(([path, { after }]) => [path, after] as const),
  ]);
  if (edits.size === 0) return { ok: true };
  const written = await writeIndexEntries(repository, edits);
  if (!written.ok) return written;
  const { settings } = await readSafeSettings(repository);
  // Sizes and times of the files are looked up again; files that still differ are no failure.
  await repository.git({ arguments: ["update-index", "-q", "--refresh"], settings });
  return { ok: true };
}

/** The commits that `to` has and `from` has not, newest first. */
export async function commitsBetween(
  repository: Repository,
  from: string,
  to: string,
): Promise<{ commit: string; subject: string }[]> {
  const listed = await repository.git({ arguments: ["log", "--format=%H %s", `${from}..${to}`, "--"] });
  if (!listed.ok) return [];
  const lines = gitText(listed).split("\n").filter(Boolean);
  return lines.map((line) => ({
    commit: line.slice(0, line.indexOf(" ")),
    subject: line.slice(line.indexOf(" ") + 1),
  }));
}
