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

const SIGNATURES: { mediaType: string; at: number; bytes: string }[] = [
  { mediaType: "image/png", at: 0, bytes: "\x89PNG\r\n\x1a\n" },
  { mediaType: "image/jpeg", at: 0, bytes: "\xff\xd8\xff" },
  { mediaType: "image/gif", at: 0, bytes: "GIF8" },
  { mediaType: "image/webp", at: 8, bytes: "WEBP" },
  { mediaType: "application/pdf", at: 0, bytes: "%PDF-" },
];

/** What the content is, whatever the name says. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  return SIGNATURES.find(({ at, bytes: wanted }) =>
    bytes.subarray(at, at + wanted.length).equals(Buffer.from(wanted, "latin1")),
  )?.mediaType;
}
