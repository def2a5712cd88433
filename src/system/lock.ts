import { link, readdir, rename, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemClock } from "./clock.ts";
import { errorCode, type FileFailure, fileFailure } from "./files.ts";
import { type FoundLock, isAbandoned, type LockRecord, newRecord, readLock } from "./lock-record.ts";

// An advisory lock: a file that says who holds it. It appears complete or not at all (a hard link), and a holder that died is
// replaced in one step (a rename).
//
// Two takers must not both replace the same dead holder. So a taker first claims the succession of that holder's token with a
// file that only one can create, and then looks again whether the token still stands in the lock file: tokens are never used
// twice, so if it does, nobody but the claimer may replace it. A taker that dies in between is succeeded in the same way.

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
  | { ok: true; release(): Promise<void> }
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
      if (attempt.type === "acquired") return { ok: true, release: () => release(path, record.token) };
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

type Attempt = { type: "acquired" } | { type: "held"; record: LockRecord } | { type: "changing"; record?: LockRecord };

async function attemptLock(path: string, temporary: string): Promise<Attempt> {
  if (await createLink(temporary, path)) return { type: "acquired" };
  const current = await readLock(path);
  if (current === undefined) return { type: "changing" };
  if (current.record !== undefined && !isAbandoned(current)) return { type: "held", record: current.record };
  return takeOver(path, temporary, current);
}

async function takeOver(path: string, temporary: string, abandoned: FoundLock): Promise<Attempt> {
  const claim = await claimSuccession(path, temporary, abandoned);
  if (typeof claim !== "string") return claim;
  try {
    const now = await readLock(path);
    if (now?.token !== abandoned.token) return { type: "changing", record: now?.record };
    await rename(temporary, path);
    await removeRemains(path);
    return { type: "acquired" };
  } finally {
    await unlink(claim).catch(() => undefined);
  }
}

/** The path of the claim, once it is ours. A claim whose maker died too is succeeded by a claim on that one's token. */
async function claimSuccession(path: string, temporary: string, abandoned: FoundLock): Promise<string | Attempt> {
  const passed = new Set<string>();
  for (let token = abandoned.token; !passed.has(token); ) {
    passed.add(token);
    const claim = `${path}.claim-${token}`;
    if (await createLink(temporary, claim)) return claim;
    const other = await readLock(claim);
    if (other === undefined || !isAbandoned(other)) return { type: "changing", record: other?.record };
    token = other.token;
  }
  return { type: "changing" };
}

async function createLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Only the new holder may do this: while it lives, no claim on an earlier token can lead anywhere. */
async function removeRemains(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const remains = join(dirname(path), name);
    const isClaim = name.startsWith(`${prefix}claim-`);
    if (isClaim || (/\.[0-9a-f]{24}\.tmp$/.test(name) && (await isAbandonedFile(remains)))) {
      await unlink(remains).catch(() => undefined);
    }
  }
}

async function isAbandonedFile(path: string): Promise<boolean> {
  const found = await readLock(path).catch(() => undefined);
  return found?.record !== undefined && isAbandoned(found);
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
