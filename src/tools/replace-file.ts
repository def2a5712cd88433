import { chown, lstat, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, type FileFailure, failure, fileFailure } from "../system/file-failure.ts";
import { ensureDirectory, syncDirectory, writeFileAtomic } from "../system/files.ts";
import { contentHash } from "./content-hash.ts";
import { type FileContent, MAXIMUM_FILE_BYTES, readContent } from "./file-content.ts";
import { resolvePath } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";

export interface Replacement {
  path: string;
  bytes: Uint8Array;
  /** What the change was computed from; undefined for a file that must not be there yet. */
  previous: FileContent | undefined;
  hasBackup: boolean;
}

export type ReplaceResult = { ok: true; hash: string; backupPath?: string } | FileFailure;

/**
 * The one way a file tool writes. The new content is laid ready beside the file, and takes its place only if the file still is
 * what the change was computed from. Whoever knew the old content knows the new one.
 */
export async function replaceFile(world: ToolWorld, replacement: Replacement): Promise<ReplaceResult> {
  const { path, bytes, previous } = replacement;
  if (bytes.length > MAXIMUM_FILE_BYTES)
    return failure(
      "too-large",
      `${path} would have ${bytes.length} bytes, more than the limit of ${MAXIMUM_FILE_BYTES}.`,
    );
  if (previous !== undefined && (previous.mode & 0o222) === 0)
    return failure("denied", `${path} is read-only. Ask before you change its permissions.`);
  const refused = await world.beforeChange(path);
  if (refused !== undefined) return refused;
  const backup = await writeBackup(world, replacement);
  if (!backup.ok) return backup;
  const written = await stageAndSwap(replacement);
  if (!written.ok) return written;
  const hash = contentHash(bytes);
  if (previous === undefined || world.seen.hashOf(path) === previous.hash) world.seen.remember(path, hash);
  return { ok: true, hash, ...(backup.path === undefined ? {} : { backupPath: backup.path }) };
}

async function writeBackup(
  world: ToolWorld,
  { path, previous, hasBackup }: Replacement,
): Promise<{ ok: true; path?: string } | FileFailure> {
  if (!hasBackup || previous === undefined) return { ok: true };
  const stamp = new Date(world.clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
  // Backups of one second differ by what they hold.
  const backup = `${path}.${stamp}-${previous.hash.slice(0, 8)}.bak`;
  const refused = await world.beforeChange(backup);
  if (refused !== undefined) return refused;
  const written = await writeFileAtomic(backup, previous.bytes, { mode: previous.mode });
  return written.ok ? { ok: true, path: backup } : written;
}

async function stageAndSwap({ path, bytes, previous }: Replacement): Promise<{ ok: true } | FileFailure> {
  const made = await ensureDirectory(dirname(path), 0o777);
  if (!made.ok) return made;
  const staged = join(dirname(path), `.${basename(path).slice(0, 100)}.${crypto.randomUUID()}.new`);
  const written = await writeFileAtomic(staged, bytes, previous === undefined ? {} : { mode: previous.mode });
  if (!written.ok) return { ...written, message: written.message.replace(staged, path) };
  try {
    if (previous !== undefined) await keepOwner(staged, previous);
    const problem = (await changeSince(path, previous)) ?? detourOf(path);
    if (problem === undefined) await rename(staged, path);
    else await unlink(staged);
    await syncDirectory(dirname(path));
    return problem ?? { ok: true };
  } catch (error) {
    await unlink(staged).catch(() => undefined);
    return fileFailure(path, error, "written");
  }
}

/** Only root may give a file away, and only root needs to. */
async function keepOwner(staged: string, { uid, gid }: FileContent): Promise<void> {
  const own = await lstat(staged);
  if (own.uid !== uid || own.gid !== gid) await chown(staged, uid, gid).catch(() => undefined);
}

async function changeSince(path: string, previous: FileContent | undefined): Promise<FileFailure | undefined> {
  if (previous === undefined) return (await isMissing(path)) ? undefined : changed(path, "has appeared");
  const now = await readContent(path);
  return now.ok && now.hash === previous.hash ? undefined : changed(path, "has changed");
}

/** A directory on the way that became a link would carry the file to a place nobody was asked about. */
function detourOf(path: string): FileFailure | undefined {
  const now = resolvePath({ root: "/", environment: {} }, path, { keepsLastLink: true });
  return now.ok && now.path === path ? undefined : changed(path, "has come to lead elsewhere");
}

function changed(path: string, how: string): FileFailure {
  return failure(
    "failed",
    `${path} ${how} while the change was made, so nothing was written. Read it again and repeat the change.`,
  );
}

async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error) => errorCode(error) === "ENOENT",
  );
}
