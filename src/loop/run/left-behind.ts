import { join } from "node:path";
import { writeFileAtomic } from "../../system/files.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { TreeValue } from "../git/temporary-index.ts";
import { type PathState, sameValue, type WorkspaceState } from "../git/workspace-state.ts";

// What the agents of a run changed and nobody committed, when it ended. The next run of the task knows by it that this is not the
// person's work, and undo takes it back. Whatever was changed since counts as the person's.

export interface LeftBehind {
  /** What the branch named at the end. */
  head?: string;
  /** Absent: the file was removed. */
  files: ReadonlyMap<string, TreeValue | undefined>;
}

export interface RunStates {
  before: WorkspaceState;
  end: WorkspaceState;
}

/**
 * Everything uncommitted but what the person had already; also what the harness put back into a file an agent had committed, and
 * what became of the person's own changes, wherever it is now.
 */
export function leftBehind({ before, end }: RunStates): LeftBehind {
  const files = new Map<string, TreeValue | undefined>();
  for (const [path, { isDirty, now }] of end.entries)
    if (isDirty && !before.entries.get(path)?.isDirty) files.set(path, now);
  for (const [path, earlier] of before.entries) {
    const now = valueNow(end, path, earlier);
    const couldBeSaved = earlier.problem === undefined || end.entries.get(path)?.isDirty === true;
    if (earlier.isDirty && couldBeSaved && !sameValue(earlier.now, now)) files.set(path, now);
  }
  return { ...(end.head.commit !== undefined && { head: end.head.commit }), files };
}

/** What is not told of is as it was at the base. */
function valueNow({ entries }: WorkspaceState, path: string, earlier: PathState): TreeValue | undefined {
  const entry = entries.get(path);
  return entry === undefined ? earlier.base : entry.now;
}

/** Without files that had changes of the person's before: an agent worked on them too, but they are not the agents'. */
export function ofAgents(left: LeftBehind, before: WorkspaceState | undefined): LeftBehind {
  const files = [...left.files].filter(([path]) => before?.entries.get(path)?.isDirty !== true);
  return { ...left, files: new Map(files) };
}

/** Of what was left behind, the files nobody changed since. `before` is how things were before the run that left it. */
export function stillThere({ files }: LeftBehind, state: WorkspaceState, before?: WorkspaceState): string[] {
  return [...files.keys()].filter((path) => {
    const earlier = before?.entries.get(path);
    if (earlier?.isDirty) return sameValue(valueNow(state, path, earlier), files.get(path));
    const entry = state.entries.get(path);
    return entry?.isDirty === true && sameValue(entry.now, files.get(path));
  });
}

/** How things were before a run that goes on with what an earlier one left behind. */
export function withoutLeft(state: WorkspaceState, left: LeftBehind): WorkspaceState {
  const entries = new Map(state.entries);
  for (const path of stillThere(left, state)) entries.delete(path);
  return { ...state, entries };
}

const MAX_BYTES = 64_000_000;

export async function storeLeft(runFolder: string, { head, files }: LeftBehind) {
  return writeFileAtomic(leftFile(runFolder), JSON.stringify({ head, files: [...files] }), { mode: 0o600 });
}

/** Undefined where the run has not ended. Written and read by this file alone; a kill cannot tear it. */
export function readLeft(runFolder: string): LeftBehind | undefined {
  const file = readTextFile(leftFile(runFolder), { maxBytes: MAX_BYTES });
  if (!file.ok) return undefined;
  const { head, files } = JSON.parse(file.text) as { head?: string; files: [string, TreeValue | null][] };
  return {
    ...(head !== undefined && { head }),
    files: new Map(files.map(([path, value]) => [path, value ?? undefined])),
  };
}

function leftFile(runFolder: string): string {
  return join(runFolder, "left.json");
}
