import type { RegisteredLoop } from "../../loop/state/registry.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { inOneLine, printableJson } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { aligned, columnsOf, cut, cutStart } from "../sessions/columns.ts";
import { ago, exactly } from "../sessions/wording.ts";
import { findLoop, listLoops } from "./find-loop.ts";

/** `ralph status [TASK]`: the loops of this user, or one of them. */
export async function status(context: RunContext): Promise<number> {
  const [word] = context.arguments.words;
  if (word !== undefined) return one(context, word);
  const { loops, problem } = await listLoops(context);
  if (problem !== undefined) {
    context.note(problem);
    return EXIT.failed;
  }
  if (hasFlag(context, "json")) for (const loop of loops) print(printableJson(jsonOf(loop)));
  else print(loops.length === 0 ? "There are no loops yet. Start one: ralph run TASK-FOLDER\n" : table(context, loops));
  return EXIT.done;
}

async function one(context: RunContext, word: string): Promise<number> {
  const found = await findLoop(context, word);
  if (!found.ok) {
    context.note(found.message);
    return EXIT.usage;
  }
  const { row, name, folder } = found.loop;
  if (row === undefined) {
    context.note(`The registry does not know ${name}. What it wrote down is in ${folder}.`);
    return EXIT.failed;
  }
  print(hasFlag(context, "json") ? printableJson(jsonOf(row)) : details(row));
  return EXIT.done;
}

/** The names of the control protocol, and ours beside them. */
function jsonOf(loop: RegisteredLoop): Record<string, unknown> {
  return {
    task_name: loop.taskName,
    task_dir: loop.taskDirectory,
    pid: loop.pid,
    agent: loop.agent,
    status: loop.status,
    started_at: new Date(loop.startedAt).toISOString(),
    updated_at: new Date(loop.updatedAt).toISOString(),
    iteration: loop.iteration,
    max_iterations: loop.maxIterations,
    current_story: loop.currentStory ?? "",
    verdict: loop.verdict,
    reason: loop.reason,
    socket: loop.socket,
    folder: loop.folder,
  };
}

const FEWEST_DIRECTORY_COLUMNS = 12;
/** The column of iterations. */
const RIGHT = new Set([2]);

function table(context: RunContext, loops: readonly RegisteredLoop[]): string {
  const width = columnsOf(context.environment);
  const now = context.clock.now();
  const rows = aligned(
    loops.map((loop) => [
      cut(inOneLine(loop.taskName), Math.max(8, width - 40)),
      loop.verdict ?? loop.status,
      `${loop.iteration}/${loop.maxIterations}`,
      inOneLine(loop.currentStory ?? ""),
      ago(loop.updatedAt, now),
    ]),
    RIGHT,
  );
  return rows.map((row, index) => `${line(row, loops[index]?.taskDirectory ?? "", width)}\n`).join("");
}

/** With little room the folder is left out. */
function line(row: readonly string[], directory: string, width: number): string {
  const start = row.join("  ").trimEnd();
  const room = width - Bun.stringWidth(start) - 2;
  if (room < FEWEST_DIRECTORY_COLUMNS) return cut(start, width);
  return `${start}  ${cutStart(inOneLine(directory), room)}`;
}

function details(loop: RegisteredLoop): string {
  const facts: [string, string | undefined][] = [
    ["task", `${loop.taskName} (${loop.taskDirectory})`],
    ["status", loop.verdict === undefined ? loop.status : `${loop.status}: ${loop.verdict}`],
    ["reason", loop.reason],
    ["iteration", `${loop.iteration} of ${loop.maxIterations}`],
    ["story", loop.currentStory],
    ["agent", loop.agent],
    ["process", loop.status === "running" ? String(loop.pid) : undefined],
    ["started", exactly(loop.startedAt)],
    ["updated", exactly(loop.updatedAt)],
    ["kept in", loop.folder],
  ];
  return facts.map(([name, value]) => (value ? `${name.padEnd(10)} ${inOneLine(value)}\n` : "")).join("");
}
