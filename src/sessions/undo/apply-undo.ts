import { chmod, mkdir, rename, rmdir, symlink, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileState } from "../../protocol/session-entries.ts";
import { errorCode, type FileFailure, failure, fileFailure } from "../../system/file-failure.ts";
import { ensureDirectory, syncDirectory, type WriteFileResult, writeFileAtomic } from "../../system/files.ts";
import { temporaryName } from "../../system/temporary-names.ts";
import type { Session } from "../session.ts";
import { KEEP_LIMITS } from "./keep-files.ts";
import { observeFile, sameState } from "./observe-file.ts";
import { contentOf, type PreparedUndo, type UndoPlaces } from "./prepare-undo.ts";
import { openMode, type UndoStep } from "./undo-plan.ts";
import type { UndoRecorder } from "./undo-recorder.ts";

export interface StepResult {
  step: UndoStep;
  /** Why it was not done after all; the file is as it was. */
  left?: string;
  /** It was left for a reason that may be gone when the undo is repeated. */
  canRepeat?: true;
  /** The file that now holds the old content of a conflict, or would hold it. */
  beside?: string;
}

export interface UndoContext extends UndoPlaces {
  session: Session;
  recorder: UndoRecorder;
  /** Stops the undo after the file at hand. */
  signal?: AbortSignal;
}

/** `problem`: why the undo does not count as one that came to its end, although nothing is left to do. */
export type UndoResult = { ok: true; results: StepResult[]; isComplete: boolean; problem?: string } | FileFailure;

/**
 * Takes a turn back. This is a turn of its own: what it changes is kept first, so it can be taken back as well, and a process
 * that is killed in the middle has lost nothing. Only one that went through all files counts; any other is repeated.
 */
export async function applyUndo(prepared: PreparedUndo, context: UndoContext): Promise<UndoResult> {
  const { session, recorder, root, signal } = context;
  const begun = await session.append({ type: "undo-started", undoes: prepared.turn.id });
  if (!begun.ok) return failure("failed", begun.message);
  recorder.startTurn(begun.entry.id);
  const paths = prepared.steps.flatMap((step) => pathsOf(step, prepared)).map((path) => join(root, path));
  const refused = await recorder.beforeChange(...paths);
  if (refused !== undefined) return refused;
  const results: StepResult[] = [];
  for (const step of prepared.steps)
    results.push(signal?.aborted ? notReached(step) : await perform(step, prepared, context));
  const reached = results.flatMap(({ step, canRepeat }) => (canRepeat ? [] : [step]));
  await setFolderModes(reached, root);
  const unsettled = await recorder.endTurn();
  if (unsettled !== undefined) return { ok: true, results, isComplete: false, problem: unsettled.message };
  if (results.some(({ canRepeat }) => canRepeat)) return { ok: true, results, isComplete: false };
  return { ok: true, results, ...(await recordEnd(session, begun.entry.id, results)) };
}

/** Says in the session that an undo came to its end. */
export async function recordEnd(
  session: Session,
  turnId: string,
  results: readonly StepResult[],
): Promise<{ isComplete: boolean; problem?: string }> {
  const left = results.flatMap(({ step, left: why = "why" in step ? step.why : undefined }) =>
    why === undefined ? [] : [{ path: step.path, why }],
  );
  const stored = await session.append({ type: "undo-ended", turnId, left });
  return stored.ok ? { isComplete: true } : { isComplete: false, problem: stored.message };
}

function pathsOf(step: UndoStep, { beside }: PreparedUndo): string[] {
  if (step.type === "not-undoable" || step.type === "uncertain") return [];
  if (step.type !== "conflict") return [step.path];
  const name = beside.get(step.path);
  return name === undefined ? [] : [name];
}

function notReached(step: UndoStep): StepResult {
  if (step.type === "not-undoable" || step.type === "uncertain") return { step };
  return { step, left: "not reached, because the undo was stopped", canRepeat: true };
}

