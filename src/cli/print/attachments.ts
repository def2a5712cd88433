import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { protectedFileTest } from "../../coder/protected-files.ts";
import type { OwnFolders } from "../../permissions/paths/own-folders.ts";
import type { ImagePart } from "../../protocol/messages.ts";
import { errorCode } from "../../system/file-failure.ts";
import { readTextFile } from "../../system/text-file.ts";

// Files named in a prompt as @path: pictures and PDFs are sent as such, text files are quoted behind the prompt. The words stay
// in the text, so the model can refer to them.

export type Attached = { ok: true; images: ImagePart[]; texts: string[] } | { ok: false; message: string };

export const MAX_IMAGE_BYTES = 20_000_000;
export const MAX_TEXT_BYTES = 256 * 1024;

const NAMED = /(?:^|\s)@(?:"([^"]+)"|(\S+))/g;
const EXTENSION = /\.(png|jpe?g|gif|webp|pdf)$/i;

export interface AttachmentPlaces {
  /** Where relative names begin, absolute. */
  cwd: string;
  /** Ralph's own folders, whose secrets nobody attaches. */
  own: OwnFolders;
}

/**
 * Reads every attachment the text names; one that cannot be attached is an error, never silently left out. A word behind @
 * that is neither a picture's name nor a file that is there is just a word.
 */
export async function readAttachments(text: string, { cwd, own }: AttachmentPlaces): Promise<Attached> {
  const isProtected = protectedFileTest(own);
  const images: ImagePart[] = [];
  const texts: string[] = [];
  for (const name of new Set([...text.matchAll(NAMED)].map((match) => trimPunctuation(match[1] ?? match[2] ?? "")))) {
    const path = resolve(cwd, name);
    const isImage = EXTENSION.test(name);
    if (!isImage && (name === "" || !existsSync(path))) continue;
    if (isProtected(path) || isProtected(realPath(path)))
      return { ok: false, message: `@${name} cannot be attached: it is protected, because it may hold secrets.` };
    const read = isImage ? await readImage(path) : readText(name, path);
    if (!read.ok) return { ok: false, message: `@${name} cannot be attached: ${read.reason}.` };
    if ("image" in read) images.push(read.image);
    else texts.push(read.text);
  }
  return { ok: true, images, texts };
}

/** What a link leads to. What is not there, or cannot be reached, is told of when it is opened. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function trimPunctuation(name: string): string {
  return name.replace(/[,;:!?)]+$|\.$/, "");
}

type Refused = { ok: false; reason: string };

function readText(name: string, path: string): { ok: true; text: string } | Refused {
  const file = readTextFile(path, { maxBytes: MAX_TEXT_BYTES });
  if (!file.ok) return { ok: false, reason: file.message.replace(/\.$/, "") };
  return { ok: true, text: `<file path="${name}">\n${file.text.trimEnd()}\n</file>` };
}

async function readImage(path: string): Promise<{ ok: true; image: ImagePart } | Refused> {
  const read = readBytes(path);
  if (!read.ok) return read;
  const { mediaTypeOf } = await import("../../tools/media-type.ts");
  const mediaType = mediaTypeOf(read.bytes);
  if (mediaType === undefined) return { ok: false, reason: "its content is not PNG, JPEG, GIF, WebP or PDF" };
  if (mediaType === "application/pdf")
    return { ok: true, image: { type: "image", mediaType, data: read.bytes.toString("base64") } };
  const { preparePicture } = await import("../../tools/prepare-picture.ts");
  const picture = await preparePicture(read.bytes);
  if (!picture.ok) return picture;
  return { ok: true, image: { type: "image", mediaType: picture.mediaType, data: picture.data } };
}

function readBytes(path: string): { ok: true; bytes: Buffer } | Refused {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, NONBLOCKING);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { ok: false, reason: "it is not a regular file" };
    if (stats.size > MAX_IMAGE_BYTES)
      return { ok: false, reason: `it has ${stats.size} bytes, more than ${MAX_IMAGE_BYTES}` };
    const bytes = Buffer.alloc(stats.size);
    const length = readSync(descriptor, bytes, 0, stats.size, 0);
    return { ok: true, bytes: bytes.subarray(0, length) };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { ok: false, reason: "there is no such file" };
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Opening a FIFO must not wait for a writer. */
const NONBLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;
