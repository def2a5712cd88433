import { realpathSync } from "node:fs";
import type { Outcome } from "../../../interactive/services.ts";
import type { Session } from "../../../sessions/session.ts";
import type { RunContext } from "../../run-context.ts";

/** What taking a turn back would do, or what it did. The session is the one that is open here. */
export async function undoTurn(
  context: RunContext,
  session: Session,
  { turn: named, apply }: { turn: string | undefined; apply: boolean },
): Promise<Outcome> {
  const { changedSomething, turnToUndo, undoTurns } = await import("../../../sessions/undo/undo-turns.ts");
  const { prepareUndo } = await import("../../../sessions/undo/prepare-undo.ts");
  const { previewOf, plannedRows } = await import("../../undo/preview.ts");
  if (session.path === undefined) return refused("This session is not kept, so nothing of it can be undone.");
  if (named !== undefined && !/^[1-9]\d{0,8}$/.test(named)) return refused(`"${named}" is no turn. Give its number.`);
  const turns = undoTurns(session.entries);
  const turn = named === undefined ? turnToUndo(turns, {}) : turns[Number(named) - 1];
  if (turn === undefined) return refused("There is nothing to undo in this session.");
  if (!changedSomething(turn)) return refused(`Turn ${turn.number} changed no file.`);
  const places = { root: realpathSync(session.header.cwd), blobs: context.paths.blobs };
  const prepared = await prepareUndo(turn, places);
  if (apply) return applied(context, session, prepared);
  const text = previewOf(prepared, turns).trimEnd();
  return plannedRows(prepared).length === 0 ? refused(text) : { ok: true, text };
}

type Prepared = Awaited<ReturnType<typeof import("../../../sessions/undo/prepare-undo.ts").prepareUndo>>;

async function applied(context: RunContext, session: Session, prepared: Prepared): Promise<Outcome> {
  const { applyUndo } = await import("../../../sessions/undo/apply-undo.ts");
  const { createUndoRecorder } = await import("../../../sessions/undo/undo-recorder.ts");
  const { undoTurns } = await import("../../../sessions/undo/undo-turns.ts");
  const { HELD_NAMES: placeholders } = await import("../../../permissions/sandbox/sandbox-rows.ts");
  const { outcomeOf } = await import("../../undo/preview.ts");
  const { environment, clock, paths } = context;
  const places = { root: realpathSync(session.header.cwd), blobs: paths.blobs };
  const recorder = createUndoRecorder({ ...places, session, environment, clock, placeholders });
  const result = await applyUndo(prepared, { ...places, session, recorder });
  if (!result.ok) return refused(`Nothing was undone: ${result.message}`);
  const report = outcomeOf(prepared.turn, result.results, undoTurns(session.entries)).trimEnd();
  const end = result.isComplete ? "" : `\n${result.problem ?? "It is not finished: repeat it."}`;
  return { ok: true, text: `\`\`\`\n${report}${end}\n\`\`\`` };
}

function refused(message: string): Outcome {
  return { ok: false, message };
}
