import { join } from "node:path";
import type { UndoPlan } from "../../loop/git/undo.ts";
import { planTakeBack } from "../../loop/run/take-back.ts";
import { lockTask } from "../../loop/run/task-lock.ts";
import { loopFolder } from "../../loop/state/loop-folder.ts";
import { openJournal } from "../../loop/state/loop-journal.ts";
import { ensureDirectory } from "../../system/files.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import type { RunOptions } from "./run-options.ts";
import { type AskedTask, readAskedTask } from "./run-request.ts";

/** `ralph run --undo`: shows what the last run of a task changed, and takes it back. */
export async function undoRun(context: RunContext, options: RunOptions): Promise<number> {
  const asked = readAskedTask(context, options);
  const folder = loopFolder(context.paths.loops, asked.task);
  const made = await ensureDirectory(folder, 0o700);
  if (!made.ok) return refuse(context, made.message);
  const { name } = asked.task;
  const locked = await lockTask(join(folder, "lock"), `ralph run --undo ${name}`);
  if (!locked.ok)
    return refuse(
      context,
      locked.holder ? `A loop works on ${name}. End it first: ralph stop ${name}` : locked.message,
    );
  try {
    return await undoLocked(context, asked, folder);
  } finally {
    await locked.lock.release();
  }
}

async function undoLocked(context: RunContext, { task, document, root }: AskedTask, folder: string): Promise<number> {
  const { environment, clock } = context;
  const opened = await openJournal({ folder, clock, onEntry: () => undefined });
  if (!opened.ok) return refuse(context, opened.message);
  const { journal } = opened;
  try {
    const planned = await planTakeBack({ task, document, root, folder, journal, environment });
    if (!planned.ok) return refuse(context, planned.message);
    const { plan, go } = planned.takeBack;
    if (plan.type !== "ready") return refuse(context, plan.message);
    show(plan);
    if (!hasFlag(context, "yes") && !(await isWanted()))
      return refuse(context, "Nothing was changed. Say --yes to take it back.");
    const done = await go();
    if (!done.ok) return refuse(context, done.message);
    print(`${task.name} is back at ${plan.to.slice(0, 9)}.\n`);
    for (const note of done.notes) context.note(note);
    return EXIT.done;
  } finally {
    await journal.close();
  }
}

const MOST_SHOWN = 100;

function show({ commits, files }: Extract<UndoPlan, { type: "ready" }>): void {
  const lines = [
    ...commits.map(({ commit, subject }) => `- ${commit.slice(0, 9)} ${subject}`),
    ...files.slice(0, MOST_SHOWN).map((file) => `  ${file}`),
    ...(files.length > MOST_SHOWN ? [`  and ${files.length - MOST_SHOWN} files more`] : []),
  ];
  if (lines.length > 0) print(`${lines.join("\n")}\n`);
}

async function isWanted(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question("Take this back? [y/N] ");
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

function refuse({ note }: RunContext, message: string): number {
  note(message);
  return EXIT.failed;
}
