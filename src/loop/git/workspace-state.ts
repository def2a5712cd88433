import { type GitFailure, gitText } from "./git.ts";
import { decodePath, shownPath, splitNul } from "./path-bytes.ts";
import { emptyTree, type Head, type Repository, readSafeSettings } from "./repository.ts";
import type { TreeValue } from "./temporary-index.ts";
import { compareTrees, type TreeDifference } from "./tree-entries.ts";
import { readWorkingFile } from "./working-file.ts";

/** How the files differ from the commit a run began with, whoever changed or committed them since. */
export interface WorkspaceState {
  /** The commit all is compared with; undefined where there was none. */
  base: string | undefined;
  head: Head;
  entries: ReadonlyMap<string, PathState>;
}

export interface PathState {
  /** What the base has at the path; undefined: nothing. */
  base: TreeValue | undefined;
  /** What stands in the working tree. A file's id is that of its bytes as they are. */
  now: TreeValue | undefined;
  /** Not the same as in HEAD. */
  isDirty: boolean;
  /** HEAD is not the same as the base here. */
  isCommitted: boolean;
  /** Why git could not keep what stands there, where it could not. */
  problem?: string;
  /** The mode a new file gets in a commit, where it is not its own: git was told not to trust what the file system says. */
  addedAs?: string;
}

export type StateResult = { ok: true; state: WorkspaceState } | GitFailure;

export interface StateRequest {
  base: string | undefined;
  /** Paths, or folders that end in `/`, that do not count: the task's own files. */
  exclude: readonly string[];
}

export const STATE_LIMITS = { paths: 20_000, bytes: 1024 ** 3 } as const;

/** Reads what is changed and new and not ignored. Neither the index nor any reference is touched. */
export async function readWorkspaceState(repository: Repository, request: StateRequest): Promise<StateResult> {
  const { settings, trustsModes } = await readSafeSettings(repository);
  const status = await repository.git({
    arguments: [
      ...["status", "--porcelain=v2", "-z", "--branch", "--no-renames", "--no-ahead-behind"],
      ...["--untracked-files=all", "--ignore-submodules=dirty"],
    ],
    settings,
  });
  if (!status.ok) return status;
  const { head, dirty } = readStatus(status.stdout);
  const none = emptyTree(repository);
  const committed = await compareTrees(repository, request.base ?? none, head.commit ?? none);
  if (!committed.ok) return committed;
  const counts = (path: string) => !isUnder(path, request.exclude);
  const changes = {
    dirty: dirty.filter(({ path }) => counts(path)),
    committed: committed.differences,
    counts,
    trustsModes,
  };
  const entries = await readEntries(repository, changes);
  return entries.ok ? { ok: true, state: { base: request.base, head, entries: entries.entries } } : entries;
}

/** Exact paths, and everything under folders that end in `/`. */
export function isUnder(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));
}

/** Paths whose content is not the same any more, sorted. Both states must have the same base. */
export function compareStates(before: WorkspaceState, after: WorkspaceState): string[] {
  const paths = new Set([...before.entries.keys(), ...after.entries.keys()]);
  const changed = [...paths].filter((path) => {
    const first = before.entries.get(path);
    const second = after.entries.get(path);
    return !sameValue(first ? first.now : second?.base, second ? second.now : first?.base);
  });
  return changed.sort(byCodeUnits);
}

