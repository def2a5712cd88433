import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_FRAME_BYTES, type RawFrame } from "../../../src/llm/framing/decoder.ts";
import { createSseDecoder } from "../../../src/llm/framing/sse.ts";

describe("server-sent events", () => {
  test("an event has a name and data, and an empty line ends it", () => {
    expect(decode(["event: ping\ndata: {}\n\ndata: 1\n\n"])).toEqual([
      { event: "ping", data: "{}" },
      { event: "", data: "1" },
    ]);
  });

  test("data on several lines is joined, one space after the colon is dropped, comments and other fields mean nothing", () => {
    expect(decode([": hello\nid: 7\nretry: 10\ndata:a\ndata:  b\ndata\n\n"])).toEqual([{ event: "", data: "a\n b\n" }]);
  });

  test("an event without data is no event, and its name does not leak into the next", () => {
    expect(decode(["event: nothing\n\ndata: x\n\n"])).toEqual([{ event: "", data: "x" }]);
  });

  test("lines may end in LF, CRLF or CR", () => {
    const expected = [{ event: "a", data: "1" }];
    for (const end of ["\n", "\r\n", "\r"]) expect(decode([`event: a${end}data: 1${end}${end}`])).toEqual(expected);
  });

  test("an event whose empty line never came is handed on when the bytes end, and called cut", () => {
    const decoder = createSseDecoder();
    decoder.push(bytes('data: {"a":'));
    expect(decoder.end()).toEqual({ frames: [{ event: "", data: '{"a":' }], cut: true });
  });

  test("an event longer than the bound is refused instead of kept", () => {
    const decoder = createSseDecoder();
    const megabyte = bytes("x".repeat(1_000_000));
    let problem: string | undefined;
    for (let sent = 0; sent < MAX_FRAME_BYTES + 2_000_000 && problem === undefined; sent += 1_000_000)
      problem = decoder.push(megabyte).problem;
    expect(problem).toBe(`an event is longer than ${MAX_FRAME_BYTES} bytes`);
  });

  test("the frames do not depend on how the bytes were cut", () => {
    const line = fc.oneof(
      fc.constant(""),
      fc.string({ unit: "grapheme" }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
      fc.constant("event: é"),
    );
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 20 }),
        (lines, end, cuts) => {
          const whole = bytes(lines.map((text) => text + end).join(""));
          const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
          const pieces = [0, ...places].map((start, index) => whole.subarray(start, places[index] ?? whole.length));
          expect(decodeBytes(pieces)).toEqual(decodeBytes([whole]));
        },
      ),
    );
  });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(pieces: string[]): RawFrame[] {
  return decodeBytes(pieces.map(bytes));
}

function decodeBytes(pieces: Uint8Array[]): RawFrame[] {
  const decoder = createSseDecoder();
  return [...pieces.flatMap((piece) => decoder.push(piece).frames), ...decoder.end().frames];
}
