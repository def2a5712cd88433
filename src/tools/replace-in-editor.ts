import type { EditorFiles } from "../protocol/editor-files.ts";
import { type FileFailure, failure } from "../system/file-failure.ts";
import type { HeldPlace } from "../system/pinned-place.ts";
import { currentContent, isSameText } from "./current-content.ts";
import { type FileContent, type PinnedFile, readContent } from "./file-content.ts";
import { decodeText, type TextContent, withPlainNewlines } from "./text-content.ts";
import type { ToolWorld } from "./tool-world.ts";

// Changes that an editor makes in what it holds, because it would otherwise write over them, or they over what was typed there.

type EditorWorld = Pick<ToolWorld, "editor" | "pin">;
export type SavedFirst = { ok: true; place: PinnedFile; previous: FileContent } | FileFailure;

/**
 * What somebody typed and did not save is saved before it is changed: only what is on the disk can be kept for an undo. Where
 * nothing is unsaved, everything stays as it is.
 */
export async function saveFirst(world: EditorWorld, place: PinnedFile, previous: FileContent): Promise<SavedFirst> {
  const { path } = place;
  if (previous.editor?.isUnsaved !== true) return { ok: true, place, previous };
  const { text } = previous.editor;
  const saved = await world.editor?.write?.(path, text);
  if (saved?.type !== "written") return unsaved(path, saved?.type === "failed" ? ` ${saved.message}` : "");
  const fresh: PinnedFile = { path, pin: world.pin(path) };
  const disk = await readContent(fresh);
  const content = disk.ok ? decodeText(disk.bytes) : undefined;
  if (!disk.ok || content === undefined || !isSameText(text, content)) return unsaved(path, "");
  return { ok: true, place: fresh, previous: { ...disk, editor: { text, isUnsaved: false } } };
}

function unsaved(path: string, why: string): FileFailure {
  return failure(
    "changed",
    `${path} has changes in the editor that are not saved and could not be saved from here.${why} Have it saved, then repeat the change.`,
  );
}

export interface EditorChange {
  place: PinnedFile;
  bytes: Uint8Array;
  previous: FileContent | undefined;
}

/**
 * Undefined where the change is not the editor's: it does not write, does not hold the file, or the content is no text. What it
 * gives back is what stands there afterwards.
 */
export async function replaceInEditor(
  world: EditorWorld,
  { place, bytes, previous }: EditorChange,
  held: HeldPlace,
): Promise<FileContent | FileFailure | undefined> {
  const { editor } = world;
  const wanted = decodeText(bytes);
  if (editor?.write === undefined || wanted === undefined) return undefined;
  if (previous !== undefined && editor.read !== undefined && previous.editor === undefined) return undefined;
  const changed = await changeSince(editor, place, previous);
  if (changed !== undefined) return changed;
  const detour = held.problem();
  if (detour !== undefined) return detour;
  const written = await editor.write(place.path, textFor(wanted, previous));
  if (written.type === "not-held")
    return previous === undefined ? undefined : notTaken(place.path, "the editor refused it");
  if (written.type === "failed") return notTaken(place.path, written.message);
  const now = await currentContent(world, { path: place.path, pin: world.pin(place.path) });
  const content = now.ok ? decodeText(now.bytes) : undefined;
  if (!now.ok || content === undefined || !isSameText(wanted.raw, content))
    return notTaken(place.path, "afterwards it held something else");
  return now;
}

async function changeSince(
  editor: EditorFiles,
  { path }: PinnedFile,
  previous: FileContent | undefined,
): Promise<FileFailure | undefined> {
  if (previous?.editor === undefined) return undefined;
  const now = await editor.read?.(path);
  if (now?.type === "text" && now.text === previous.editor.text) return undefined;
  return failure(
    "changed",
    `${path} was changed in the editor while the change was made, so nothing was written. Read it again and repeat the change.`,
  );
}

/** An editor that gives texts without carriage returns puts them back itself. */
function textFor({ raw }: TextContent, previous: FileContent | undefined): string {
  return previous?.editor === undefined || previous.editor.text.includes("\r\n") ? raw : withPlainNewlines(raw);
}

function notTaken(path: string, why: string): FileFailure {
  return failure("failed", `${path} could not be changed in the editor: ${why}. Read it again before anything else.`);
}
