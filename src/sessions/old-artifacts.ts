import { readdir, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filesBelow, findInFile } from "./find-in-files.ts";
import type { SessionPlaces } from "./session-name.ts";

// Complete outputs of commands. They go when they are old, or when there are too many bytes of them, the oldest first; never those
// that a session which is kept still names.

export interface ArtifactLimits {
  ageMs: number;
  totalBytes: number;
  /** Younger ones stay: the session that made them may not have named them yet. */
  youngMs: number;
  /** More is not read to find out what is named; then nothing is removed. */
  readBytes: number;
  /** So long nobody looks again. */
  pauseMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
export const ARTIFACT_LIMITS: ArtifactLimits = {
  ageMs: 30 * DAY_MS,
  totalBytes: 5_000_000_000,
  youngMs: DAY_MS,
  readBytes: 2_000_000_000,
  pauseMs: DAY_MS,
};

export interface OldArtifactsOptions {
  places: Pick<SessionPlaces, "sessions" | "blobs"> & { artifacts: string };
  /** Wall clock, milliseconds. */
  now: number;
  signal: AbortSignal;
  limits?: ArtifactLimits;
}

/** Its time says when somebody last looked. */
const LOOKED = ".looked-through";

/** The names of what was removed. Nothing where it is not the time yet, where it was stopped, or where it is not known what is named. */
export async function removeOldArtifacts(options: OldArtifactsOptions): Promise<string[]> {
  const { places, now, limits = ARTIFACT_LIMITS } = options;
  const mark = join(places.artifacts, LOOKED);
  try {
    const last = await stat(mark).catch(() => undefined);
    if (last !== undefined && now - last.mtimeMs < limits.pauseMs) return [];
    const found = await artifactsIn(places.artifacts);
    if (found.length === 0) return [];
    const removable = await unnamed(tooMuch(found, now, limits), options);
    for (const { path } of removable) await unlink(path);
    await writeFile(mark, "", { mode: 0o600 });
    await utimes(mark, now / 1000, now / 1000);
    return removable.map(({ name }) => name);
  } catch {
    // Another session will look again.
    return [];
  }
}

interface Artifact {
  name: string;
  path: string;
  bytes: number;
  at: number;
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const ID_CHARACTERS = 36;

/** The newest first. What is not called like one of ours is not ours. */
async function artifactsIn(folder: string): Promise<Artifact[]> {
  const names = await readdir(folder);
  const found = names
    .filter((name) => ID.test(name))
    .map(async (name) => {
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path);
      return { name, path, bytes: size, at: mtimeMs };
    });
  return (await Promise.all(found)).sort((one, other) => other.at - one.at);
}

function tooMuch(artifacts: readonly Artifact[], now: number, limits: ArtifactLimits): Artifact[] {
  let bytes = 0;
  return artifacts.filter((artifact) => {
    bytes += artifact.bytes;
    const age = now - artifact.at;
    return age > limits.youngMs && (age > limits.ageMs || bytes > limits.totalBytes);
  });
}

async function unnamed(artifacts: readonly Artifact[], options: OldArtifactsOptions): Promise<Artifact[]> {
  if (artifacts.length === 0) return [];
  const { places, signal, limits = ARTIFACT_LIMITS } = options;
  const named = new Set<string>();
  const wanted = {
    pattern: new RegExp(ID, "g"),
    longest: ID_CHARACTERS,
    room: { bytes: limits.readBytes },
    found: (id: string) => void named.add(id),
    signal,
  };
  for (const folder of [places.sessions, places.blobs])
    for (const path of await filesBelow(folder)) await findInFile(path, wanted);
  return artifacts.filter(({ name }) => !named.has(ID.exec(name)?.[0] ?? ""));
}
