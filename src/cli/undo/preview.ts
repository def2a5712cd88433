import type { StepResult } from "../../sessions/undo/apply-undo.ts";
import type { PreparedUndo } from "../../sessions/undo/prepare-undo.ts";
import type { UndoStep } from "../../sessions/undo/undo-plan.ts";
import { changedFiles, changedSomething, isUndone, type UndoTurn } from "../../sessions/undo/undo-turns.ts";

// What taking a turn back does, in words and as JSON.

type Tense = "would" | "did";

const WORDS: Record<UndoStep["type"], string> = {
  restore: "restored",
  remove: "removed",
  recreate: "recreated",
  merge: "merged",
  conflict: "conflict",
  "not-undoable": "not undoable",
};

/** Before: what would be done. */
export function previewOf(prepared: PreparedUndo, turns: readonly UndoTurn[]): string {
  return report(prepared.turn, { turns, rows: plannedRows(prepared), tense: "would" });
}

/** After: what was done. */
export function outcomeOf(turn: UndoTurn, results: readonly StepResult[], turns: readonly UndoTurn[]): string {
  return report(turn, { turns, rows: results, tense: "did" });
}

interface Report {
  turns: readonly UndoTurn[];
  rows: readonly StepResult[];
  tense: Tense;
}

function report(turn: UndoTurn, { turns, rows, tense }: Report): string {
  const lines = rows.map((row) => `  ${wordOf(row).padEnd(13)} ${row.step.path}${remarkOn(row, tense)}`);
  const none = rows.length === 0 ? ["  Every file already is as it was before this turn."] : [];
  const hint = turn.snapshot?.type === "git" ? ["  Files git ignores are not covered for shell commands."] : [];
  return `${[titleOf(turn, turns), ...lines, ...none, ...turn.problems.map((text) => `  ${text}`), ...hint].join("\n")}\n`;
}

export function titleOf({ number, title, undoes }: UndoTurn, turns: readonly UndoTurn[]): string {
  if (undoes === undefined) return `Turn ${number}: ${title}`;
  const target = turns.find(({ id }) => id === undoes);
  return `Turn ${number}: undo of turn ${target?.number ?? "?"}`;
}

function wordOf({ step, left }: StepResult): string {
  return left === undefined ? WORDS[step.type] : "left alone";
}

function remarkOn({ step, left, beside }: StepResult, tense: Tense): string {
  if (left !== undefined) return `: ${left.replace(/\.$/, "")}`;
  switch (step.type) {
    case "merge":
      return " (later edits stay)";
    case "remove":
      return step.now.type === "directory" ? "/ (if nothing else is in it)" : " (the turn made it)";
    case "conflict": {
      const where = tense === "would" ? "goes to" : "is in";
      return `: ${step.why}; it stays as it is${beside === undefined ? "" : `, the old content ${where} ${beside}`}`;
    }
    case "not-undoable":
      return `: ${step.why}`;
    default:
      return "";
  }
}

function besideOf({ beside }: PreparedUndo, { path }: UndoStep): { beside?: string } {
  const name = beside.get(path);
  return name === undefined ? {} : { beside: name };
}

/** One line per turn that changed something, newest last, with its files below. */
export function listOf(turns: readonly UndoTurn[]): string {
  return turns
    .filter(changedSomething)
    .map((turn) => {
      const files = changedFiles(turn).map(([path]) => path);
      const shown = files.slice(0, SHOWN_FILES).map((path) => `    ${path}\n`);
      const more = files.length > SHOWN_FILES ? [`    … and ${files.length - SHOWN_FILES} more\n`] : [];
      const problems = turn.problems.map((text) => `    ${text}\n`);
      return `${titleOf(turn, turns)}${isUndone(turns, turn) ? " (undone)" : ""}\n${[...shown, ...more, ...problems].join("")}`;
    })
    .join("");
}

const SHOWN_FILES = 10;

export function turnJson(turn: UndoTurn, turns: readonly UndoTurn[]): Record<string, unknown> {
  const { number, title, undoes, problems } = turn;
  const target = turns.find(({ id }) => id === undoes)?.number;
  return {
    turn: number,
    prompt: title,
    ...(target !== undefined && { undoes: target }),
    undone: isUndone(turns, turn),
    files: changedFiles(turn).map(([path]) => path),
    problems,
  };
}

export function undoJson(
  turn: UndoTurn,
  rows: readonly StepResult[],
  { applied, sessionId }: { applied: boolean; sessionId: string },
): Record<string, unknown> {
  const actions = rows.map(({ step, left, beside }) => ({
    path: step.path,
    action: step.type,
    ...("why" in step && { why: step.why }),
    ...(left !== undefined && { left }),
    ...(beside !== undefined && { beside }),
  }));
  return { session: sessionId, turn: turn.number, prompt: turn.title, applied, actions, problems: turn.problems };
}

export function plannedRows(prepared: PreparedUndo): StepResult[] {
  return prepared.steps.map((step) => ({ step, ...besideOf(prepared, step) }));
}
