import { sealChanges, sealChecks } from "../checks/seal.ts";
import { commitTree } from "../git/candidate.ts";
import { editTree } from "../git/edit-tree.ts";
import { shownPath } from "../git/path-bytes.ts";
import { resolveCommit } from "../git/repository.ts";
import type { TreeValue } from "../git/temporary-index.ts";
import { compareTrees, readTree, type TreeEntries } from "../git/tree-entries.ts";
import { runTag } from "../git/undo.ts";
import { sameValue } from "../git/workspace-state.ts";
import type { LoopState } from "../state/fold-journal.ts";
import { readLeft } from "./left-behind.ts";
import { type LiveRun, lastProven } from "./live-run.ts";
import { runFolder } from "./run-folder.ts";

// An agent has git too: what it commits is on the branch when the next run begins, a test it made pass as well. A task that is
// not done is therefore sealed without what agents committed and nobody proved; what was changed after them is a person's.

export interface CarriedSeal {
  /** What the checks are sealed at instead of `base`, and what comes after it is work. */
  sealedAt?: string;
  notice?: string;
}

type Shared = Pick<LiveRun, "id" | "repository" | "request" | "folder" | "journal">;

/** To be called before the new run is written into the journal. `base` is what the branch names now. */
export async function carrySeal(shared: Shared, base: string | undefined): Promise<CarriedSeal> {
  const { request, folder, journal, repository } = shared;
  const { run: last, verdict, passed } = journal.state();
  if (base === undefined || request.fresh || last?.root !== request.root || verdict?.verdict === "done") return {};
  const then = last.sealedAt ?? last.base;
  const end = readLeft(runFolder(folder, last.run))?.head;
  if (then === undefined || end === undefined || (then === base && end === base)) return {};
  const known = await Promise.all([then, end].map((commit) => resolveCommit(repository, commit)));
  if (known.includes(undefined)) return {};
  const found = await agentsChanges(shared, { then, end, base, passed, proven: lastProven({ passed }) });
  return found === undefined || found.edits.size === 0 ? {} : sealWithout(shared, base, found);
}

interface Span {
  /** What the last run was sealed at, where it left the branch, and where the branch is now. */
  then: string;
  end: string;
  base: string;
  passed: LoopState["passed"];
  proven: string | undefined;
}

interface AgentsChanges {
  edits: ReadonlyMap<string, TreeValue | undefined>;
  /** Those of them the checks of open stories rely on. */
  sealed: readonly string[];
}

/** What has to be put back in the commit of now; undefined where git could not be asked. */
async function agentsChanges(shared: Shared, span: Span): Promise<AgentsChanges | undefined> {
  const { repository, request } = shared;
  const { then, end, base, passed, proven } = span;
  const [atEnd, now, unproven] = await Promise.all([
    readTree(repository, end),
    readTree(repository, base),
    compareTrees(repository, proven ?? then, end),
  ]);
  const stories = request.task.stories.filter(({ id }) => !passed.has(id));
  const seal = await sealChecks(repository, { base: then, stories });
  if (!atEnd.ok || !now.ok || !unproven.ok || !seal.ok) return undefined;
  const changed = await Promise.all(
    [...seal.seal.stories.values()].map((story) => sealChanges(repository, story, atEnd.entries)),
  );
  const isTheirs = ([path]: readonly [string, unknown]) => isUntouched(path, atEnd.entries, now.entries);
  const sealed = changed.flatMap((edits) => [...edits]).filter(isTheirs);
  const work = [...unproven.differences].map(([path, { before }]) => [path, before] as const).filter(isTheirs);
  return { edits: new Map([...work, ...sealed]), sealed: [...new Set(sealed.map(([path]) => path))].sort() };
}

/** Nobody changed it after the last run. */
function isUntouched(path: string, atEnd: TreeEntries, now: TreeEntries): boolean {
  return sameValue(atEnd.get(path), now.get(path));
}

/** A commit that no branch names; a reference keeps it as long as the run may be gone on with. */
async function sealWithout(shared: Shared, base: string, { edits, sealed }: AgentsChanges): Promise<CarriedSeal> {
  const { repository, request, id } = shared;
  const edited = await editTree(repository, { tree: base, edits });
  if (!edited.ok) return {};
  const message = "What the checks of a run are sealed at\n";
  const made = await commitTree(repository, { tree: edited.tree, parent: base, message });
  if (!made.ok || made.commit === base) return {};
  const reference = `refs/${runTag({ task: request.task.name, run: id })}`;
  const kept = await repository.git({ arguments: ["update-ref", reference, made.commit] });
  if (!kept.ok) return {};
  return { sealedAt: made.commit, ...(sealed.length > 0 && { notice: noticeOf(sealed) }) };
}

function noticeOf(paths: readonly string[]): string {
  const more = paths.length > LISTED ? ` and ${paths.length - LISTED} more` : "";
  const names = paths.slice(0, LISTED).map(shownPath).join(", ") + more;
  const [was, stays] = paths.length === 1 ? ["was", "it counts"] : ["were", "they count"];
  return `${names} ${was} committed by an agent of the last run; for the checks ${stays} as before that. If what was committed is right, \`git restore\` it and start with --fresh.`;
}

const LISTED = 10;
