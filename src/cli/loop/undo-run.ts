import { join } from "node:path";
import { findRepository } from "../../loop/git/repository.ts";
import { planUndo, undoRun as takeBack, type UndoRequest } from "../../loop/git/undo.ts";
import { ownFiles } from "../../loop/run/own-files.ts";
import { foldJournal, type LoopState } from "../../loop/state/fold-journal.ts";
import { loopFolder } from "../../loop/state/loop-folder.ts";
import { journalPath, readEntries } from "../../loop/state/loop-journal.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import type { RunOptions } from "./run-options.ts";
import { type AskedTask, readAskedTask } from "./run-request.ts";

/** `ralph run --undo`: shows what the last run of a task changed, and takes it back. */
export async function undoRun(context: RunContext, options: RunOptions): Promise<number> {
  const asked = readAskedTask(context, options);
  const folder = loopFolder(context.paths.loops, asked.task);
  const read = await readEntries(journalPath(folder));
  const state = read.ok ? foldJournal(read.entries) : undefined;
  if (state?.run?.tag === undefined)
    return refuse(context, `No run of ${asked.task.name} is known that could be taken back.`);
  const found = await findRepository({
    directory: state.run.worktree ?? asked.root,
    environment: context.environment,
    scratch: join(folder, "scratch"),
  });
  if (!found.ok) return refuse(context, found.message);
  const request = undoRequest(asked, state, state.run.tag);
  const plan = await planUndo(found.repository, request);
  if (plan.type !== "ready") return refuse(context, plan.message);
  print(`${plan.commits.map(({ commit, subject }) => `- ${commit.slice(0, 9)} ${subject}`).join("\n")}\n`);
  print(`${plan.files.map((file) => `  ${file}`).join("\n")}\n`);
  if (!hasFlag(context, "yes") && !(await isWanted()))
    return refuse(context, "Nothing was changed. Say --yes to take it back.");
  const done = await takeBack(found.repository, request);
  if (done.type !== "ready") return refuse(context, done.message);
  print(`${asked.task.name} is back at ${done.to.slice(0, 9)}.\n`);
  return EXIT.done;
}

function undoRequest({ task, root, document }: AskedTask, { run, passed }: LoopState, tag: string): UndoRequest {
  return {
    tag,
    branch: run?.branch,
    ofRun: [...passed.values()].flatMap(({ commit }) => commit ?? []),
    exclude: ownFiles(task, root, document !== undefined).inRoot,
    ...(run?.cameFrom !== undefined && { returnTo: run.cameFrom }),
  };
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
