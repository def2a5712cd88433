import { errorCode } from "../system/file-failure.ts";
import { mediaTypeOf } from "./media-type.ts";
import { isAnimatedGif, isWholeJpeg, pngHasAlpha } from "./picture-bytes.ts";

// A picture as providers take it: upright, not larger than they look at, and without what a camera wrote beside it. It is always
// decoded and written anew, so that a broken file is noticed here and not by a provider that then refuses the whole conversation.

export const MAXIMUM_PICTURE_BYTES = 20_000_000;
/** What is larger is scaled down by providers anyway, and Anthropic refuses it beside many other pictures. */
export const LONGEST_SIDE = 2000;
/** Decoding takes four bytes for each. */
export const MAXIMUM_PIXELS = 64_000_000;
/** In Base64, the form in which it is sent, this is just under 5 MB. */
export const MAXIMUM_SENT_BYTES = 3_750_000;

export interface PreparedPicture {
  ok: true;
  mediaType: string;
  /** Base64. */
  data: string;
  /** What it was and what is sent of it, for people and models. */
  description: string;
  sentBytes: number;
}

/** `reason` continues a sentence that names the file: "it has …". */
export type PictureRefusal = { ok: false; reason: string };

export interface PictureTools {
  /** The runtime's decoder; an older one has none. */
  decoder: typeof Bun.Image | undefined;
}

export async function preparePicture(
  bytes: Uint8Array,
  { decoder }: PictureTools = { decoder: Bun.Image },
): Promise<PreparedPicture | PictureRefusal> {
  if (bytes.length > MAXIMUM_PICTURE_BYTES)
    return refused(`it has ${bytes.length} bytes, more than ${MAXIMUM_PICTURE_BYTES}`);
  if (decoder === undefined) return asItIs(bytes);
  try {
    return await rewritten(bytes, decoder);
  } catch (error) {
    return refused(REASONS[errorCode(error) ?? ""] ?? `it cannot be decoded (${messageOf(error)})`);
  }
}

const REASONS: Record<string, string> = {
  ERR_IMAGE_UNKNOWN_FORMAT: "its content is not PNG, JPEG, GIF or WebP",
  ERR_IMAGE_FORMAT_UNSUPPORTED:
    "its format cannot be decoded on this machine. Convert it to PNG or JPEG with a shell command",
  ERR_IMAGE_TOO_MANY_PIXELS: `it has more than ${MAXIMUM_PIXELS / 1_000_000} million pixels. Make a smaller one first`,
  ERR_IMAGE_DECODE_FAILED: "it is damaged or not complete",
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function rewritten(bytes: Uint8Array, decoder: typeof Bun.Image): Promise<PreparedPicture | PictureRefusal> {
  const { width, height, format } = await new decoder(bytes, { maxPixels: MAXIMUM_PIXELS }).metadata();
  if (format === "jpeg" && !isWholeJpeg(bytes)) return refused("it breaks off: the end of the picture is missing");
  for (const encoding of encodingsFor(format, bytes)) {
    const image = new decoder(bytes, { maxPixels: MAXIMUM_PIXELS });
    image.resize(LONGEST_SIDE, LONGEST_SIDE, { fit: "inside", withoutEnlargement: true });
    const sent = await encoding.apply(image).buffer();
    if (sent.length > MAXIMUM_SENT_BYTES) continue;
    const before = `${nameOf(format)} ${width}×${height}, ${size(bytes.length)}`;
    const after = `${nameOf(encoding.format)} ${image.width}×${image.height}, ${size(sent.length)}`;
    const still = format === "gif" && isAnimatedGif(bytes) ? ", only the first frame" : "";
    return {
      ok: true,
      mediaType: `image/${encoding.format}`,
      data: sent.toString("base64"),
      description: `${before}; sent as ${after}${still}`,
      sentBytes: sent.length,
    };
  }
  return refused(`it stays above ${MAXIMUM_SENT_BYTES} bytes however it is written`);
}

interface Encoding {
  format: "png" | "jpeg" | "webp";
  apply(image: Bun.Image): Bun.Image;
}

/** From the best to the smallest. Only formats every provider takes; transparency is kept. */
function encodingsFor(format: Bun.Image.Format, bytes: Uint8Array): Encoding[] {
  if (format === "webp") return QUALITIES.map(webp);
  if (format === "jpeg" || format === "heic" || format === "avif") return QUALITIES.map(jpeg);
  const mayBeTransparent = format === "gif" || (format === "png" && pngHasAlpha(bytes));
  return [PNG, ...QUALITIES.map(mayBeTransparent ? webp : jpeg)];
}

const QUALITIES = [85, 70, 50, 30];
const PNG: Encoding = { format: "png", apply: (image) => image.png() };

function jpeg(quality: number): Encoding {
  return { format: "jpeg", apply: (image) => image.jpeg({ quality }) };
}

function webp(quality: number): Encoding {
  return { format: "webp", apply: (image) => image.webp({ quality }) };
}

/** Without a decoder only what providers take anyway is handed on. */
function asItIs(bytes: Uint8Array): PreparedPicture | PictureRefusal {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined || mediaType === "application/pdf")
    return refused("its content is not PNG, JPEG, GIF or WebP");
  if (bytes.length > MAXIMUM_SENT_BYTES)
    return refused(`it has ${bytes.length} bytes, more than the ${MAXIMUM_SENT_BYTES} this runtime can send unchanged`);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const description = `${nameOf(mediaType.slice("image/".length))}, ${size(bytes.length)}; sent as it is`;
  return { ok: true, mediaType, data, description, sentBytes: bytes.length };
}

function refused(reason: string): PictureRefusal {
  return { ok: false, reason };
}

function nameOf(format: string): string {
  return format === "webp" ? "WebP" : format.toUpperCase();
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
