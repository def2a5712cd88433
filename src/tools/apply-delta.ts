import type { Tool } from "../protocol/tool-runs.ts";
import description from "./apply-delta.md" with { type: "text" };
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput } from "./define-tool.ts";
import { runEdit } from "./edit-core.ts";
import type { EditPlan } from "./edit-plan.ts";
import { flag, type InputOf, integer, listOf, named, objectOf, oneOf, optional, text } from "./input-fields.ts";
import { linesOf, type TextContent, withPlainNewlines } from "./text-content.ts";
import { applyLineEdits, conflictBetween, flatLines, type LineEdit } from "./text-edits.ts";
import type { ToolWorld } from "./tool-world.ts";

const MAXIMUM_OPERATIONS = 1000;
const MAXIMUM_LINES = 200_000;
const LINES_SHOWN = 5;

const OPERATION = {
  type: oneOf(["insert", "delete", "replace"], ""),
  start_line: integer("From 1", { minimum: 1 }),
  end_line: optional(integer("Inclusive", { minimum: 1 })),
  content: optional(listOf(text(""), "New lines", MAXIMUM_LINES)),
  expected: optional(listOf(text(""), "Lines that must stand there", MAXIMUM_LINES)),
};
type Operation = InputOf<typeof OPERATION>;

export function applyDeltaTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "apply_delta",
    description,
    isReadOnly: false,
    fields: {
      path: named(text("File"), "file_path"),
      operations: listOf(objectOf(OPERATION, ""), "", MAXIMUM_OPERATIONS),
      create_backup: optional(flag("Default true")),
    },
    paths: ({ path }) => [{ path, access: ["read", "write"] }],
    summary: ([shown], { operations }) => `Edit ${shown} (${operations.length} operations)`,
    async run({ input, paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      return runEdit(world, {
        place,
        hasBackup: input.create_backup ?? true,
        needsSeenContent: true,
        words: input.operations.flatMap(({ content }) => content ?? []),
        plan: (content) => planOperations(content, input.operations),
      });
    },
  });
}

function planOperations(content: TextContent, operations: readonly Operation[]): EditPlan {
  if (operations.length === 0) return { ok: false, message: "operations is empty: give at least one operation." };
  const lines = linesOf(content.text);
  const problems = operations.flatMap((operation, index) => {
    const problem = problemOf(operation, lines);
    return problem === undefined ? [] : [`Operation ${index + 1}: ${problem}`];
  });
  if (problems.length > 0) return { ok: false, message: `${problems.join("\n")}\nNothing was changed.` };
  const edits = operations.map(lineEditOf);
  const conflict = conflictBetween(edits);
  if (conflict !== undefined)
    return { ok: false, message: `Operations ${conflict[0] + 1} and ${conflict[1] + 1} overlap. Make one of them.` };
  const raw = applyLineEdits(content, edits);
  const newLineCount = linesOf(withPlainNewlines(raw)).length;
  return { ok: true, raw, details: { operations_applied: operations.length, new_line_count: newLineCount } };
}

function problemOf(operation: Operation, lines: readonly string[]): string | undefined {
  const { type, start_line, end_line = start_line, content, expected } = operation;
  if (type !== "delete" && content === undefined) return `${type} needs content, a list of lines`;
  if (type === "insert") {
    if (expected !== undefined) return "insert takes no expected lines";
    return start_line <= lines.length + 1
      ? undefined
      : `line ${start_line} is past the end: the file has ${lines.length} lines`;
  }
  if (end_line < start_line) return `end_line ${end_line} is before start_line ${start_line}`;
  if (end_line > lines.length) return `line ${end_line} is past the end: the file has ${lines.length} lines`;
  return expected === undefined ? undefined : mismatch(lines.slice(start_line - 1, end_line), expected, start_line);
}

function mismatch(actual: readonly string[], expected: readonly string[], start: number): string | undefined {
  const wanted = expected.map((line) => line.replace(/\r?\n?$/, ""));
  if (actual.length === wanted.length && actual.every((line, index) => line === wanted[index])) return undefined;
  const show = (lines: readonly string[]) =>
    lines
      .slice(0, LINES_SHOWN)
      .map((line) => `  ${line.slice(0, 200)}`)
      .join("\n");
  return `the lines from ${start} on are not the expected ones.\nExpected:\n${show(wanted)}\nActual:\n${show(actual)}`;
}

function lineEditOf({ type, start_line, end_line, content }: Operation): LineEdit {
  const removed = type === "insert" ? 0 : (end_line ?? start_line) - start_line + 1;
  return { at: start_line - 1, removed, inserted: type === "delete" ? [] : flatLines(content ?? []) };
}
