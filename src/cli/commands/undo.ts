import { realpathSync } from "node:fs";
import { removeAbandoned } from "../../permissions/sandbox/run-sandboxed.ts";
import { HELD_NAMES } from "../../permissions/sandbox/sandbox-rows.ts";
import { openSession } from "../../sessions/journal.ts";
import { readSession } from "../../sessions/read-session.ts";
import type { Session } from "../../sessions/session.ts";
import { findSession } from "../../sessions/session-list.ts";
import { applyUndo, recordEnd, type StepResult, type UndoResult } from "../../sessions/undo/apply-undo.ts";
import { type PreparedUndo, prepareUndo } from "../../sessions/undo/prepare-undo.ts";
import { createUndoRecorder, type UndoRecorder } from "../../sessions/undo/undo-recorder.ts";
import {
  brokenOffUndos,
  changedSomething,
  isUndone,
  turnToUndo,
  type UndoTurn,
  undoTurns,
} from "../../sessions/undo/undo-turns.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasPerson } from "../print/answer-in-terminal.ts";
import { printableJson } from "../printable.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { sandboxChoice } from "../sandbox-choice.ts";
import { confirm } from "../sessions/confirm.ts";
import { endLeftovers } from "../sessions/end-leftovers.ts";
import { onStopSignal } from "../stop-signals.ts";
import { closingWords } from "../undo/closing-words.ts";
import { listedTurns, listOf, turnJson } from "../undo/list.ts";
import { outcomeOf, plannedRows, previewOf, undoJson } from "../undo/preview.ts";

/** `ralph undo [TURN]`: shows what taking a turn back would do, and does it after a yes. `--list` shows the turns. */
export async function undo(context: RunContext): Promise<number> {
  const [word] = context.arguments.words;
  if (word !== undefined && !/^[1-9]\d{0,8}$/.test(word))
    return refuse(context, `"${word}" is no turn. Give its number; see: ralph undo --list`, EXIT.usage);
  const number = word === undefined ? undefined : Number(word);
  const wanted = flagText(context, "resume");
  const found = await findSession({
    places: context.paths,
    cwd: context.cwd,
    ...(wanted === undefined ? {} : { id: wanted }),
  });
  if (!found.ok) return refuse(context, found.message, found.reason === "unreadable" ? EXIT.failed : EXIT.usage);
  return hasFlag(context, "list") ? list(context, found.path) : undoIn(context, found.path, number);
}

/** Needs no lock, so it works while the session is open elsewhere. */
async function list(context: RunContext, path: string): Promise<number> {
  const read = await readSession(path, context.paths.blobs);
  if (!read.ok) return refuse(context, read.message, EXIT.failed);
  const turns = undoTurns(read.entries);
  const shown = listedTurns(turns);
  if (hasFlag(context, "json")) print(printableJson(shown.map((turn) => turnJson(turn, turns))));
  else print(shown.length === 0 ? "No turn of this session changed a file.\n" : listOf(turns));
  return EXIT.done;
}

async function undoIn(context: RunContext, path: string, number: number | undefined): Promise<number> {
  const { paths: places, clock, environment } = context;
  const opened = await openSession(path, { places, clock, owner: "ralph undo" });
  if (!opened.ok) return refuse(context, opened.message, EXIT.failed);
  const { session } = opened;
  try {
    const root = workspaceOf(session);
    if (root === undefined)
      return refuse(context, `The folder of this session, ${session.header.cwd}, is not there any more.`, EXIT.failed);
    // What still runs would go on changing what is taken back.
    await endLeftovers(context, session);
    await removeAbandoned(sandboxChoice(context).folder);
    const recorder = createUndoRecorder({
      session,
      blobs: places.blobs,
      root,
      environment,
      clock,
      placeholders: HELD_NAMES,
    });
    await recorder.recover();
    return await undoTurn({ context, session, recorder, root }, number);
  } finally {
    await session.close();
  }
}

function workspaceOf({ header }: Session): string | undefined {
  try {
    return header.cwd === "" ? undefined : realpathSync(header.cwd);
  } catch {
    return undefined;
  }
}

interface Undoing {
  context: RunContext;
  session: Session;
  recorder: UndoRecorder;
  root: string;
}

