import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ShellSnapshot } from "../../protocol/session-entries.ts";
import type { Clock } from "../../system/clock.ts";
import { type FileFailure, fileFailure } from "../../system/file-failure.ts";
import { hashOf, readBlobBytes, writeBlobBytes } from "../blobs.ts";
import { isFileRecord } from "./file-record-shape.ts";
import { walkFolder } from "./folder-walk.ts";
import { findRepository, type GitRepository, runGit } from "./git-repository.ts";
import { type GitChange, parseGitStatus, STATUS_WORDS } from "./git-status.ts";
import type { KeptFile } from "./keep-files.ts";
import { pathWithin } from "./observe-file.ts";
import { packFiles } from "./pack-files.ts";
import { type RawNames, rawStamp } from "./raw-names.ts";

// What a workspace holds before shell commands run in it, taken only when that is cheap. In a git work tree this is the index,
// which leads to everything unchanged, and the files that differ from it; elsewhere it is every file, within bounds.

export interface SnapshotOptions {
  /** The workspace, absolute, links resolved. */
  root: string;
  blobs: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Names in the workspace under which an empty folder counts for nothing. */
  placeholders?: readonly string[] | undefined;
  /** The snapshot before this one, if there was one. */
  previous?: HeldSnapshot | undefined;
}

export const SNAPSHOT_LIMITS = { files: 2000, bytes: 20_000_000, milliseconds: 1000 };

/** A snapshot in memory. */
export interface HeldSnapshot {
  /** Wall clock, milliseconds. */
  at: number;
  /** By path; in git only what differs from the index. */
  files: ReadonlyMap<string, KeptFile>;
  rawNames: RawNames;
  git?: { repository: GitRepository; index: IndexCopy | null };
}

export interface TakenSnapshot {
  snapshot: ShellSnapshot;
  /** Absent when nothing could be taken. */
  held?: HeldSnapshot;
}

export async function takeSnapshot(options: SnapshotOptions): Promise<TakenSnapshot> {
  const found = findRepository(options.root);
  if (found.ok) {
    const taken = await takeGit(options, found.repository);
    return "why" in taken ? none(taken.why) : taken;
  }
  return found.why === undefined ? takeFolder(options) : none(found.why);
}

function none(why: string): TakenSnapshot {
  const reason = why.replace(/\.$/, "");
  return { snapshot: { type: "none", why: `What shell commands changed cannot be undone: ${reason}.` } };
}

/** The snapshot an entry tells of, read back. */
export async function loadSnapshot(
  snapshot: Exclude<ShellSnapshot, { type: "none" }>,
  { root, blobs }: SnapshotOptions,
): Promise<HeldSnapshot | undefined> {
  const manifest = parseManifest(await readBlobBytes(blobs, snapshot.manifest));
  if (manifest === undefined || snapshot.type === "folder") return manifest;
  const found = findRepository(root);
  if (!found.ok) return undefined;
  const { indexTime = 0, ...held } = manifest;
  const index = snapshot.index === null ? null : { hash: snapshot.index, time: indexTime };
  return { ...held, git: { repository: found.repository, index } };
}

async function takeGit(options: SnapshotOptions, repository: GitRepository): Promise<TakenSnapshot | { why: string }> {
  const at = options.clock.now();
  const index = await readIndex(repository);
  if (index !== null && "why" in index) return index;
  const [status, written] = await Promise.all([
    withIndex(index, options.blobs, (path) =>
      runGit(STATUS_WORDS, { ...options, repository, index: path, deadlineMs: SNAPSHOT_LIMITS.milliseconds }),
    ),
    index === null ? NOTHING_TO_WRITE : writeBlobBytes(options.blobs, index.hash, index.bytes),
  ]);
  if (!status.ok) return status;
  if (!written.ok) return { why: withoutPoint(written) };
  const changes = parseGitStatus(status.output);
  if (changes.length > SNAPSHOT_LIMITS.files)
    return { why: `more than ${SNAPSHOT_LIMITS.files} files are changed or untracked` };
  const paths = changes.flatMap(({ type, path }) =>
    type === "raw" ? [] : ownPath(options.root, repository.top, path),
  );
  const rawNames = rawNamesIn(changes, options.root, repository);
  const kept = await keepManifest(paths, { at, rawNames, ...(index !== null && { indexTime: index.time }) }, options);
  if ("why" in kept) return kept;
  return {
    snapshot: { type: "git", manifest: kept.manifest, index: index?.hash ?? null },
    held: {
      at,
      rawNames,
      files: kept.files,
      git: { repository, index: index && { hash: index.hash, time: index.time } },
    },
  };
}

const NOTHING_TO_WRITE = { ok: true } as const;

export function rawNamesIn(changes: readonly GitChange[], root: string, { top }: GitRepository): RawNames {
  return new Map(
    changes.flatMap((change) =>
      change.type === "raw"
        ? ownPath(root, top, change.path).map((path): [string, string] => {
            const { stamp } = rawStamp(Buffer.concat([Buffer.from(`${top}/`), change.bytes]));
            return [path, stamp];
          })
        : [],
    ),
  );
}

