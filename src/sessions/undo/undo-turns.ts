import type { FileState, SessionEntry, ShellSnapshot } from "../../protocol/session-entries.ts";
import type { EntryStore } from "../entries/entry-store.ts";
import { sameState } from "./observe-file.ts";

/** One prompt of a person, or one undo, and what it did to files. */
export interface UndoTurn {
  /** Counted from 1 over all prompts and undos of the session, on all branches, in the order of the file. */
  number: number;
  /** The entry that began it. */
  id: string;
  /** The first line of the prompt; empty for an undo. */
  title: string;
  /** The id of the turn this one takes back. */
  undoes?: string;
  files: Map<string, FileChange>;
  snapshot?: ShellSnapshot;
  /** What it did that cannot be taken back, in words. */
  problems: string[];
  /** Nothing more follows; if not, Ralph was stopped in the middle of it. */
  isSettled: boolean;
  /** Of an undo that went through all its files: those it left alone. Absent for one that broke off. */
  left?: readonly string[];
}

export interface FileChange {
  before: FileState;
  /** Absent while it is not known. */
  after?: FileState;
  /** Found by a Ralph that came later: a command of the turn or a person made it so. */
  uncertainAfter?: FileState;
  /** Recorded before the first shell command of the turn, so the snapshot of that moment is younger. */
  precedesSnapshot: boolean;
}

/** All turns of a session, also those that changed nothing. */
export function undoTurns(entries: Iterable<SessionEntry>): UndoTurn[] {
  const turns = new Map<string, UndoTurn>();
  for (const entry of entries) {
    const begun = beginningOf(entry);
    if (begun !== undefined && !turns.has(entry.id))
      turns.set(entry.id, { ...begun, number: turns.size + 1, id: entry.id, ...emptyRecord() });
    else if ("turnId" in entry) record(turns.get(entry.turnId), entry);
  }
  return [...turns.values()];
}

/** The turn in which the last writer was stopped, if it was. Where nothing is to be found, hardly anything is read. */
export function unsettledTurn(entries: EntryStore): UndoTurn | undefined {
  let newest: number | undefined;
  for (const row of entries.rows()) if (UNDO_TYPES.has(entries.typeOf(row))) newest = row;
  const last = newest === undefined ? undefined : entries.read(newest);
  if (last === undefined || (last.type === "files-after" && last.isSettled)) return undefined;
  // Only the newest can be unsettled: an older one lies under work that was done since.
  const recorded = undoTurns(entries).findLast(({ files, snapshot }) => files.size > 0 || snapshot !== undefined);
  return recorded?.isSettled ? undefined : recorded;
}

const UNDO_TYPES = new Set<SessionEntry["type"]>(["files-before", "files-after", "shell-snapshot"]);

/** A file that is different after the turn. */
export interface ChangedFile {
  before: FileState;
  after: FileState;
  /** It is not known whether the turn or a person changed it. */
  isUncertain?: true;
}

/** `withUncertain`: what may be the work of a person counts as that of the turn. */
export function changedFiles(
  { files }: UndoTurn,
  { withUncertain = false }: UndoChoice = {},
): [path: string, file: ChangedFile][] {
  return [...files].flatMap(([path, change]) => {
    const file = changedFile(change, withUncertain);
    return file === undefined || sameState(file.before, file.after) ? [] : [[path, file]];
  });
}

export interface UndoChoice {
  withUncertain?: boolean;
}

function changedFile(change: FileChange, withUncertain: boolean): ChangedFile | undefined {
  const { before, after, uncertainAfter } = change;
  if (uncertainAfter !== undefined && withUncertain) return { before, after: uncertainAfter };
  if (after !== undefined && !sameState(before, after)) return { before, after };
  return uncertainAfter === undefined ? undefined : { before, after: uncertainAfter, isUncertain: true };
}

export function changedSomething(turn: UndoTurn): boolean {
  return changedFiles(turn).length + turn.problems.length > 0;
}

