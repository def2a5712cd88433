import { realpathSync } from "node:fs";
import { openSession } from "../../sessions/journal.ts";
import { readSession } from "../../sessions/read-session.ts";
import type { Session } from "../../sessions/session.ts";
import { findSession } from "../../sessions/session-list.ts";
import { applyUndo, type StepResult } from "../../sessions/undo/apply-undo.ts";
import { type PreparedUndo, prepareUndo } from "../../sessions/undo/prepare-undo.ts";
import { createUndoRecorder, type UndoRecorder } from "../../sessions/undo/undo-recorder.ts";
import { changedSomething, turnToUndo, type UndoTurn, undoTurns } from "../../sessions/undo/undo-turns.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasPerson } from "../print/answer-in-terminal.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { confirm } from "../sessions/confirm.ts";
import { listOf, outcomeOf, plannedRows, previewOf, turnJson, undoJson } from "../undo/preview.ts";

/** `ralph undo [TURN]`: shows what taking a turn back would do, and does it after a yes. `--list` shows the turns. */
export async function undo(context: RunContext): Promise<number> {
  const [word] = context.arguments.words;
  const number = word === undefined ? undefined : Number(word);
  if (number !== undefined && !(Number.isInteger(number) && number >= 1))
    return refuse(context, `"${word}" is no turn. Give its number; see: ralph undo --list`, EXIT.usage);
  const wanted = flagText(context, "resume");
  const found = await findSession({
    places: context.paths,
    cwd: context.cwd,
    ...(wanted === undefined ? {} : { id: wanted }),
  });
  if (!found.ok) return refuse(context, found.message, EXIT.usage);
  return hasFlag(context, "list") ? list(context, found.path) : undoIn(context, found.path, number);
}

/** Needs no lock, so it works while the session is open elsewhere. */
async function list(context: RunContext, path: string): Promise<number> {
  const read = await readSession(path, context.paths.blobs);
  if (!read.ok) return refuse(context, read.message, EXIT.failed);
  const turns = undoTurns(read.entries);
  const shown = turns.filter(changedSomething);
  if (hasFlag(context, "json")) print(`${JSON.stringify(shown.map((turn) => turnJson(turn, turns)))}\n`);
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
    const recorder = createUndoRecorder({ session, blobs: places.blobs, root, environment, clock });
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
  const turn = number === undefined ? turnToUndo(turns) : turns[number - 1];
  if (turn === undefined) {
    if (number === undefined) return refuse(context, "There is nothing to undo in this session.", EXIT.failed);
    return refuse(context, `This session has no turn ${number}; see: ralph undo --list`, EXIT.usage);
  }
  if (!changedSomething(turn)) return refuse(context, `Turn ${turn.number} changed no file.`, EXIT.failed);
  const prepared = await prepareUndo(turn, { root, blobs: context.paths.blobs });
  const answer = await mayUndo(undoing, prepared, turns);
  if (answer !== "yes") return answer;
  const result = await applyUndo(prepared, { ...undoing, blobs: context.paths.blobs });
  if (!result.ok) return refuse(context, `Nothing was undone: ${result.message}`, EXIT.failed);
  tell(undoing, turn, result.results);
  return result.results.every(isDone) && turn.problems.length === 0 ? EXIT.done : EXIT.failed;
}

/** The exit code where it may not, or where there is nothing to do. */
async function mayUndo(
  { context, session }: Undoing,
  prepared: PreparedUndo,
  turns: readonly UndoTurn[],
): Promise<"yes" | number> {
  const rows = plannedRows(prepared);
  const isJson = hasFlag(context, "json");
  const hasWork = rows.some(({ step, beside }) => isWork(step.type) || beside !== undefined);
  if (hasWork && hasFlag(context, "yes")) return "yes";
  if (isJson)
    print(`${JSON.stringify(undoJson(prepared.turn, rows, { applied: false, sessionId: session.header.id }))}\n`);
  else print(previewOf(prepared, turns));
  if (!hasWork) return rows.length === 0 && prepared.turn.problems.length === 0 ? EXIT.done : EXIT.failed;
  if (isJson || !hasPerson())
    return refuse(context, "Nothing was changed: nobody can be asked here. Restore with --yes.", EXIT.usage);
  return (await confirm("Undo this turn?")) ? "yes" : refuse(context, "Nothing was changed.", EXIT.failed);
}

function isWork(type: StepResult["step"]["type"]): boolean {
  return type !== "conflict" && type !== "not-undoable";
}

/** A folder that other files are in stays, and nothing is missing. */
function isDone({ step, left }: StepResult): boolean {
  if (step.type === "remove" && step.now.type === "directory") return true;
  return left === undefined && isWork(step.type);
}

function tell({ context, session }: Undoing, turn: UndoTurn, results: readonly StepResult[]): void {
  const turns = undoTurns(session.entries);
  if (hasFlag(context, "json")) {
    print(`${JSON.stringify(undoJson(turn, results, { applied: true, sessionId: session.header.id }))}\n`);
    return;
  }
  print(`${outcomeOf(turn, results, turns)}To take this back: ralph undo ${turns.at(-1)?.number}\n`);
}

function refuse({ note }: RunContext, message: string, code: number): number {
  note(message);
  return code;
}
