import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";

// What a file is and what is in it, as a text to compare. What cannot be looked at is a text too.

const MISSING = "missing";
/** Larger files are known by their size and the moment they last changed. */
const MOST_HASHED_BYTES = 20_000_000;

export function textDigest(text: string): string {
  return Bun.SHA256.hash(text, "hex");
}

export function identityOf(path: string): string {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? MISSING : identity(stats);
  } catch (error) {
    return unreadable(error);
  }
}

/** Identity and content. A link is known by itself, and nothing is read through it. */
export function contentOf(path: string): string {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return MISSING;
    if (!stats.isFile()) return identity(stats);
    return stats.size > MOST_HASHED_BYTES ? dated(stats) : hashed(path);
  } catch (error) {
    return unreadable(error);
  }
}

/** Where a name of a program leads: what is found first in the path, and which file that is in the end. */
export function programAt(name: string, path: string): string {
  const found = name.startsWith("/") ? name : Bun.which(name, { PATH: path });
  if (found === null) return MISSING;
  try {
    return `${found} ${realpathSync(found)} ${dated(statSync(found, { bigint: true }))}`;
  } catch {
    return MISSING;
  }
}

function unreadable(error: unknown): string {
  return `unreadable (${error instanceof Error ? error.message : error})`;
}

function identity(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.mode & 0o170000n}`;
}

function dated(stats: BigIntStats): string {
  return `${identity(stats)} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

function hashed(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const hash = new Bun.SHA256();
    const block = Buffer.allocUnsafe(1 << 16);
    for (let read = readSync(descriptor, block); read > 0; read = readSync(descriptor, block))
      hash.update(block.subarray(0, read));
    return `${identity(fstatSync(descriptor, { bigint: true }))} ${hash.digest("hex")}`;
  } finally {
    closeSync(descriptor);
  }
}