async function perform(step: UndoStep, { beside }: PreparedUndo, context: UndoContext): Promise<StepResult> {
  if (step.type === "not-undoable" || step.type === "uncertain") return { step };
  if (step.type === "conflict") return putBeside(step, beside.get(step.path), context);
  if (!context.recorder.isKept(join(context.root, step.path)))
    return { step, left: "what is there now is too large to be kept" };
  const { state } = await observeFile(context.root, step.path, KEEP_LIMITS.fileBytes);
  if (!sameState(state, step.now)) return { step, left: "it was changed just now", canRepeat: true };
  const done = step.type === "remove" ? await remove(step.path, step.now, context) : await put(step, context);
  if (done.ok) return { step };
  // Folders that others use, and contents that are lost, stay so.
  const isFinal = done.reason === "exists" || done.reason === "missing";
  return { step, left: done.message, ...(!isFinal && { canRepeat: true }) };
}

async function putBeside(
  step: Extract<UndoStep, { type: "conflict" }>,
  beside: string | undefined,
  places: UndoPlaces,
): Promise<StepResult> {
  const { old } = step;
  if (old?.type !== "file" || beside === undefined) return { step };
  const { state } = await observeFile(places.root, beside, KEEP_LIMITS.fileBytes);
  if (sameState(state, old)) return { step, beside };
  if (state.type !== "missing") return { step, left: `${beside} appeared just now`, canRepeat: true };
  const written = await putFile(beside, old, places);
  if (written.ok) return { step, beside };
  return { step, left: written.message, ...(written.reason !== "missing" && { canRepeat: true }) };
}

async function remove(path: string, now: FileState, { root }: UndoPlaces): Promise<WriteFileResult> {
  const full = join(root, path);
  try {
    if (now.type === "directory") await rmdir(full);
    else await unlink(full);
    await syncDirectory(dirname(full));
    return { ok: true };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTEMPTY" || code === "EEXIST") return failure("exists", "other files are in it");
    return fileFailure(path, error, "removed");
  }
}

type PutStep = Extract<UndoStep, { to: FileState }>;

async function put(step: PutStep, places: UndoPlaces): Promise<WriteFileResult> {
  const { path, now, to } = step;
  const full = join(places.root, path);
  if (now.type === "directory" && to.type === "directory") return { ok: true };
  // A file or link takes the place of another in one step; only what has to go first is removed.
  const isInTheWay = now.type === "directory" || (to.type === "directory" && now.type !== "missing");
  const made = isInTheWay ? await remove(path, now, places) : await ensureDirectory(dirname(full), 0o777);
  if (!made.ok) return made;
  if (to.type === "link") return putLink(full, to.target);
  if (to.type === "directory") return makeFolder(full, to.mode);
  if (now.type === "link") await unlink(full).catch(() => undefined);
  return step.type === "merge" ? writeFileAtomic(full, step.bytes, { mode: modeOf(to) }) : putFile(path, to, places);
}

async function putFile(path: string, state: FileState, { root, blobs }: UndoPlaces): Promise<WriteFileResult> {
  const content = await contentOf(state, blobs);
  if (content === undefined) return failure("missing", "its old content is missing or damaged");
  const full = join(root, path);
  const made = await ensureDirectory(dirname(full), 0o777);
  return made.ok ? writeFileAtomic(full, content, { mode: modeOf(state) }) : made;
}

function modeOf(state: FileState): number {
  return state.type === "file" || state.type === "directory" ? state.mode : 0o600;
}

async function putLink(full: string, target: string): Promise<WriteFileResult> {
  const staged = join(dirname(full), temporaryName());
  try {
    await symlink(target, staged);
    await rename(staged, full);
    await syncDirectory(dirname(full));
    return { ok: true };
  } catch (error) {
    await unlink(staged).catch(() => undefined);
    return fileFailure(full, error, "written");
  }
}

/** Writable until everything is in it. */
async function makeFolder(full: string, mode: number): Promise<WriteFileResult> {
  try {
    await mkdir(full, { recursive: true, mode: openMode(mode) });
    return { ok: true };
  } catch (error) {
    return fileFailure(full, error, "created");
  }
}

/** The deepest first: a folder may forbid to enter it. */
async function setFolderModes(steps: readonly UndoStep[], root: string): Promise<void> {
  for (const step of steps.toReversed()) {
    if (!("to" in step) || step.to.type !== "directory") continue;
    const { state } = await observeFile(root, step.path, 0);
    if (state.type === "directory") await chmod(join(root, step.path), step.to.mode).catch(() => undefined);
  }
}
