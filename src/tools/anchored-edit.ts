import type { EditPlan } from "./edit-plan.ts";
import { anchorProblem, parseAnchor } from "./line-anchors.ts";
import { linesOf, type TextContent } from "./text-content.ts";
import { applyLineEdits, conflictBetween, flatLines, type LineEdit } from "./text-edits.ts";

export const ANCHOR_ACTIONS = ["insert_before", "insert_after", "replace", "delete"] as const;

export interface AnchoredEdit {
  anchor: string;
  end_anchor: string | undefined;
  action: (typeof ANCHOR_ACTIONS)[number];
  content: string | undefined;
}

type Wrong = { ok: false; message: string; isStale?: boolean };
type Read = { ok: true; edit: LineEdit } | Wrong;

/** Every anchor is checked against the lines of now; all problems are told at once. */
export function planAnchoredEdits(content: TextContent, edits: readonly AnchoredEdit[]): EditPlan {
  if (edits.length === 0) return { ok: false, message: "edits is empty: give at least one edit." };
  const lines = linesOf(content.text);
  const read = edits.map((edit) => readEdit(edit, lines));
  const problems = read.flatMap((one, index) => (one.ok ? [] : [`Edit ${index + 1}: ${one.message}`]));
  if (problems.length > 0)
    return {
      ok: false,
      message: `${problems.join("\n")}\nNothing was changed.`,
      isStale: read.some((one) => !one.ok && one.isStale === true),
    };
  const lineEdits = read.flatMap((one) => (one.ok ? [one.edit] : []));
  const conflict = conflictBetween(lineEdits);
  if (conflict !== undefined)
    return { ok: false, message: `Edits ${conflict[0] + 1} and ${conflict[1] + 1} overlap. Make one edit of them.` };
  return { ok: true, raw: applyLineEdits(content, lineEdits), details: { edits_applied: edits.length } };
}

function readEdit({ anchor, end_anchor, action, content }: AnchoredEdit, lines: readonly string[]): Read {
  const isInsert = action === "insert_before" || action === "insert_after";
  if (action === "delete" && content !== undefined && content !== "") return wrong("delete takes no content");
  if (action !== "delete" && content === undefined) return wrong(`${action} needs content`);
  if (isInsert && end_anchor !== undefined) return wrong(`${action} takes no end_anchor`);
  const first = lineOf(anchor, lines);
  if (!first.ok) return first;
  const last = end_anchor === undefined ? first : lineOf(end_anchor, lines);
  if (!last.ok) return last;
  if (last.line < first.line) return wrong("end_anchor is above anchor");
  const inserted = action === "delete" ? [] : contentLines(content ?? "");
  if (isInsert)
    return { ok: true, edit: { at: action === "insert_before" ? first.line - 1 : first.line, removed: 0, inserted } };
  return { ok: true, edit: { at: first.line - 1, removed: last.line - first.line + 1, inserted } };
}

function lineOf(given: string, lines: readonly string[]): { ok: true; line: number } | Wrong {
  const anchor = parseAnchor(given);
  if (anchor === undefined)
    return wrong(`"${given.slice(0, 40)}" is no anchor; it has the form LINE:hh as read_file shows it`);
  const problem = anchorProblem(anchor, lines);
  return problem === undefined ? { ok: true, line: anchor.line } : { ...wrong(problem), isStale: true };
}

/** One final newline is the end of the last line, not a line of its own. */
function contentLines(content: string): string[] {
  return content === "" ? [""] : flatLines([content]);
}

function wrong(message: string): Wrong {
  return { ok: false, message };
}
