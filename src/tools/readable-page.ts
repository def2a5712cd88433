import { htmlToMarkdown } from "./html-to-markdown.ts";

export interface PageBytes {
  url: URL;
  contentType: string;
  bytes: Uint8Array;
}

export type ReadablePage =
  | { ok: true; text: string; title: string; isCut: boolean; limit: string }
  | { ok: false; message: string };

const MAX_TEXT_BYTES = 128 * 1024;
const LIMIT = `the text is longer than ${MAX_TEXT_BYTES} bytes`;

/** A page as text of at most 128 KB; HTML as Markdown. Pictures, archives and the like are refused. */
export function readablePage({ url, contentType, bytes }: PageBytes): ReadablePage {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (!isText(type, bytes)) return { ok: false, message: `it is ${type || "binary data"}, not text.` };
  const source = decode(bytes, contentType);
  if (!isHtml(type, source)) return { ok: true, title: "", limit: LIMIT, ...cut(source) };
  const { markdown, title } = htmlToMarkdown(source, { base: url.href, maxCharacters: MAX_TEXT_BYTES });
  return { ok: true, title: title.slice(0, MAX_TITLE), limit: LIMIT, ...cut(markdown) };
}

const MAX_TITLE = 300;
const TEXT_TYPES =
  /^(text\/.+|.+\+(xml|json|yaml)|application\/(json|xml|xhtml|javascript|ecmascript|yaml|x-yaml|toml|sql|x-sh|x-ndjson|jsonl|graphql|x-javascript|x-www-form-urlencoded))$/;
/** Types servers give to what they do not know; the bytes decide. */
const UNKNOWN_TYPES = ["", "application/octet-stream", "binary/octet-stream", "application/unknown"];
const SNIFFED_BYTES = 8192;

function isText(type: string, bytes: Uint8Array): boolean {
  if (TEXT_TYPES.test(type)) return true;
  return UNKNOWN_TYPES.includes(type) && !bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

function isHtml(type: string, source: string): boolean {
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return UNKNOWN_TYPES.includes(type) && /^\s{0,100}<(!doctype\s+html|html|head|body)\b/i.test(source);
}

/** The character set the server names, else the page itself, else UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  const label =
    /charset\s*=\s*["']?([\w-]{1,40})/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(beginning)?.[1] ??
    "utf-8";
  return decoderFor(label).decode(bytes);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}

function cut(text: string): { text: string; isCut: boolean } {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_TEXT_BYTES));
  return { text: text.slice(0, read), isCut: read < text.length };
}