/** The turn whose undo broke off last, if nothing was done since; else the newest prompt that changed something and is not taken back. */
export function turnToUndo(turns: readonly UndoTurn[], choice: UndoChoice = {}): UndoTurn | undefined {
  const newest = turns.findLast((turn) =>
    turn.undoes === undefined ? isToUndo(turns, turn, choice) : isBrokenOff(turns, turn),
  );
  return newest?.undoes === undefined ? newest : turns.find(({ id }) => id === newest.undoes);
}

function isToUndo(turns: readonly UndoTurn[], turn: UndoTurn, { withUncertain = false }: UndoChoice): boolean {
  if (!changedSomething(turn)) return false;
  return !isUndone(turns, turn) || (withUncertain && hasUncertainLeft(turns, turn));
}

/** An undo that broke off, or that was itself undone, does not count. */
export function isUndone(turns: readonly UndoTurn[], { id, number }: UndoTurn): boolean {
  return turns.some(
    (turn) => turn.undoes === id && turn.number > number && turn.left !== undefined && !isUndone(turns, turn),
  );
}

/** Whether it was taken back but for files that may be the work of a person. */
function hasUncertainLeft(turns: readonly UndoTurn[], turn: UndoTurn): boolean {
  const last = turns.findLast(({ undoes, left }) => undoes === turn.id && left !== undefined);
  return changedFiles(turn).some(([path, { isUncertain }]) => isUncertain === true && last?.left?.includes(path));
}

/** An undo that did not come to its end, of a turn that is not taken back by another since. */
export function isBrokenOff(turns: readonly UndoTurn[], undo: UndoTurn): boolean {
  const target = turns.find(({ id }) => id === undo.undoes);
  if (target === undefined || target.number >= undo.number || !changedSomething(target)) return false;
  return undo.left === undefined && !isUndone(turns, target);
}

/** The undos of a turn that broke off and still stand; together with the one that ends well they took it back. */
export function brokenOffUndos(turns: readonly UndoTurn[], { id }: UndoTurn): UndoTurn[] {
  return turns.filter((turn) => turn.undoes === id && turn.left === undefined && !isUndone(turns, turn));
}

function beginningOf(entry: SessionEntry): Pick<UndoTurn, "title" | "undoes"> | undefined {
  if (entry.type === "undo-started") return { title: "", undoes: entry.undoes };
  if (entry.type !== "message" || entry.message.role !== "user") return undefined;
  const text = entry.message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const [line = ""] = text.trim().split("\n");
  return { title: line.slice(0, TITLE_LENGTH) };
}

const TITLE_LENGTH = 120;

function emptyRecord(): Pick<UndoTurn, "files" | "problems" | "isSettled"> {
  return { files: new Map(), problems: [], isSettled: true };
}

type UndoEntry = Extract<SessionEntry, { turnId: string }>;

function record(turn: UndoTurn | undefined, entry: UndoEntry): void {
  if (turn === undefined) return;
  if (entry.type === "undo-ended") {
    turn.left = entry.left.map(({ path }) => path);
    return;
  }
  turn.isSettled = entry.type === "files-after" && entry.isSettled === true;
  if (entry.type === "shell-snapshot") {
    turn.snapshot = entry.snapshot;
    if (entry.snapshot.type === "none") turn.problems.push(entry.snapshot.why);
  } else if (entry.type === "files-before") recordBefore(turn, entry);
  else recordAfter(turn, entry);
}

function recordBefore(turn: UndoTurn, { files, fromSnapshot }: Extract<UndoEntry, { type: "files-before" }>): void {
  for (const { path, state } of files) {
    const known = turn.files.get(path);
    if (known === undefined) turn.files.set(path, { before: state, precedesSnapshot: turn.snapshot === undefined });
    else if (fromSnapshot && !known.precedesSnapshot) known.before = state;
  }
}

function recordAfter(
  turn: UndoTurn,
  { files, isUncertain, problem }: Extract<UndoEntry, { type: "files-after" }>,
): void {
  for (const { path, state } of files) {
    const known = turn.files.get(path);
    if (known === undefined) continue;
    if (isUncertain) known.uncertainAfter = state;
    else known.after = state;
  }
  if (problem !== undefined) turn.problems.push(problem);
}