/** Where a path of the work tree lies in the workspace. A folder is a repository of its own, which looks after itself. */
export function ownPath(root: string, top: string, path: string): string[] {
  const own = path.endsWith("/") ? undefined : pathWithin(root, join(top, path));
  return own === undefined ? [] : [own];
}

async function takeFolder(options: SnapshotOptions): Promise<TakenSnapshot> {
  const at = options.clock.now();
  const walked = await walkFolder(options.root, { limit: SNAPSHOT_LIMITS.files, placeholders: options.placeholders });
  if (walked === undefined)
    return none(`the folder is no git work tree and has more than ${SNAPSHOT_LIMITS.files} files`);
  const { rawNames } = walked;
  const kept = await keepManifest(walked.paths, { at, rawNames }, options);
  if ("why" in kept) return none(kept.why);
  return { snapshot: { type: "folder", manifest: kept.manifest }, held: { at, rawNames, files: kept.files } };
}

interface Manifest {
  at: number;
  indexTime?: number;
  files: Map<string, KeptFile>;
  rawNames: RawNames;
}

async function keepManifest(
  paths: readonly string[],
  { rawNames, ...times }: Omit<Manifest, "files">,
  { root, blobs, clock, previous }: SnapshotOptions,
): Promise<{ manifest: string; files: Manifest["files"] } | { why: string }> {
  const { bytes: maximumBytes, milliseconds } = SNAPSHOT_LIMITS;
  const started = clock.monotonic();
  const isLate = () => clock.monotonic() - started > milliseconds;
  const packed = await packFiles(paths, { root, maximumBytes, isLate, previous });
  if (!packed.ok) return { why: withoutPoint(packed) };
  const text = Buffer.from(
    JSON.stringify({
      version: 1,
      ...times,
      files: packed.files,
      ...(rawNames.size > 0 && { rawNames: Object.fromEntries(rawNames) }),
    }),
  );
  const manifest = hashOf(text);
  const written = await Promise.all([
    writeBlobBytes(blobs, manifest, text),
    packed.pack === undefined ? NOTHING_TO_WRITE : writeBlobBytes(blobs, packed.pack.hash, packed.pack.bytes),
  ]);
  const failed = written.find((result) => !result.ok);
  if (failed?.ok === false) return { why: withoutPoint(failed) };
  return { manifest, files: new Map(packed.files.map((file) => [file.path, file])) };
}

function withoutPoint({ message }: FileFailure): string {
  return message.replace(/\.$/, "");
}

function parseManifest(bytes: Uint8Array | undefined): Manifest | undefined {
  if (bytes === undefined) return undefined;
  const { version, at, indexTime, files, rawNames } = JSON.parse(new TextDecoder().decode(bytes)) as Record<
    string,
    unknown
  >;
  if (version !== 1 || typeof at !== "number" || !Array.isArray(files) || !files.every(isFileRecord)) return undefined;
  const byPath = new Map((files as KeptFile[]).map((file) => [file.path, file]));
  const stamps = Object.entries(rawNames ?? {}).map(([path, stamp]): [string, string] => [path, String(stamp)]);
  return { at, files: byPath, rawNames: new Map(stamps), ...(typeof indexTime === "number" && { indexTime }) };
}

/** Git's index as it was: a blob, and when it was written, in seconds. Git sees by that which files it has to look into. */
export interface IndexCopy {
  hash: string;
  time: number;
}

async function readIndex({
  gitDirectory,
}: GitRepository): Promise<(IndexCopy & { bytes: Uint8Array }) | null | { why: string }> {
  const path = join(gitDirectory, "index");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.size > SNAPSHOT_LIMITS.bytes)
    return { why: `git's index has more than the limit of ${SNAPSHOT_LIMITS.bytes} bytes` };
  const bytes = await Bun.file(path).bytes();
  return { hash: hashOf(bytes), time: Math.floor(stats.mtimeMs) / 1000, bytes };
}

/** Runs git with the copy in the place of the index, so that it does not matter what became of the index itself. */
export async function withIndex<T>(
  copy: (IndexCopy & { bytes?: Uint8Array }) | null,
  blobs: string,
  work: (path: string) => Promise<T>,
): Promise<T | { ok: false; why: string }> {
  const path = join(blobs, `index-${crypto.randomUUID()}.tmp`);
  // Git takes an index that is not there for an empty one.
  if (copy === null) return work(path);
  const bytes = copy.bytes ?? (await readBlobBytes(blobs, copy.hash));
  if (bytes === undefined) return { ok: false, why: "the copy of git's index is missing or damaged" };
  try {
    mkdirSync(blobs, { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600 });
    utimesSync(path, copy.time, copy.time);
    return await work(path);
  } catch (error) {
    return { ok: false, why: fileFailure(path, error, "written").message };
  } finally {
    rmSync(path, { force: true });
  }
}
