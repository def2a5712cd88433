import { dirname } from "node:path";
import { ensureDirectory } from "./files.ts";
import { type Migration, type OpenDatabaseResult, openDatabase } from "./sqlite.ts";

// `ralph.db` is one file for everything that several runs of Ralph share. Its tables are made here, in one list, because their
// order is the version of the file; what they mean is known where they are used.

/** New ones go to the end. One that was ever released is never changed. */
const MIGRATIONS: readonly Migration[] = [
  `CREATE TABLE loops (
    folder TEXT PRIMARY KEY,
    task_name TEXT NOT NULL,
    task_dir TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_started TEXT NOT NULL,
    agent TEXT NOT NULL,
    status TEXT NOT NULL,
    verdict TEXT,
    reason TEXT,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    max_iterations INTEGER NOT NULL,
    current_story TEXT,
    socket TEXT
  ) STRICT`,
];

/** Many processes write to it at once; each for a moment, so that waiting is enough. */
const BUSY_MS = 30_000;

export async function openRalphDatabase(path: string): Promise<OpenDatabaseResult> {
  const made = await ensureDirectory(dirname(path), 0o700);
  if (!made.ok) return { ok: false, reason: "cannot-open", message: made.message };
  return openDatabase(path, { migrations: MIGRATIONS, busyMs: BUSY_MS });
}
