import { type Decoder, MAX_FRAME_BYTES, type RawFrame } from "./decoder.ts";

// application/vnd.amazon.eventstream. Each message is a prelude (total length, length of the headers, checksum of both), the
// headers, the payload, and a checksum of everything before it; all numbers are big-endian, all checksums CRC-32.

/** Stands before the name of a frame that reports a failure, so that no event of the service can be taken for one. */
export const EXCEPTION_PREFIX = "exception:";

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const EMPTY_MESSAGE_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;

export function createAwsEventStreamDecoder(): Decoder {
  const pending = createByteQueue();
  let problem: string | undefined;

  return {
    push(bytes) {
      const frames: RawFrame[] = [];
      if (problem === undefined) pending.append(bytes);
      while (problem === undefined) {
        const message = nextMessage(pending.view());
        if (message.type === "incomplete") break;
        if (message.type === "problem") problem = message.problem;
        else {
          frames.push(message.frame);
          pending.drop(message.bytes);
        }
      }
      return problem === undefined ? { frames } : { frames, problem };
    },
    end: () => ({ frames: [], cut: pending.view().length > 0 }),
  };
}

type NextMessage =
  | { type: "incomplete" }
  | { type: "message"; frame: RawFrame; bytes: number }
  | { type: "problem"; problem: string };

const INCOMPLETE: NextMessage = { type: "incomplete" };

function nextMessage(bytes: Uint8Array): NextMessage {
  if (bytes.length < PRELUDE_BYTES) return INCOMPLETE;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const total = view.getUint32(0);
  const headerBytes = view.getUint32(4);
  if (!isChecked(bytes, PRELUDE_BYTES)) return broken("the lengths of an event do not match their checksum");
  if (total > MAX_FRAME_BYTES) return broken(`an event is longer than ${MAX_FRAME_BYTES} bytes`);
  if (total < EMPTY_MESSAGE_BYTES + headerBytes) return broken("an event is shorter than its headers");
  if (bytes.length < total) return INCOMPLETE;
  const message = bytes.subarray(0, total);
  if (!isChecked(message, total)) return broken("an event does not match its checksum");
  const headers = readHeaders(message.subarray(PRELUDE_BYTES, PRELUDE_BYTES + headerBytes));
  if (headers === undefined) return broken("an event has a header that cannot be read");
  const payload = message.subarray(PRELUDE_BYTES + headerBytes, total - CHECKSUM_BYTES);
  return { type: "message", frame: toFrame(headers, new TextDecoder().decode(payload)), bytes: total };
}

function broken(problem: string): NextMessage {
  return { type: "problem", problem };
}

/** Whether the last four of the first `length` bytes are the checksum of those before them. */
function isChecked(bytes: Uint8Array, length: number): boolean {
  const covered = bytes.subarray(0, length - CHECKSUM_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset + covered.length, CHECKSUM_BYTES);
  return Bun.hash.crc32(covered) === view.getUint32(0);
}

function toFrame(headers: Map<string, string>, payload: string): RawFrame {
  const data = payload === "" ? "{}" : payload;
  switch (headers.get(":message-type")) {
    case "exception":
      return { event: EXCEPTION_PREFIX + (headers.get(":exception-type") ?? ""), data };
    case "error": {
      const message = headers.get(":error-message") ?? "";
      return { event: EXCEPTION_PREFIX + (headers.get(":error-code") ?? ""), data: JSON.stringify({ message }) };
    }
    default:
      return { event: headers.get(":event-type") ?? "", data };
  }
}

/** Bytes of a value by its type code, after the code itself; null for the types that begin with their own length. */
const VALUE_BYTES: Record<number, number | null> = {
  0: 0,
  1: 0,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: null,
  7: null,
  8: 8,
  9: 16,
};
const STRING = 7;

/** The headers that are text; the others are stepped over. Undefined when they do not fill their place exactly. */
function readHeaders(bytes: Uint8Array): Map<string, string> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + view.getUint8(at);
    if (nameEnd >= bytes.length) return undefined;
    const type = view.getUint8(nameEnd);
    const fixed = VALUE_BYTES[type];
    const start = nameEnd + 1 + (fixed === null ? 2 : 0);
    if (fixed === undefined || start > bytes.length) return undefined;
    const end = start + (fixed ?? view.getUint16(nameEnd + 1));
    if (end > bytes.length) return undefined;
    if (type === STRING) headers.set(text(bytes.subarray(at + 1, nameEnd)), text(bytes.subarray(start, end)));
    at = end;
  }
  return headers;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

interface ByteQueue {
  append(bytes: Uint8Array): void;
  drop(count: number): void;
  /** What is in the queue; valid until the next call that changes it. */
  view(): Uint8Array;
}

/** Grows by doubling and moves bytes only when it must, so the cost stays linear however small the pieces are. */
function createByteQueue(): ByteQueue {
  let buffer = new Uint8Array(4096);
  let start = 0;
  let end = 0;

  function makeRoom(count: number): void {
    if (end + count <= buffer.length) return;
    const kept = buffer.subarray(start, end);
    const needed = kept.length + count;
    const target = needed * 2 > buffer.length ? new Uint8Array(needed * 2) : buffer;
    if (target === buffer) buffer.copyWithin(0, start, end);
    else target.set(kept);
    [buffer, start, end] = [target, 0, kept.length];
  }

  return {
    append(bytes) {
      makeRoom(bytes.length);
      buffer.set(bytes, end);
      end += bytes.length;
    },
    drop(count) {
      start += count;
      if (start === end) [start, end] = [0, 0];
    },
    view: () => buffer.subarray(start, end),
  };
}
