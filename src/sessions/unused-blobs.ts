import { readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, fileFailure } from "../system/file-failure.ts";
import { filesBelow, findInFile, TooMuchToRead } from "./find-in-files.ts";
import type { SessionPlaces } from "./session-name.ts";

// Blobs that no session needs any more. A session names its blobs by their hashes, and a blob may name others; whatever looks like a
// hash, in any file of the sessions or in a blob that is needed, counts as such a name. So damaged lines, lines that are just
// being written and formats of a later Ralph keep what they need, and the price is that now and then a blob stays too long.

export interface UnusedBlobsOptions {
  places: Pick<SessionPlaces, "sessions" | "blobs">;
  /** Wall clock, milliseconds. */
  now: number;
  /** More is not read to find out what is needed. */
  maximumBytes?: number;
}

export type UnusedBlobs =
  | {
      ok: true;
      removed: number;
      bytes: number;
      /** Unused, but younger than a day: somebody may be about to name them. */
      young: number;
    }
  /** Nothing was removed, because it is not known what is needed. */
  | { ok: false; message: string };

const DAY_MS = 24 * 60 * 60 * 1000;
const MAXIMUM_BYTES = 4_000_000_000;
const HASH = /^[0-9a-f]{64}$/;
/** Whoever begins to use a blob touches it, so one that was set aside and is young after all is put back. */
const SET_ASIDE = ".unused";

export async function removeUnusedBlobs(options: UnusedBlobsOptions): Promise<UnusedBlobs> {
  const { places, now, maximumBytes = MAXIMUM_BYTES } = options;
  try {
    const unused = await blobsIn(places.blobs);
    if (unused.size > 0) await forgetNeeded(unused, { places, room: { bytes: maximumBytes } });
    const result = { ok: true as const, removed: 0, bytes: 0, young: 0 };
    for (const hash of unused) {
      const bytes = await removeOld(join(places.blobs, hash), now - DAY_MS);
      if (bytes === undefined) result.young++;
      else {
        result.removed++;
        result.bytes += bytes;
      }
    }
    return result;
  } catch (error) {
    if (error instanceof TooMuchToRead)
      return { ok: false, message: "There is too much to read to find out which blobs are needed." };
    const { message } = fileFailure(pathOf(error) ?? places.sessions, error, "read");
    return { ok: false, message };
  }
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}

/** Their hashes. One that an earlier run set aside and left so is put back first. */
async function blobsIn(directory: string): Promise<Set<string>> {
  const names = await readdir(directory).catch((error) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  const hashes = new Set(names.filter((name) => HASH.test(name)));
  for (const name of names.filter((candidate) => candidate.endsWith(SET_ASIDE))) {
    const hash = name.slice(0, -SET_ASIDE.length);
    if (!HASH.test(hash)) continue;
    if (!hashes.has(hash)) await rename(join(directory, name), join(directory, hash)).catch(ignoreMissing);
    else await unlink(join(directory, name)).catch(ignoreMissing);
    hashes.add(hash);
  }
  return hashes;
}

interface Search {
  places: UnusedBlobsOptions["places"];
  room: { bytes: number };
}

/** Takes out of the set what the sessions name, and what that names. */
async function forgetNeeded(unused: Set<string>, search: Search): Promise<void> {
  const needed: string[] = [];
  const name = (hash: string) => {
    if (unused.delete(hash)) needed.push(hash);
  };
  const wanted = { pattern: ANY_HASH, longest: HASH_CHARACTERS, room: search.room, found: name };
  for (const path of await filesBelow(search.places.sessions)) await findInFile(path, wanted);
  for (let hash = needed.pop(); hash !== undefined && unused.size > 0; hash = needed.pop()) {
    await findInFile(join(search.places.blobs, hash), wanted);
  }
}

const HASH_CHARACTERS = 64;
const ANY_HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** How many bytes that was; undefined for one that is too young and stays. */
async function removeOld(path: string, before: number): Promise<number | undefined> {
  const aside = `${path}${SET_ASIDE}`;
  try {
    if ((await stat(path)).mtimeMs > before) return undefined;
    await rename(path, aside);
    const { mtimeMs, size } = await stat(aside);
    if (mtimeMs > before) {
      await rename(aside, path);
      return undefined;
    }
    await unlink(aside);
    return size;
  } catch (error) {
    ignoreMissing(error);
    return undefined;
  }
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== "ENOENT") throw error;
}
