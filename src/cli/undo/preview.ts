import type { StepResult } from "../../sessions/undo/apply-undo.ts";
import type { PreparedUndo } from "../../sessions/undo/prepare-undo.ts";
import type { UndoStep } from "../../sessions/undo/undo-plan.ts";
import { brokenOffUndos, changedFiles, isUndone, type UndoTurn } from "../../sessions/undo/undo-turns.ts";
import { inOneLine } from "../printable.ts";
import { titleOf } from "./list.ts";

// What taking a turn back does, in words and as JSON.

type Tense = "would" | "did";

const WORDS: Record<UndoStep["type"], string> = {
  restore: "restored",
  remove: "removed",
  recreate: "recreated",
  merge: "merged",
  conflict: "conflict",
  "not-undoable": "not undoable",
  uncertain: "uncertain",
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

/** File names, and what they are in, cannot begin a line of their own. */
function report(turn: UndoTurn, { turns, rows, tense }: Report): string {
  const isRepeated = tense === "would" && !isUndone(turns, turn) && brokenOffUndos(turns, turn).length > 0;
  const lines = [
    titleOf(turn, turns),
    ...(isRepeated ? ["  An undo of this turn broke off; this finishes it."] : []),
    ...rows.map((row) => `  ${wordOf(row).padEnd(13)} ${row.step.path}${remarkOn(row, tense)}`),
    ...(rows.length === 0 ? [`  ${nothingToDo(turn)}`] : []),
    ...turn.problems.map((text) => `  ${text}`),
    ...(rows.some((row) => mayBeOwn(turn, row)) ? ["  With --uncertain that is undone as well."] : []),
    ...(turn.snapshot?.type === "git" ? ["  Files git ignores are not covered for shell commands."] : []),
  ];
  return `${lines.map(inOneLine).join("\n")}\n`;
}

function nothingToDo(turn: UndoTurn): string {
  if (turn.problems.length === 0) return "Every file already is as it was before this turn.";
  return changedFiles(turn).length === 0
    ? "Nothing this turn did can be undone."
    : "The files that were kept already are as they were before this turn.";
}

/** Whether it stays because a person may have changed it after Ralph was stopped. */
function mayBeOwn({ files }: UndoTurn, { step }: StepResult): boolean {
  if (step.type === "uncertain") return true;
  return step.type === "conflict" && files.get(step.path)?.uncertainAfter !== undefined;
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
    case "uncertain":
      return `: ${step.why}`;
    default:
      return "";
  }
}

function besideOf({ beside }: PreparedUndo, { path }: UndoStep): { beside?: string } {
  const name = beside.get(path);
  return name === undefined ? {} : { beside: name };
}

export interface UndoFacts {
  applied: boolean;
  sessionId: string;
  /** Whether an undo that was applied went through all files. */
  isComplete?: boolean;
}

export function undoJson(turn: UndoTurn, rows: readonly StepResult[], facts: UndoFacts): Record<string, unknown> {
  const actions = rows.map(({ step, left, beside }) => ({
    path: step.path,
    action: step.type,
    ...("why" in step && { why: step.why }),
    ...(left !== undefined && { left }),
    ...(beside !== undefined && { beside }),
  }));
  return {
    session: facts.sessionId,
    turn: turn.number,
    prompt: turn.title,
    applied: facts.applied,
    ...(facts.isComplete === false && { unfinished: true }),
    actions,
    problems: turn.problems,
  };
}

export function plannedRows(prepared: PreparedUndo): StepResult[] {
  return prepared.steps.map((step) => ({ step, ...besideOf(prepared, step) }));
}
