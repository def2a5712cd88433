import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../system/clock.ts";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { acquireLock } from "../../system/lock.ts";
import { findProcess } from "../../system/process-table.ts";
import { isGitFolder } from "./git-folders.ts";
import { HELD_IN_HOME, HELD_NAMES } from "./sandbox-rows.ts";

// A mount needs something to stand on, so a name that must not be made is held by an empty folder while commands run. Git shows
// no empty folders. Who removes such a folder takes the mounts of all others with it: it goes when nobody holds it any more.
// What a killed Ralph left is written down and removed by the next one.

export interface HeldNames {
  /** Holds what is missing of these names until it is let go. */
  hold(paths: readonly string[]): Promise<HoldResult>;
  /** Removes what processes left that are gone. */
  removeAbandoned(): Promise<void>;
  /** Lets go of everything. */
  close(): Promise<void>;
}

export type HoldResult = { ok: true; release(): void } | { ok: false; message: string };

interface Claim {
  pid: number;
  /** The pid's start, because ids are used again. */
  started: string;
  paths: string[];
  /** Those that were made for this, by this process or by one before it. */
  made: string[];
}

export interface HeldNamesOptions {
  /** Where it is written down who holds what. */
  folder: string;
  /** How long after the last command the names are still held: the next is often near. */
  lingerMs?: number;
  /** Ends what stands on the names without being a command. */
  beforeLetGo?(): Promise<void>;
}

const LINGER_MS = 3000;
const LOCK_WAIT_MS = 2000;

export function createHeldNames({ folder, lingerMs = LINGER_MS, beforeLetGo }: HeldNamesOptions): HeldNames {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  const started = findProcess(process.pid)?.started ?? "";
  let claim: Claim = { pid: process.pid, started, paths: [], made: [] };
  let users = 0;
  let isClosed = false;
  let stopTimer: (() => void) | undefined;

  const letGo = async () => {
    stopTimer?.();
    if (users > 0 || claim.paths.length === 0) return;
    await beforeLetGo?.();
    await underLock(folder, () => {
      if (users > 0) return undefined;
      unlinkQuietly(file);
      const others = readClaims(folder);
      for (const path of claim.made.toReversed()) removeUnlessClaimed(path, others);
      claim = { ...claim, paths: [], made: [] };
      return undefined;
    });
  };
  const release = () => {
    users = Math.max(0, users - 1);
    if (users === 0 && !isClosed) stopTimer = systemClock.timer(lingerMs, () => void letGo());
  };
  return {
    async hold(paths) {
      users++;
      stopTimer?.();
      const isHeld = paths.every((path) => claim.paths.includes(path) && exists(path));
      if (isHeld) return { ok: true, release: once(release) };
      const problem = await underLock(folder, async () => {
        claim = extended(claim, paths, readClaims(folder));
        const written = await writeFileAtomic(file, JSON.stringify(claim), { mode: 0o600 });
        if (!written.ok) return written.message;
        for (const path of claim.made) makeQuietly(path);
        return undefined;
      });
      if (problem === undefined) return { ok: true, release: once(release) };
      release();
      return { ok: false, message: `The sandbox could not be prepared: ${problem}` };
    },
    async removeAbandoned() {
      if (listed(folder).length > 0) await underLock(folder, () => removeOfTheDead(folder));
    },
    async close() {
      isClosed = true;
      users = 0;
      await letGo();
    },
  };
}

/** The names to hold in a folder. Inside a repository its hooks count, which need not exist. */
export function namesToHold(root: string, home: string): string[] {
  const names = HELD_NAMES.filter((name) => !name.startsWith(".git/") || isGitFolder(join(root, ".git")));
  return [...names, ...(root === home ? HELD_IN_HOME : [])].map((name) => join(root, name));
}

/** The work says what went wrong, if anything did. */
async function underLock(
  folder: string,
  work: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  const made = await ensureDirectory(folder, 0o700);
  if (!made.ok) return made.message;
  const lock = await acquireLock(join(folder, "lock"), { owner: "a sandbox of Ralph", waitMs: LOCK_WAIT_MS });
  if (!lock.ok) return lock.message;
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Written down before anything is made: what is written but was never made does no harm. */
function extended(claim: Claim, paths: readonly string[], others: readonly Claim[]): Claim {
  const madeByOthers = new Set(others.flatMap(({ made }) => made));
  const made = paths.flatMap((path) => [...missingParts(path), ...(madeByOthers.has(path) ? [path] : [])]);
  return {
    ...claim,
    paths: [...new Set([...claim.paths, ...paths, ...made])],
    made: [...new Set([...claim.made, ...made])],
  };
}

/** What would have to be made for the path to exist, from the top. */
function missingParts(path: string): string[] {
  return exists(path) ? [] : [...missingParts(dirname(path)), path];
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file, or in a folder nobody may enter: nothing can be made there either.
    return true;
  }
}

/** Where we may not make it, a command may not either. */
function makeQuietly(path: string): void {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch {
    // see above
  }
}

function removeUnlessClaimed(path: string, others: readonly Claim[]): void {
  if (others.some(({ paths }) => paths.includes(path))) return;
  try {
    rmdirSync(path);
  } catch {
    // Somebody has put something into it: then it is theirs.
  }
}

function removeOfTheDead(folder: string): undefined {
  const all = listed(folder).flatMap((name) => readClaim(join(folder, name)));
  const dead = all.filter(({ claim }) => !isAlive(claim));
  const living = all.filter(({ claim }) => isAlive(claim)).map(({ claim }) => claim);
  for (const { file, claim } of dead) {
    for (const path of claim.made.toReversed()) removeUnlessClaimed(path, living);
    unlinkQuietly(file);
  }
}

/** All but those of this process that were let go; the dead still say what was made. */
function readClaims(folder: string): Claim[] {
  return listed(folder).flatMap((name) => readClaim(join(folder, name)).map(({ claim }) => claim));
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

function readClaim(file: string): { file: string; claim: Claim }[] {
  try {
    const claim: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isClaim(claim) ? [{ file, claim }] : [];
  } catch {
    return [];
  }
}

function isClaim(value: unknown): value is Claim {
  if (typeof value !== "object" || value === null) return false;
  const { pid, started, paths, made } = value as Partial<Claim>;
  return typeof pid === "number" && typeof started === "string" && Array.isArray(paths) && Array.isArray(made);
}

function isAlive({ pid, started }: Claim): boolean {
  return findProcess(pid)?.started === started;
}

function unlinkQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone, which is all that was wanted.
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
