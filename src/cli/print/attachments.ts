import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { ImagePart } from "../../protocol/messages.ts";

// Pictures named in a prompt as @path. The words stay in the text, so the model can refer to them.

export type Attached = { ok: true; images: ImagePart[] } | { ok: false; message: string };

export const MAX_IMAGE_BYTES = 20_000_000;

const NAMED = /(?:^|\s)@(?:"([^"]+)"|(\S+))/g;
const EXTENSION = /\.(png|jpe?g|gif|webp|pdf)$/i;

/** Reads every attachment the text names; a name that cannot be attached is an error, never silently left out. */
export async function readAttachments(text: string, cwd: string): Promise<Attached> {
  const names = [...text.matchAll(NAMED)].map((match) => trimPunctuation(match[1] ?? match[2] ?? ""));
  const images: ImagePart[] = [];
  for (const name of new Set(names.filter((candidate) => EXTENSION.test(candidate)))) {
    const image = await readImage(resolve(cwd, name));
    if (typeof image === "string") return { ok: false, message: `@${name} cannot be attached: ${image}.` };
    images.push(image);
  }
  return { ok: true, images };
}

function trimPunctuation(name: string): string {
  return name.replace(/[,;:!?)]+$|\.$/, "");
}

async function readImage(path: string): Promise<ImagePart | string> {
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path, NONBLOCKING);
    const stats = await handle.stat();
    if (!stats.isFile()) return "it is not a regular file";
    if (stats.size > MAX_IMAGE_BYTES) return `it has ${stats.size} bytes, more than ${MAX_IMAGE_BYTES}`;
    const bytes = await handle.readFile();
    const mediaType = mediaTypeOf(bytes);
    if (mediaType === undefined) return "its content is not PNG, JPEG, GIF, WebP or PDF";
    return { type: "image", mediaType, data: bytes.toString("base64") };
  } catch (error) {
    const { code } = error as { code?: string };
    return code === "ENOENT" ? "there is no such file" : error instanceof Error ? error.message : String(error);
  } finally {
    await handle?.close();
  }
}

/** Opening a FIFO must not wait for a writer. */
const NONBLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;

/** How a file begins, in bytes; a WebP file has its length behind RIFF. */
const SIGNATURES: { mediaType: string; start: string; atEight?: string }[] = [
  { mediaType: "image/png", start: "\x89PNG\r\n\x1a\n" },
  { mediaType: "image/jpeg", start: "\xff\xd8\xff" },
  { mediaType: "image/gif", start: "GIF8" },
  { mediaType: "image/webp", start: "RIFF", atEight: "WEBP" },
  { mediaType: "application/pdf", start: "%PDF-" },
];

/** What the content is, whatever the name says. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const beginning = bytes.toString("latin1", 0, 16);
  return SIGNATURES.find(({ start, atEight = "" }) => beginning.startsWith(start) && beginning.startsWith(atEight, 8))
    ?.mediaType;
}
