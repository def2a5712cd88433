// Text from bytes that may be cut anywhere.

export interface Decoded {
  text: string;
  /** The start of a character whose end has not come yet: at most three bytes. */
  rest: Uint8Array;
}

export const NO_BYTES = new Uint8Array(0);

/** Broken sequences become U+FFFD, the same ones however the bytes were cut. */
export function decodeUtf8(before: Uint8Array, bytes: Uint8Array): Decoded {
  const all = before.length === 0 ? bytes : joined(before, bytes);
  const end = all.length - unfinished(all);
  return { text: DECODER.decode(all.subarray(0, end)), rest: end === all.length ? NO_BYTES : all.slice(end) };
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function joined(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(before.length + bytes.length);
  all.set(before);
  all.set(bytes, before.length);
  return all;
}

/** How many bytes at the end start a character without finishing it. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return byte >= 0xc2 && byte <= 0xf4 && back < sequenceLength(byte) ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