async function undoTurn(undoing: Undoing, number: number | undefined): Promise<number> {
  const { context, session, root } = undoing;
  const turns = undoTurns(session.entries);
  const choice = { withUncertain: hasFlag(context, "uncertain") };
  const turn = number === undefined ? turnToUndo(turns, choice) : turns[number - 1];
  if (turn === undefined) {
    if (number === undefined) return refuse(context, "There is nothing to undo in this session.", EXIT.failed);
    return refuse(context, `This session has no turn ${number}; see: ralph undo --list`, EXIT.usage);
  }
  if (!changedSomething(turn)) return refuse(context, `Turn ${turn.number} changed no file.`, EXIT.failed);
  const prepared = await prepareUndo(turn, { root, blobs: context.paths.blobs }, choice);
  const answer = await mayUndo(undoing, prepared, turns);
  if (answer !== "yes") return answer;
  const { result, isStopped } = await applyStoppable(prepared, undoing);
  if (!result.ok) return refuse(context, `Nothing was undone: ${result.message}`, EXIT.failed);
  tell(undoing, turn, result);
  if (isStopped && !result.isComplete) return EXIT.interrupted;
  const isAllDone = result.isComplete && result.results.every(isDone) && turn.problems.length === 0;
  return isAllDone ? EXIT.done : EXIT.failed;
}

/** A signal stops it after the file at hand. */
async function applyStoppable(
  prepared: PreparedUndo,
  undoing: Undoing,
): Promise<{ result: UndoResult; isStopped: boolean }> {
  const stop = new AbortController();
  const stopListening = onStopSignal(() => stop.abort());
  const { blobs } = undoing.context.paths;
  const result = await applyUndo(prepared, { ...undoing, blobs, signal: stop.signal });
  stopListening();
  return { result, isStopped: stop.signal.aborted };
}

/** The exit code where it may not, or where there is nothing to do. */
async function mayUndo(undoing: Undoing, prepared: PreparedUndo, turns: readonly UndoTurn[]): Promise<"yes" | number> {
  const { context, session } = undoing;
  const rows = plannedRows(prepared);
  const isJson = hasFlag(context, "json");
  const hasWork = rows.some(({ step, beside }) => isWork(step.type) || beside !== undefined);
  if (hasWork && hasFlag(context, "yes")) return "yes";
  if (isJson) print(printableJson(undoJson(prepared.turn, rows, { applied: false, sessionId: session.header.id })));
  else print(previewOf(prepared, turns));
  if (!hasWork) return nothingToDo(undoing, prepared, turns);
  if (isJson || !hasPerson())
    return refuse(context, "Nothing was changed: nobody can be asked here. Restore with --yes.", EXIT.usage);
  return (await confirm("Undo this turn?")) ? "yes" : refuse(context, "Nothing was changed.", EXIT.failed);
}

/** An undo that broke off after its last file is thereby at its end. */
async function nothingToDo(
  { context, session }: Undoing,
  { turn, steps }: PreparedUndo,
  turns: readonly UndoTurn[],
): Promise<number> {
  const open = isUndone(turns, turn) ? undefined : brokenOffUndos(turns, turn).at(-1);
  if (open !== undefined) {
    const { problem } = await recordEnd(
      session,
      open.id,
      steps.map((step) => ({ step })),
    );
    if (problem !== undefined) return refuse(context, problem, EXIT.failed);
  }
  return steps.length === 0 && turn.problems.length === 0 ? EXIT.done : EXIT.failed;
}

function isWork(type: StepResult["step"]["type"]): boolean {
  return type !== "conflict" && type !== "not-undoable" && type !== "uncertain";
}

/** A folder that other files are in stays, and nothing is missing. */
function isDone({ step, left, canRepeat }: StepResult): boolean {
  if (step.type === "remove" && step.now.type === "directory" && !canRepeat) return true;
  return left === undefined && isWork(step.type);
}

function tell({ context, session }: Undoing, turn: UndoTurn, result: Extract<UndoResult, { ok: true }>): void {
  const { results, isComplete, problem } = result;
  const turns = undoTurns(session.entries);
  if (problem !== undefined) context.note(problem);
  if (hasFlag(context, "json")) {
    print(printableJson(undoJson(turn, results, { applied: true, sessionId: session.header.id, isComplete })));
    return;
  }
  const wanted = flagText(context, "resume");
  const again = ["ralph undo", ...(wanted === undefined ? [] : [`-r ${wanted}`])].join(" ");
  const isUncertain = hasFlag(context, "uncertain");
  print(
    `${outcomeOf(turn, results, turns)}${closingWords({ turn, turns, result, again: isUncertain ? `${again} --uncertain` : again })}`,
  );
}

function refuse({ note }: RunContext, message: string, code: number): number {
  note(message);
  return code;
}
