import { chown, lstat, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { errorCode, type FileFailure, failure, fileFailure } from "../system/file-failure.ts";
import { syncDirectory, writeFileAtomic } from "../system/files.ts";
import type { HeldPlace } from "../system/pinned-place.ts";
import { contentHash } from "./content-hash.ts";
import { type FileContent, MAXIMUM_FILE_BYTES, type PinnedFile, readContent } from "./file-content.ts";
import { replaceInEditor, saveFirst } from "./replace-in-editor.ts";
import type { ToolWorld } from "./tool-world.ts";

export interface Replacement {
  place: PinnedFile;
  bytes: Uint8Array;
  /** What the change was computed from; undefined for a file that must not be there yet. */
  previous: FileContent | undefined;
  hasBackup: boolean;
}

export type ReplaceResult = { ok: true; hash: string; backupPath?: string } | FileFailure;

/**
 * The one way a file tool writes. The new content is laid ready beside the file, in the folder that was asked about, and takes
 * its place only if the file still is what the change was computed from. Whoever knew the old content knows the new one. What an
 * editor holds, the editor changes.
 */
export async function replaceFile(world: ToolWorld, replacement: Replacement): Promise<ReplaceResult> {
  const { bytes, previous, place } = replacement;
  const { path } = place;
  if (bytes.length > MAXIMUM_FILE_BYTES)
    return failure(
      "too-large",
      `${path} would have ${bytes.length} bytes, more than the limit of ${MAXIMUM_FILE_BYTES}.`,
    );
  if (previous !== undefined && (previous.mode & 0o222) === 0)
    return failure("denied", `${path} is read-only. Ask before you change its permissions.`);
  const isKnown = previous === undefined || world.seen.hashOf(path) === previous.hash;
  const ready = previous === undefined ? replacement : await saveFirst(world, place, previous);
  if ("ok" in ready && !ready.ok) return ready;
  const written = await replaceSaved(world, { ...replacement, place: ready.place, previous: ready.previous });
  if (written.ok && isKnown) world.seen.remember(path, written.hash);
  return written;
}

async function replaceSaved(world: ToolWorld, replacement: Replacement): Promise<ReplaceResult> {
  const { bytes, place } = replacement;
  const { path } = place;
  const backupPath = backupOf(world, replacement);
  const refused = (await world.beforeChange(path)) ?? (backupPath && (await world.beforeChange(backupPath)));
  if (refused) return refused;
  const held = place.pin.hold();
  if (!held.ok) return held.reason === "failed" ? changed(path, "has come to lead elsewhere") : held;
  const written = await writeHeld({ world, replacement, backupPath }, held.place).finally(held.place.stop);
  if (!written.ok) return { ...written, message: written.message.replaceAll(held.place.folder, dirname(path)) };
  const hash = written.hash ?? contentHash(bytes);
  return { ok: true, hash, ...(backupPath === undefined ? {} : { backupPath }) };
}

/** Backups of one second differ by what they hold. */
function backupOf(world: ToolWorld, { place, previous, hasBackup }: Replacement): string | undefined {
  if (!hasBackup || previous === undefined) return undefined;
  const stamp = new Date(world.clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${place.path}.${stamp}-${previous.hash.slice(0, 8)}.bak`;
}

/** `hash` is that of what stands there where an editor wrote it, which has line ends of its own. */
type Written = { ok: true; hash?: string } | FileFailure;

interface HeldWrite {
  world: ToolWorld;
  replacement: Replacement;
  backupPath: string | undefined;
}

async function writeHeld({ world, replacement, backupPath }: HeldWrite, held: HeldPlace): Promise<Written> {
  const { previous } = replacement;
  if (previous !== undefined && backupPath !== undefined) {
    const backup = `${held.folder}/${basename(backupPath)}`;
    const kept = await writeFileAtomic(backup, previous.bytes, { mode: previous.mode });
    if (!kept.ok) return kept;
  }
  return (await replaceInEditor(world, replacement, held)) ?? stageAndSwap(replacement, held);
}

async function stageAndSwap({ place, bytes, previous }: Replacement, held: HeldPlace): Promise<Written> {
  const { path } = place;
  const staged = `${held.folder}/.${basename(path).slice(0, 100)}.${crypto.randomUUID()}.new`;
  const written = await writeFileAtomic(staged, bytes, previous === undefined ? {} : { mode: previous.mode });
  if (!written.ok) return { ...written, message: written.message.replace(staged, path) };
  try {
    if (previous !== undefined) await keepOwner(staged, previous);
    const problem = (await changeSince({ place, previous }, held)) ?? detourOf(path, held);
    if (problem === undefined) await rename(staged, held.at);
    else await unlink(staged);
    await syncDirectory(held.folder);
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

async function changeSince(
  { place, previous }: Pick<Replacement, "place" | "previous">,
  { at }: HeldPlace,
): Promise<FileFailure | undefined> {
  const { path } = place;
  if (previous === undefined) return (await isMissing(at)) ? undefined : changed(path, "has appeared");
  const now = await readContent(place);
  return now.ok && now.hash === previous.hash ? undefined : changed(path, "has changed");
}

/** What goes on in a folder that was moved away ends at a place nobody was asked about. */
function detourOf(path: string, held: HeldPlace): FileFailure | undefined {
  return held.problem() === undefined ? undefined : changed(path, "has come to lead elsewhere");
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
