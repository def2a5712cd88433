import { join } from "node:path";
import { ensureDirectory, type WriteFileResult, writeFileAtomic } from "../../system/files.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { PathState, WorkspaceState } from "../git/workspace-state.ts";

// What a run has to know again after a kill, besides its journal: the person's uncommitted work when it began, and the task as the
// harness last wrote it.

interface StoredState {
  base?: string;
  head: { branch?: string; commit?: string };
  entries: [string, PathState][];
}

const MAX_BYTES = 64_000_000;

export async function storeBefore(folder: string, state: WorkspaceState): Promise<WriteFileResult> {
  const made = await ensureDirectory(folder, 0o700);
  if (!made.ok) return made;
  const stored = { base: state.base, head: state.head, entries: [...state.entries] };
  return writeFileAtomic(beforeFile(folder), JSON.stringify(stored), { mode: 0o600 });
}

/** Written and read by this file alone; a kill cannot tear it. */
export function readBefore(folder: string): WorkspaceState | undefined {
  const file = readTextFile(beforeFile(folder), { maxBytes: MAX_BYTES });
  if (!file.ok) return undefined;
  const stored = JSON.parse(file.text) as StoredState;
  const head = { branch: stored.head.branch, commit: stored.head.commit };
  return { base: stored.base, head, entries: new Map(stored.entries) };
}

export function storeTask(folder: string, text: string): Promise<WriteFileResult> {
  return writeFileAtomic(taskFile(folder), text, { mode: 0o600 });
}

export function readStoredTask(folder: string): string | undefined {
  const file = readTextFile(taskFile(folder), { maxBytes: MAX_BYTES });
  return file.ok ? file.text : undefined;
}

function beforeFile(folder: string): string {
  return join(folder, "before.json");
}

function taskFile(folder: string): string {
  return join(folder, "task.json");
}
