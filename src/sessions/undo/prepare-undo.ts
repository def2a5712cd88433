import { join } from "node:path";
import type { FileState } from "../../protocol/session-entries.ts";
import { readBlobBytes } from "../blobs.ts";
import { KEEP_LIMITS } from "./keep-files.ts";
import { notKept, type Observed, observeFile, pathWithin, sameState } from "./observe-file.ts";
import { inOrder, planUndo, type UndoFile, type UndoStep } from "./undo-plan.ts";
import { type ChangedFile, changedFiles, type UndoChoice, type UndoTurn } from "./undo-turns.ts";

export interface UndoPlaces {
  /** The workspace of the session, absolute, links resolved. Nothing outside is ever touched. */
  root: string;
  blobs: string;
}

export interface PreparedUndo {
  turn: UndoTurn;
  /** In the order in which they are done. */
  steps: UndoStep[];
  /** For conflicts: where the old content goes, by path. */
  beside: Map<string, string>;
}

/** Looks at every file of the turn as it is now and decides what would be done. Changes nothing. */
export async function prepareUndo(turn: UndoTurn, places: UndoPlaces, choice: UndoChoice = {}): Promise<PreparedUndo> {
  const files: UndoFile[] = [];
  for (const [path, change] of changedFiles(turn, choice)) files.push(await lookAt(path, change, places));
  const steps = inOrder(planUndo(files));
  return { turn, steps, beside: await besideNames(turn, steps, places) };
}

async function lookAt(path: string, changed: ChangedFile, places: UndoPlaces): Promise<UndoFile> {
  const { before, after } = changed;
  // The journal is a file like others: what it says about paths is checked, not believed.
  if (pathWithin(places.root, join(places.root, path)) !== path)
    return { path, before: before.type === "not-kept" ? before : OUTSIDE, after, now: OUTSIDE };
  const seen = await observeFile(places.root, path, KEEP_LIMITS.fileBytes);
  const file = { path, ...changed, now: seen.state };
  return needsTexts(file) ? { ...file, texts: await textsOf(file, seen, places) } : file;
}

const OUTSIDE = notKept("it is outside the workspace");

function needsTexts({ before, after, now }: UndoFile): boolean {
  const areFiles = [before, after, now].every(({ type }) => type === "file");
  return areFiles && !sameState(now, before) && !sameState(now, after);
}

async function textsOf(
  { before, after }: UndoFile,
  { bytes }: Observed,
  { blobs }: UndoPlaces,
): Promise<NonNullable<UndoFile["texts"]>> {
  const [old, made] = [await contentOf(before, blobs), await contentOf(after, blobs)];
  return {
    ...(old !== undefined && { before: old }),
    ...(made !== undefined && { after: made }),
    ...(bytes !== undefined && { now: bytes }),
  };
}

/** Undefined for what is no file, was not kept, or is damaged. */
export async function contentOf(state: FileState, blobs: string): Promise<Uint8Array | undefined> {
  return state.type === "file" && state.isKept ? readBlobBytes(blobs, state.hash) : undefined;
}

const MOST_NAMES = 99;

async function besideNames(
  { number }: UndoTurn,
  steps: readonly UndoStep[],
  { root }: UndoPlaces,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const step of steps) {
    if (step.type !== "conflict" || step.old?.type !== "file") continue;
    for (let count = 1; count <= MOST_NAMES && !names.has(step.path); count++) {
      const name = `${step.path}.turn-${number}${count === 1 ? "" : `-${count}`}.old`;
      const { state } = await observeFile(root, name, KEEP_LIMITS.fileBytes);
      // An undo that broke off may have put it there already.
      if (state.type === "missing" || sameState(state, step.old)) names.set(step.path, name);
    }
  }
  return names;
}
