import type { Cheat } from "../../protocol/loop-entries.ts";
import { ensureDirectory } from "../../system/files.ts";
import { iterationsFolder } from "../state/loop-folder.ts";
import type { TaskEdit } from "../tasks/compare-task.ts";
import { parseTask } from "../tasks/read-task.ts";
import { restoreTask } from "../tasks/write-task.ts";
import { readStoredTask, storeBefore, storeTask } from "./before-state.ts";
import type { LiveRun } from "./live-run.ts";
import { WorkspaceFailure } from "./read-state.ts";

/** Puts back what an agent did to the task's verdicts and checks and to the loop's own files, and names it. */
export async function restoreHarness(run: LiveRun): Promise<Cheat[]> {
  return [...(await restoreControl(run)), ...(await restoreFile(run))];
}

async function restoreControl({ journal, lock, folder, runFolder, before, trusted }: LiveRun): Promise<Cheat[]> {
  const lost = await lock.keep();
  if (lost !== undefined) throw new WorkspaceFailure(lost);
  const wasTouched = await journal.repair();
  const text = trusted.document?.text;
  const isTaskGone = text !== undefined && readStoredTask(runFolder) !== text;
  if (!wasTouched && !isTaskGone) return [];
  await ensureDirectory(iterationsFolder(folder), 0o700);
  await storeBefore(runFolder, before);
  if (text !== undefined) await storeTask(runFolder, text);
  return [
    { kind: "control-files-touched", detail: "The loop's own files were changed or removed; they are written anew." },
  ];
}

async function restoreFile(run: LiveRun): Promise<Cheat[]> {
  const { trusted, runFolder, own } = run;
  if (own.prd === undefined || trusted.document === undefined) return [];
  const restored = await restoreTask(trusted.task, trusted.document);
  if (!restored.ok) return [{ kind: "control-files-touched", detail: restored.message }];
  const parsed = parseTask(restored.document.text, trusted.task);
  run.trusted = { task: parsed.ok ? parsed.task : trusted.task, document: restored.document };
  if (restored.document.text !== trusted.document.text) await storeTask(runFolder, restored.document.text);
  return restored.edits.flatMap(cheatOf);
}

function cheatOf({ kind, message }: TaskEdit): Cheat[] {
  switch (kind) {
    case "verdict":
      return [{ kind: "verdict-edited", detail: `In prd.json ${message}; it is put back.` }];
    case "checks":
      return [{ kind: "checks-edited", detail: `In prd.json ${message}; it is put back.` }];
    case "control":
      return [{ kind: "control-files-touched", detail: `In prd.json ${message}; it is put back.` }];
    case "other":
      return [];
  }
}
