// Bytes in, lines out. However the bytes are cut into pieces, the lines are the same.

export interface LineCutter {
  /** The lines these bytes complete. The bytes may be reused afterwards. */
  add(bytes: Uint8Array): string[];
  /** What is left without an end. */
  end(): string[];
}

export const LONGEST_LINE_BYTES = 1024 * 1024;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * A line ends with LF, CR LF or CR alone, as progress bars write it. One that is longer than the limit is cut between two
 * characters and goes on as the next line. Bytes that are not UTF-8 become �.
 */
export function lineCutter(limitBytes: number = LONGEST_LINE_BYTES): LineCutter {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const pending = growingBytes();
  let afterReturn = false;

  const cutLong = (lines: string[]) => {
    while (pending.length() > limitBytes) {
      const length = borderBefore(pending.bytes(), limitBytes);
      lines.push(decoder.decode(pending.bytes().subarray(0, length)));
      pending.dropFirst(length);
    }
  };
  const addPiece = (piece: Uint8Array, lines: string[]) => {
    const first = firstEnd(piece);
    pending.append(first < 0 ? piece : piece.subarray(0, first));
    cutLong(lines);
    if (first < 0) return;
    lines.push(decoder.decode(pending.bytes()));
    pending.clear();
    const start = first + (piece[first] === CARRIAGE_RETURN && piece[first + 1] === LINE_FEED ? 2 : 1);
    const end = lastEnd(piece) + 1;
    if (end > start) pushLines(decoder.decode(piece.subarray(start, end)), lines);
    pending.append(piece.subarray(Math.max(start, end)));
  };
  return {
    add(bytes) {
      const lines: string[] = [];
      // No line within a piece can be too long; only what was pending before it can make one so.
      let start = afterReturn && bytes[0] === LINE_FEED ? 1 : 0;
      for (; start < bytes.length; start += limitBytes) {
        let piece = bytes.subarray(start, start + limitBytes);
        if (start > 0 && bytes[start - 1] === CARRIAGE_RETURN && piece[0] === LINE_FEED) piece = piece.subarray(1);
        addPiece(piece, lines);
      }
      if (bytes.length > 0) afterReturn = bytes.at(-1) === CARRIAGE_RETURN;
      return lines;
    },
    end() {
      if (pending.length() === 0) return [];
      const lines = [decoder.decode(pending.bytes())];
      pending.clear();
      return lines;
    },
  };
}

function firstEnd(bytes: Uint8Array): number {
  const feed = bytes.indexOf(LINE_FEED);
  const before = feed < 0 ? bytes : bytes.subarray(0, feed);
  const carriage = before.indexOf(CARRIAGE_RETURN);
  return carriage < 0 ? feed : carriage;
}

function lastEnd(bytes: Uint8Array): number {
  return Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN));
}

/** `text` ends with the end of a line. */
function pushLines(text: string, lines: string[]): void {
  const found = text.includes("\r") ? text.split(/\r\n|\r|\n/) : text.split("\n");
  for (let index = 0; index < found.length - 1; index++) lines.push(found[index] ?? "");
}

/** The largest length up to `limit` that does not cut a character. */
function borderBefore(bytes: Uint8Array, limit: number): number {
  for (let length = limit; length > Math.max(0, limit - 4); length--) {
    if (((bytes[length] ?? 0) & 0xc0) !== 0x80) return length;
  }
  return limit;
}

const SMALL_BYTES = 64 * 1024;

function growingBytes() {
  let buffer = new Uint8Array(0);
  let length = 0;
  return {
    length: () => length,
    bytes: () => buffer.subarray(0, length),
    append(bytes: Uint8Array) {
      const needed = length + bytes.length;
      if (needed > buffer.length) {
        const larger = new Uint8Array(Math.max(needed, buffer.length * 2, 256));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes, length);
      length = needed;
    },
    dropFirst(count: number) {
      buffer.copyWithin(0, count, length);
      length -= count;
    },
    clear() {
      length = 0;
      if (buffer.length > SMALL_BYTES) buffer = new Uint8Array(0);
    },
  };
}