/** One text for all contents: the same files give the same digest, committed or not. */
export function stateDigest({ base, entries }: WorkspaceState): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${base ?? ""}\0`);
  for (const path of [...entries.keys()].sort(byCodeUnits)) {
    const entry = entries.get(path);
    if (entry === undefined || sameValue(entry.base, entry.now)) continue;
    hash.update(`${hashable(path)}\0${entry.now?.mode ?? ""}\0${entry.now?.id ?? ""}\0`);
  }
  return hash.digest("hex");
}

export function sameValue(first: TreeValue | undefined, second: TreeValue | undefined): boolean {
  return first?.id === second?.id && first?.mode === second?.mode;
}

interface DirtyPath {
  path: string;
  /** What HEAD has. */
  head: TreeValue | undefined;
  /** The mode git sees in the working tree; undefined for what git does not know yet. */
  mode: string | undefined;
}

/** Reads `git status --porcelain=v2 -z --branch`. */
export function readStatus(output: Uint8Array): { head: Head; dirty: DirtyPath[] } {
  const head: Head = { branch: undefined, commit: undefined };
  const dirty: DirtyPath[] = [];
  for (const part of splitNul(output)) {
    const kind = String.fromCharCode(part[0] ?? 0);
    if (kind === "#") readHeadLine(new TextDecoder().decode(part), head);
    else if (kind === "?") dirty.push({ path: decodePath(part.subarray(2)), head: undefined, mode: undefined });
    else if (kind === "1") dirty.push(ordinary(part));
    else if (kind === "u") dirty.push(unmerged(part));
  }
  return { head, dirty };
}

function readHeadLine(line: string, head: Head): void {
  const [, name, value = ""] = /^# (\S+) (.*)$/s.exec(line) ?? [];
  if (name === "branch.oid" && value !== "(initial)") head.commit = value;
  if (name === "branch.head" && value !== "(detached)") head.branch = value;
}

/** `1 XY sub mH mI mW hH hI path` */
function ordinary(part: Uint8Array): DirtyPath {
  const { fields, rest } = fieldsOf(part, 8);
  const [, , , modeHead = "", , mode, id = ""] = fields;
  return { path: rest, head: /^0+$/.test(modeHead) ? undefined : { mode: modeHead, id }, mode };
}

/** `u XY sub m1 m2 m3 mW h1 h2 h3 path`; the second is ours. */
function unmerged(part: Uint8Array): DirtyPath {
  const { fields, rest } = fieldsOf(part, 10);
  const [, , , , ours = "", , mode, , id = ""] = fields;
  return { path: rest, head: /^0+$/.test(ours) ? undefined : { mode: ours, id }, mode };
}

function fieldsOf(part: Uint8Array, count: number): { fields: string[]; rest: string } {
  let at = 0;
  for (let found = 0; found < count && at >= 0; found++) at = part.indexOf(32, at) + 1;
  return {
    fields: new TextDecoder("latin1").decode(part.subarray(0, at)).split(" "),
    rest: decodePath(part.subarray(at)),
  };
}

interface Changes {
  dirty: readonly DirtyPath[];
  committed: ReadonlyMap<string, TreeDifference>;
  counts(path: string): boolean;
  trustsModes: boolean;
}

async function readEntries(
  repository: Repository,
  { dirty, committed, counts, trustsModes }: Changes,
): Promise<{ ok: true; entries: Map<string, PathState> } | GitFailure> {
  if (dirty.length > STATE_LIMITS.paths) return tooMany(dirty);
  const entries = new Map<string, PathState>();
  for (const [path, { before, after }] of committed) {
    if (counts(path)) entries.set(path, { base: before, now: after, isDirty: false, isCommitted: true });
  }
  let bytes = 0;
  for (const changed of dirty) {
    const known = committed.get(changed.path);
    const same = entries.get(changed.path);
    const working = await workingValue(repository, changed);
    bytes += working.bytes;
    if (bytes > STATE_LIMITS.bytes) return tooLarge(changed.path);
    entries.set(changed.path, {
      // What was only taken out of the index is told twice: as gone, with what HEAD has, and as new.
      base: known ? known.before : (changed.head ?? same?.base),
      now: working.now,
      isDirty: true,
      isCommitted: known !== undefined,
      ...(working.problem !== undefined && { problem: working.problem }),
      ...(!trustsModes && changed.mode === undefined && working.now?.mode === "100755" && { addedAs: "100644" }),
    });
  }
  return { ok: true, entries };
}

interface WorkingValue {
  now: TreeValue | undefined;
  bytes: number;
  problem?: string;
}

async function workingValue(repository: Repository, { path, mode }: DirtyPath): Promise<WorkingValue> {
  if (mode === "000000") return { now: undefined, bytes: 0 };
  if (mode === "160000") return submoduleValue(repository, path);
  const file = readWorkingFile(repository, path, mode);
  switch (file.type) {
    case "file":
      return { now: file.value, bytes: file.bytes };
    case "link":
      return { now: file.value, bytes: 0 };
    case "gone":
      return { now: undefined, bytes: 0 };
    case "other":
      return { now: { mode: "other", id: "" }, bytes: 0, problem: file.why };
  }
}

async function submoduleValue(repository: Repository, path: string): Promise<WorkingValue> {
  const found = await repository.git({ arguments: ["-C", path, "--git-dir=.git", "rev-parse", "HEAD"] });
  if (found.ok) return { now: { mode: "160000", id: gitText(found) }, bytes: 0 };
  return { now: { mode: "other", id: "" }, bytes: 0, problem: "a submodule without a commit" };
}

function tooMany(dirty: readonly DirtyPath[]): GitFailure {
  const message = `${dirty.length} files are changed or new, more than the ${STATE_LIMITS.paths} Ralph looks through. List what is made by programs in .gitignore, or commit.`;
  return { ok: false, reason: "too-much", message };
}

function tooLarge(path: string): GitFailure {
  const message = `The changed and new files have more than ${STATE_LIMITS.bytes / 1024 ** 2} MB; ${shownPath(path)} was the last one looked at. List large files in .gitignore, or commit them.`;
  return { ok: false, reason: "too-much", message };
}

function byCodeUnits(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** Lone surrogates, which stand for bytes, must not all become the same when the text is hashed. */
function hashable(path: string): string {
  return path.isWellFormed() ? path : JSON.stringify(path);
}
