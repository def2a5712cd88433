/** What is kept of a stream: all of it, or its beginning and its end. */
export interface CappedOutput {
  /** The beginning, or everything when nothing was dropped. */
  head: Uint8Array;
  /** The end; empty when nothing was dropped. */
  tail: Uint8Array;
  totalBytes: number;
  droppedBytes: number;
}

export interface OutputCollector {
  /** Copies what it keeps: the caller may reuse the bytes. */
  add(bytes: Uint8Array): void;
  output(): CappedOutput;
}

/** Keeps at most `cap` bytes and never holds more than twice as many in memory, however much comes and in what pieces. */
export function collectOutput(cap: number): OutputCollector {
  const headLimit = Math.ceil(cap / 2);
  const tailLimit = cap - headLimit;
  const head = growingBytes(headLimit);
  const tail = growingBytes(tailLimit * 2);
  let totalBytes = 0;
  return {
    add(bytes) {
      totalBytes += bytes.length;
      const room = headLimit - head.length();
      if (room > 0) head.append(bytes.subarray(0, room));
      const rest = bytes.subarray(Math.max(room, bytes.length - tailLimit, 0));
      if (tail.length() + rest.length > tailLimit * 2) tail.keepLast(tailLimit);
      tail.append(rest);
    },
    output() {
      const beginning = head.bytes();
      const end = tail.bytes();
      const droppedBytes = Math.max(0, totalBytes - beginning.length - Math.min(end.length, tailLimit));
      if (droppedBytes > 0) {
        return {
          head: beginning.slice(),
          tail: end.slice(Math.max(0, end.length - tailLimit)),
          totalBytes,
          droppedBytes,
        };
      }
      return { head: joined(beginning, end), tail: new Uint8Array(), totalBytes, droppedBytes };
    },
  };
}

/** The output as text, with a line that says how much is missing where something is. Bytes that are not UTF-8 become �. */
export function outputText({ head, tail, droppedBytes }: CappedOutput): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  if (droppedBytes === 0) return decoder.decode(head);
  const beginning = decoder.decode(withoutCutEnd(head));
  const end = decoder.decode(withoutCutStart(tail));
  return `${beginning}\n[… ${droppedBytes} bytes left out …]\n${end}`;
}

function growingBytes(limit: number) {
  let buffer = new Uint8Array(0);
  let length = 0;
  return {
    length: () => length,
    bytes: () => buffer.subarray(0, length),
    append(bytes: Uint8Array) {
      const needed = length + bytes.length;
      if (needed > buffer.length) {
        const larger = new Uint8Array(Math.min(limit, Math.max(needed, buffer.length * 2, 4096)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes, length);
      length = needed;
    },
    keepLast(count: number) {
      if (length <= count) return;
      buffer.copyWithin(0, length - count, length);
      length = count;
    },
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const result = new Uint8Array(first.length + second.length);
  result.set(first);
  result.set(second, first.length);
  return result;
}

/** Without the first bytes of a character whose other bytes were dropped. */
function withoutCutEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
    if (byte < 0x80) return bytes;
  }
  return bytes;
}

function withoutCutStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

function sequenceLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}
