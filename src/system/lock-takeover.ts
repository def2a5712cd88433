import { link, readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "./file-failure.ts";
import { type FoundLock, isAbandoned, type LockRecord, readLock } from "./lock-record.ts";

// Two takers must not both replace the same dead holder. So a taker first claims the succession of that holder's token with a
// file that only one can create, and then looks again whether the token still stands in the lock file: tokens are never used
// twice, so if it does, nobody but the claimer may replace it. A taker that dies in between is succeeded in the same way.

export type Attempt =
  | { type: "acquired"; isInherited: boolean }
  | { type: "held"; record: LockRecord }
  | { type: "changing"; record?: LockRecord };

/**
 * Puts `temporary` in the place of a lock that was found abandoned. What was found may be out of date by now: then nothing
 * is changed.
 */
export async function takeOver(path: string, temporary: string, abandoned: FoundLock): Promise<Attempt> {
  const claim = await claimSuccession(path, temporary, abandoned);
  if (typeof claim !== "string") return claim;
  try {
    const now = await readLock(path);
    if (now?.token !== abandoned.token) return { type: "changing", record: now?.record };
    await rename(temporary, path);
    await removeLockRemains(path);
    return { type: "acquired", isInherited: true };
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

/** Whether `to` is now another name of `from`; false when there was something of that name. */
export async function createLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Only the holder may do this: while it lives, no claim on an earlier token can lead anywhere. */
export async function removeLockRemains(path: string): Promise<void> {
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
