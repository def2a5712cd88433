import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ensureDirectory } from "../../system/files.ts";
import { acquireLock, type LockHolder } from "../../system/lock.ts";

/** One loop a task. */
export interface TaskLock {
  /** Takes it again where its file was removed. A message where another loop was faster. */
  keep(): Promise<string | undefined>;
  release(): Promise<void>;
}

export type TaskLockResult = { ok: true; lock: TaskLock } | { ok: false; holder?: LockHolder; message: string };

export async function lockTask(path: string, owner: string): Promise<TaskLockResult> {
  const first = await acquireLock(path, { owner });
  if (!first.ok) return first;
  let { release } = first;
  return {
    ok: true,
    lock: {
      async keep() {
        if (existsSync(path)) return undefined;
        await ensureDirectory(dirname(path), 0o700);
        const again = await acquireLock(path, { owner });
        if (!again.ok) return again.message;
        release = again.release;
        return undefined;
      },
      release: () => release(),
    },
  };
}
