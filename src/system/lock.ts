import { unlink, writeFile } from "node:fs/promises";
import { systemClock } from "./clock.ts";
import { type FileFailure, fileFailure } from "./file-failure.ts";
import { isAbandoned, type LockRecord, newRecord, readLock } from "./lock-record.ts";
import { type Attempt, createLink, takeOver } from "./lock-takeover.ts";

// An advisory lock: a file that says who holds it. It appears complete or not at all (a hard link), and a holder that died is
// replaced in one step (a rename).

export interface LockOptions {
  /** What the holder is, for the message others see: "ralph run checkout". */
  owner: string;
  /** How long to wait for a living holder. Default: not at all. */
  waitMs?: number;
  signal?: AbortSignal;
}

export interface LockHolder {
  pid: number;
  owner: string;
  host: string;
  /** When it took the lock; wall clock, milliseconds. */
  startedAt: number;
}

export type LockResult =
  /** `isInherited`: the one who held it before died without giving it back. */
  | { ok: true; isInherited: boolean; release(): Promise<void> }
  | { ok: false; reason: "held"; holder: LockHolder; message: string }
  | FileFailure;

/** A taker needs a few calls to the system; one that takes longer counts as the holder. */
const TAKEOVER_LIMIT_MS = 500;
const LONGEST_PAUSE_MS = 50;

export async function acquireLock(path: string, { owner, waitMs = 0, signal }: LockOptions): Promise<LockResult> {
  const record = newRecord(owner);
  const temporary = `${path}.${record.token}.tmp`;
  const start = systemClock.monotonic();
  try {
    await writeFile(temporary, JSON.stringify(record), { flag: "wx", mode: 0o600 });
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const attempt = await attemptLock(path, temporary);
      if (attempt.type === "acquired")
        return { ok: true, isInherited: attempt.isInherited, release: () => release(path, record.token) };
      const limit = attempt.type === "held" ? waitMs : Math.max(waitMs, TAKEOVER_LIMIT_MS);
      const left = limit - (systemClock.monotonic() - start);
      if (left <= 0 || signal?.aborted) return held(path, attempt.record);
      await systemClock.sleep(Math.min(left, pause * (0.5 + Math.random())), signal);
    }
  } catch (error) {
    return fileFailure(path, error, "locked");
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

async function attemptLock(path: string, temporary: string): Promise<Attempt> {
  if (await createLink(temporary, path)) return { type: "acquired", isInherited: false };
  const current = await readLock(path);
  if (current === undefined) return { type: "changing" };
  if (current.record !== undefined && !isAbandoned(current)) return { type: "held", record: current.record };
  return takeOver(path, temporary, current);
}

async function release(path: string, token: string): Promise<void> {
  const current = await readLock(path).catch(() => undefined);
  if (current?.token === token) await unlink(path).catch(() => undefined);
}

function held(path: string, record: LockRecord | undefined): LockResult {
  if (record === undefined) {
    return { ok: false, reason: "failed", message: `${path} could not be locked: it kept changing hands. Try again.` };
  }
  const { pid, owner, host, acquiredAt } = record;
  return {
    ok: false,
    reason: "held",
    holder: { pid, owner, host, startedAt: acquiredAt },
    message: `${path} is held by ${owner} (process ${pid} on ${host}). Wait until it is done, or end that process.`,
  };
}
