import { dirname, join } from "node:path";
import type { FileRecord, FileState } from "../../protocol/session-entries.ts";
import { lookAt } from "../../system/look-at.ts";
import { walkFolder } from "./folder-walk.ts";
import { type IndexedFile, keepIndexed } from "./git-contents.ts";
import { runGit } from "./git-repository.ts";
import { parseGitStatus, STATUS_WORDS } from "./git-status.ts";
import { type KeepRoom, keepFiles } from "./keep-files.ts";
import { isFresh, MISSING, sameState, stampAt } from "./observe-file.ts";
import { unpackFiles } from "./pack-files.ts";
import { RAW_NAME, type RawNames, touchedRawNames } from "./raw-names.ts";
import { type HeldSnapshot, ownPath, rawNamesIn, type SnapshotOptions, withIndex } from "./shell-snapshot.ts";

export const COMPARE_LIMITS = { files: 10_000, milliseconds: 5000 };

export type Comparison = { ok: true; before: FileRecord[]; after: FileRecord[] } | { ok: false; why: string };

/** What is different from the snapshot now: each path with its state then and now. */
export async function compareSnapshot(
  held: HeldSnapshot,
  options: SnapshotOptions & { room: KeepRoom },
): Promise<Comparison> {
  const found = await candidates(held, options);
  if (!found.ok) return found;
  const paths = found.paths.filter((path) => mayDiffer(held, path, options));
  if (paths.length > COMPARE_LIMITS.files) return tooMany();
  const [now, indexed] = await Promise.all([
    keepFiles(paths, options),
    indexedStates(held, { ...options, files: found.indexed }),
  ]);
  if (!now.ok) return { ok: false, why: now.message };
  const states = new Map(now.files.map(({ path, state }) => [path, state]));
  const before = new Map<string, FileState>();
  const after: FileRecord[] = [];
  for (const [path, state] of states) {
    const old = indexed.get(path) ?? held.files.get(path)?.state ?? MISSING;
    const then = withModeOf(old, state, indexed.has(path));
    if (sameState(then, state)) continue;
    before.set(path, then);
    after.push({ path, state });
  }
  const packed = after.flatMap(({ path }) => (indexed.has(path) ? [] : (held.files.get(path) ?? [])));
  if (!(await unpackFiles(packed, options.blobs))) return { ok: false, why: "the snapshot is damaged" };
  for (const path of touchedRawNames(held.rawNames, found.rawNames)) {
    before.set(path, RAW_NAME);
    after.push({ path, state: RAW_NAME });
  }
  if (held.git !== undefined) addFolders({ before, after, root: options.root, since: held.at });
  return { ok: true, before: [...before].map(([path, state]) => ({ path, state })), after };
}

type Candidates =
  | { ok: true; paths: string[]; rawNames: RawNames; indexed: IndexedFile[] }
  | { ok: false; why: string };

async function candidates(held: HeldSnapshot, options: SnapshotOptions): Promise<Candidates> {
  if (held.git !== undefined) return gitCandidates(held, held.git, options);
  const walked = await walkFolder(options.root, { limit: COMPARE_LIMITS.files, placeholders: options.placeholders });
  if (walked === undefined) return tooMany();
  const { paths, rawNames } = walked;
  return { ok: true, paths: [...new Set([...held.files.keys(), ...paths])], rawNames, indexed: [] };
}

async function gitCandidates(
  held: HeldSnapshot,
  { repository, index }: NonNullable<HeldSnapshot["git"]>,
  options: SnapshotOptions,
): Promise<Candidates> {
  const run = { ...options, repository, deadlineMs: COMPARE_LIMITS.milliseconds };
  const status = await withIndex(index, options.blobs, (path) => runGit(STATUS_WORDS, { ...run, index: path }));
  if (!status.ok) return status;
  const changes = parseGitStatus(status.output);
  const paths = new Set(held.files.keys());
  const indexed: IndexedFile[] = [];
  for (const change of changes) {
    if (change.type === "raw") continue;
    for (const path of ownPath(options.root, repository.top, change.path)) {
      // What differed from the index then is in the snapshot itself.
      if (change.type === "tracked" && !held.files.has(path))
        indexed.push({ path, gitPath: change.path, oid: change.oid, mode: change.mode });
      paths.add(path);
    }
  }
  return { ok: true, paths: [...paths], rawNames: rawNamesIn(changes, options.root, repository), indexed };
}

async function indexedStates(
  { git }: HeldSnapshot,
  options: SnapshotOptions & { room: KeepRoom; files: readonly IndexedFile[] },
): Promise<Map<string, FileState>> {
  if (git === undefined || options.files.length === 0) return new Map();
  const { repository } = git;
  // Objects are asked for by name; the index plays no part.
  const run = { ...options, repository, index: "/dev/null", deadlineMs: COMPARE_LIMITS.milliseconds };
  const records = await keepIndexed(options.files, run, options);
  return new Map(records.map(({ path, state }) => [path, state]));
}

/** Git knows of a mode only whether a file is a program; the rest is as it is now. */
function withModeOf(then: FileState, now: FileState, isIndexed: boolean): FileState {
  if (!isIndexed || then.type !== "file" || now.type !== "file") return then;
  const readers = now.mode & 0o444;
  const mode = (then.mode & 0o100) === 0 ? now.mode & ~0o111 : now.mode | (readers >> 2);
  return { ...then, mode };
}

/** Whether a file of the snapshot was touched since, as far as its stamp tells. */
function mayDiffer(held: HeldSnapshot, path: string, { root }: SnapshotOptions): boolean {
  const then = held.files.get(path);
  if (then?.stamp === undefined) return true;
  const now = stampAt(root, path);
  if (now === undefined || now.stamp !== then.stamp) return true;
  // Where there is no old content to compare with, the stamp is all there is.
  return then.state.type !== "not-kept" && isFresh(now.stats, held.at);
}

interface FolderSearch {
  before: Map<string, FileState>;
  after: FileRecord[];
  root: string;
  since: number;
}

/** Git knows no folders; one born after the snapshot was made by the commands. */
function addFolders({ before, after, root, since }: FolderSearch): void {
  for (const { path } of [...after]) {
    for (let folder = dirname(path); folder !== "." && !before.has(folder); folder = dirname(folder)) {
      const mode = modeOfNewFolder(join(root, folder), since);
      if (mode === undefined) break;
      before.set(folder, MISSING);
      after.push({ path: folder, state: { type: "directory", mode } });
    }
  }
}

function modeOfNewFolder(path: string, since: number): number | undefined {
  const stats = lookAt(path);
  return stats?.isDirectory() && stats.birthtimeMs >= since ? stats.mode & 0o7777 : undefined;
}

function tooMany(): { ok: false; why: string } {
  return { ok: false, why: `they touched more than ${COMPARE_LIMITS.files} files, which is the limit` };
}
