import type { FileState } from "../../protocol/session-entries.ts";
import { mergeThreeWays } from "../../system/three-way-merge.ts";
import { sameState } from "./observe-file.ts";

// What taking a turn back means for each file. Pure: states and contents in, steps out. What a person changed since is theirs:
// it is merged where that is clean, and otherwise stays as it is.

export interface UndoFile {
  path: string;
  before: FileState;
  after: FileState;
  now: FileState;
  /** It is not known whether the turn or a person changed it. */
  isUncertain?: true;
  /** Contents, where the states are files and they could be had. */
  texts?: { before?: Uint8Array; after?: Uint8Array; now?: Uint8Array };
}

/** What has to be done to a path. `now` is what must still stand there when it is done. */
export type UndoStep =
  | { type: "restore"; path: string; now: FileState; to: FileState }
  | { type: "remove"; path: string; now: FileState }
  | { type: "recreate"; path: string; now: FileState; to: FileState }
  | { type: "merge"; path: string; now: FileState; to: FileState; bytes: Uint8Array }
  /** It stays as it is; `old` is the content the turn replaced, to be put beside it. */
  | { type: "conflict"; path: string; now: FileState; why: string; old?: FileState }
  | { type: "not-undoable"; path: string; now: FileState; why: string }
  /** It stays as it is, because a person may have made it so. */
  | { type: "uncertain"; path: string; now: FileState; why: string };

/** A file that already is as it was before the turn needs no step. */
export function planUndo(files: readonly UndoFile[]): UndoStep[] {
  return files.flatMap((file) => {
    const step = stepFor(file);
    return step === undefined ? [] : [step];
  });
}

function stepFor(file: UndoFile): UndoStep | undefined {
  const { path, before, after, now, isUncertain } = file;
  if (before.type === "not-kept") return { type: "not-undoable", path, now, why: before.why };
  if (sameState(now, before)) return undefined;
  if (isUncertain) return { type: "uncertain", path, now, why: UNCERTAIN };
  if (before.type === "file" && !before.isKept)
    return { type: "not-undoable", path, now, why: "its old content was not kept" };
  if (now.type === "not-kept") return { type: "not-undoable", path, now, why: now.why };
  if (sameState(now, after)) return putBack(file);
  return editedSince(file);
}

const UNCERTAIN = "may be your own change: Ralph was stopped while a command ran";

function putBack({ path, before, now }: UndoFile): UndoStep {
  if (before.type === "missing") return { type: "remove", path, now };
  return { type: now.type === "missing" ? "recreate" : "restore", path, now, to: before };
}

function editedSince(file: UndoFile): UndoStep | undefined {
  const { path, before, after, now } = file;
  if (before.type === "directory" || now.type === "directory") return directoryEdited(file);
  if (before.type === "missing") return conflict(file, "it was changed since the turn made it");
  if (now.type === "missing") return conflict(file, "it was removed since");
  if (after.type === "missing") return conflict(file, "another file was put in its place since");
  if (before.type !== "file" || after.type !== "file" || now.type !== "file")
    return conflict(file, "something else was put in its place since");
  const mode = now.mode === after.mode ? before.mode : now.mode;
  if (now.hash === after.hash) return { type: "restore", path, now, to: { ...before, mode } };
  if (now.hash === before.hash)
    return mode === now.mode ? undefined : { type: "restore", path, now, to: { ...before, mode } };
  return mergeEdits(file, mode);
}

/** The mode in which a folder is made, until everything is in it. */
export function openMode(mode: number): number {
  return mode | 0o700;
}

/** A folder whose mode alone was changed, or one somebody put in the place of a file. */
function directoryEdited(file: UndoFile): UndoStep | undefined {
  const { before, after, now, path } = file;
  if (before.type === "missing") return { type: "remove", path, now };
  // An undo that broke off made it, and did not come to give it its mode.
  const isHalfMade = before.type === "directory" && after.type !== "directory" && now.type === "directory";
  if (isHalfMade && now.mode === openMode(before.mode)) return { type: "restore", path, now, to: before };
  if (before.type === "directory" && now.type === "directory") return undefined;
  return conflict(file, "something else was put in its place since");
}

function mergeEdits(file: UndoFile, mode: number): UndoStep | undefined {
  const { path, now, before, texts = {} } = file;
  const [base, ours, theirs] = [texts.after, texts.now, texts.before].map(decode);
  if (base === undefined || ours === undefined || theirs === undefined)
    return conflict(file, "it was changed since, and is no text that could be merged");
  const merged = mergeThreeWays({ base, ours, theirs });
  if (!merged.ok) return conflict(file, "the same lines were changed since");
  // An undo that broke off may have merged it already.
  if (merged.text === ours && now.type === "file" && now.mode === mode) return undefined;
  const bytes = new TextEncoder().encode(merged.text);
  const to: FileState = { ...(before as Extract<FileState, { type: "file" }>), mode };
  return { type: "merge", path, now, to, bytes };
}

function conflict({ path, now, before }: UndoFile, why: string): UndoStep {
  const old = before.type === "file" || before.type === "link" ? { old: before } : {};
  return { type: "conflict", path, now, why, ...old };
}

function decode(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The order in which steps can be done: what goes makes room from the deepest up, what comes is built from the top down.
 */
export function inOrder(steps: readonly UndoStep[]): UndoStep[] {
  const removals = steps.filter((step) => step.type === "remove").sort((one, other) => depth(other) - depth(one));
  const others = steps.filter((step) => step.type !== "remove").sort((one, other) => depth(one) - depth(other));
  return [...removals, ...others];
}

function depth({ path }: UndoStep): number {
  return path.split("/").length;
}
