import { type FileFailure, failure } from "../system/file-failure.ts";
import { contentHash } from "./content-hash.ts";
import { type FileContent, MAXIMUM_FILE_BYTES, type PinnedFile, readContent } from "./file-content.ts";
import { decodeText, encodeText, type TextContent, textContent } from "./text-content.ts";
import type { ToolWorld } from "./tool-world.ts";

/**
 * What a file holds now: on the disk, or in the editor where one holds it and somebody typed in it without saving. The disk is
 * looked at first in any case, so that what must not be read is not asked for either.
 */
export async function currentContent(
  { editor }: Pick<ToolWorld, "editor">,
  place: PinnedFile,
): Promise<FileContent | FileFailure> {
  const disk = await readContent(place);
  if (!disk.ok || editor?.read === undefined) return disk;
  const saved = decodeText(disk.bytes);
  if (saved === undefined) return disk;
  const held = await editor.read(place.path);
  if (held.type === "not-held") return disk;
  if (held.type === "failed") return failure("failed", `${place.path} could not be read: ${held.message}`);
  const { text } = held;
  if (isSameText(text, saved)) return { ...disk, editor: { text, isUnsaved: false } };
  const bytes = encodeText(saved, textContent(text).raw);
  if (bytes.length > MAXIMUM_FILE_BYTES)
    return failure(
      "too-large",
      `${place.path} has ${bytes.length} bytes in the editor, more than the limit of ${MAXIMUM_FILE_BYTES}.`,
    );
  return { ...disk, bytes, hash: contentHash(bytes), editor: { text, isUnsaved: true } };
}

/** Editors hold line ends and the mark at the beginning apart from the text, so they say nothing about whether it was changed. */
export function isSameText(text: string, content: TextContent): boolean {
  return textContent(text).text === content.text;
}
