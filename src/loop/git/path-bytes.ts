// Git's paths are bytes. Here they are text that can always be turned back into the same bytes: a byte that is no part of UTF-8 is
// kept as a lone surrogate, U+DC00 plus the byte, which no valid text contains.

export function decodePath(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    return decodeInvalid(bytes);
  }
}

export function encodePath(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  const pieces: Uint8Array[] = [];
  for (const letter of path) {
    const code = letter.codePointAt(0) ?? 0;
    pieces.push(isKeptByte(code) ? Uint8Array.of(code - KEPT) : Buffer.from(letter));
  }
  return Buffer.concat(pieces);
}

/** For people: bytes that are no text are shown as �, and nothing in a name can break a line. */
export function shownPath(path: string): string {
  const text = path.toWellFormed();
  return /[\p{Cc}"\\]/u.test(text) ? JSON.stringify(text) : text;
}

/** The folders a path is in, from the top down. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** The parts of an output whose parts end in NUL. */
export function splitNul(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(0, start);
    const end = found < 0 ? bytes.length : found;
    parts.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const KEPT = 0xdc00;

function isKeptByte(code: number): boolean {
  return code >= KEPT + 0x80 && code <= KEPT + 0xff;
}

function decodeInvalid(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const letter = decodeStrictly(bytes.subarray(at, at + length));
    text += letter ?? String.fromCharCode(KEPT + (bytes[at] ?? 0));
    at += letter === undefined ? 1 : length;
  }
  return text;
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes);
  } catch {
    return undefined;
  }
}

function sequenceLength(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
