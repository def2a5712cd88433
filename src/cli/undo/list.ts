import {
  brokenOffUndos,
  changedFiles,
  changedSomething,
  isBrokenOff,
  isUndone,
  type UndoTurn,
} from "../../sessions/undo/undo-turns.ts";
import { inOneLine } from "../printable.ts";

// The turns of a session that changed files, in words and as JSON.

/** Those that changed something, and one of which it is not known yet. */
export function listedTurns(turns: readonly UndoTurn[]): UndoTurn[] {
  return turns.filter((turn) => changedSomething(turn) || !turn.isSettled);
}

/** One line per turn, newest last, with its files below. */
export function listOf(turns: readonly UndoTurn[]): string {
  return listedTurns(turns)
    .map((turn) => {
      const files = filesOf(turn);
      const lines = [
        `${titleOf(turn, turns)}${stateOf(turns, turn)}`,
        ...files.slice(0, SHOWN_FILES).map((path) => `    ${path}`),
        ...(files.length > SHOWN_FILES ? [`    … and ${files.length - SHOWN_FILES} more`] : []),
        ...turn.problems.map((text) => `    ${text}`),
        ...(isOpenShell(turn) ? ["    what shell commands changed is looked for when it is undone"] : []),
      ];
      return lines.map((line) => `${inOneLine(line)}\n`).join("");
    })
    .join("");
}

const SHOWN_FILES = 10;

export function titleOf({ number, title, undoes }: UndoTurn, turns: readonly UndoTurn[]): string {
  if (undoes === undefined) return `Turn ${number}: ${title}`;
  const target = turns.find(({ id }) => id === undoes);
  return `Turn ${number}: undo of turn ${target?.number ?? "?"}`;
}

function stateOf(turns: readonly UndoTurn[], turn: UndoTurn): string {
  if (isUndone(turns, turn)) return " (undone)";
  if (hasBrokenOff(turns, turn)) return " (its undo broke off; repeat it)";
  if (isBrokenOff(turns, turn)) return " (broke off)";
  return turn.isSettled ? "" : " (not settled: Ralph still works on it, or was stopped in it)";
}

function hasBrokenOff(turns: readonly UndoTurn[], turn: UndoTurn): boolean {
  return !isUndone(turns, turn) && brokenOffUndos(turns, turn).length > 0;
}

/** Of a turn that is not settled also the files it was about to change. */
function filesOf(turn: UndoTurn): string[] {
  const changed = new Set(changedFiles(turn).map(([path]) => path));
  const announced = turn.isSettled ? [] : [...turn.files].filter(([, { after }]) => after === undefined);
  return [...new Set([...changed, ...announced.map(([path]) => path)])];
}

function isOpenShell({ isSettled, snapshot }: UndoTurn): boolean {
  return !isSettled && snapshot !== undefined && snapshot.type !== "none";
}

export function turnJson(turn: UndoTurn, turns: readonly UndoTurn[]): Record<string, unknown> {
  const { number, title, undoes, problems } = turn;
  const target = turns.find(({ id }) => id === undoes)?.number;
  return {
    turn: number,
    prompt: title,
    ...(target !== undefined && { undoes: target }),
    undone: isUndone(turns, turn),
    ...(hasBrokenOff(turns, turn) && { undoBrokeOff: true }),
    ...(isBrokenOff(turns, turn) && { brokeOff: true }),
    ...(!turn.isSettled && { settled: false }),
    files: filesOf(turn),
    problems,
  };
}
