import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createAwsEventStreamDecoder } from "../../../src/llm/framing/aws-event-stream.ts";
import { MAX_FRAME_BYTES, type RawFrame } from "../../../src/llm/framing/decoder.ts";
import { encodeAwsEvent } from "../../support/aws-event-stream-encoder.ts";

// Two messages written by AWS's own codec; the first holds a header of every type.
const ALL_HEADER_TYPES =
  "000000c10000007591389bb10b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c7461017400016601016202cf01730320000169" +
  "04000020000362696e060003010203027473080000000000845fed0175090102030405060708090a0b0c0d0e0f100d3a6d6573736167652d74797065" +
  "0700056576656e747b22636f6e74656e74426c6f636b496e646578223a302c2264656c7461223a7b2274657874223a224772c3bcc39f65227d2c2270" +
  "223a22616263227df04b7bcc";
const MESSAGE_START =
  "000000760000005296d5fade0b3a6576656e742d7479706507000c6d65737361676553746172740d3a636f6e74656e742d74797065070010617070" +
  "6c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22726f6c65223a22617373697374616e74227d6fa8c599";

const HEADERS = { ":event-type": "messageStart", ":content-type": "application/json", ":message-type": "event" };

function decode(chunks: Uint8Array[]) {
  const decoder = createAwsEventStreamDecoder();
  const frames: RawFrame[] = [];
  let problem: string | undefined;
  for (const chunk of chunks) {
    const pushed = decoder.push(chunk);
    frames.push(...pushed.frames);
    problem ??= pushed.problem;
  }
  return { frames, problem, end: decoder.end() };
}

describe("a message written by AWS's own codec", () => {
  test("is read with headers of every type", () => {
    expect(decode([Buffer.from(ALL_HEADER_TYPES + MESSAGE_START, "hex")])).toEqual({
      frames: [
        { event: "contentBlockDelta", data: '{"contentBlockIndex":0,"delta":{"text":"Grüße"},"p":"abc"}' },
        { event: "messageStart", data: '{"role":"assistant"}' },
      ],
      problem: undefined,
      end: { frames: [], cut: false },
    });
  });

  test("is what the encoder of the tests writes", () => {
    const encoded = encodeAwsEvent(HEADERS, '{"role":"assistant"}');
    expect(Buffer.from(encoded).toString("hex")).toBe(MESSAGE_START);
  });
});

test("exceptions and errors are told from events by their prefix", () => {
  const exception = { ":message-type": "exception", ":exception-type": "throttlingException" };
  const error = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "Something broke" };
  expect(decode([encodeAwsEvent(exception, '{"message":"slow down"}'), encodeAwsEvent(error, "")]).frames).toEqual([
    { event: "exception:throttlingException", data: '{"message":"slow down"}' },
    { event: "exception:InternalError", data: '{"message":"Something broke"}' },
  ]);
});

test("a message without a payload holds an empty object", () => {
  expect(decode([encodeAwsEvent(HEADERS, "")]).frames).toEqual([{ event: "messageStart", data: "{}" }]);
});

describe("bytes that are no event stream", () => {
  const message = () => encodeAwsEvent(HEADERS, '{"role":"assistant"}');

  function changed(change: (bytes: Buffer) => void): Uint8Array {
    const bytes = Buffer.from(message());
    change(bytes);
    return bytes;
  }
  function withLengths(total: number, headers: number): Uint8Array {
    return changed((bytes) => {
      bytes.writeUInt32BE(total, 0);
      bytes.writeUInt32BE(headers, 4);
      bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, 8)), 8);
    });
  }

  test.each([
    [
      "a web page",
      Buffer.from("<html><body>Bad gateway</body></html>"),
      "the lengths of an event do not match their checksum",
    ],
    ["a changed payload", changed((bytes) => bytes.write("x", 100)), "an event does not match its checksum"],
    ["a giant", withLengths(MAX_FRAME_BYTES + 1, 0), `an event is longer than ${MAX_FRAME_BYTES} bytes`],
    ["a dwarf", withLengths(20, 82), "an event is shorter than its headers"],
  ])("are refused in words: %s", (_, bytes, problem) => {
    expect(decode([bytes])).toMatchObject({ frames: [], problem });
  });

  test("do not take back the frames before them, and end the reading", () => {
    const decoder = createAwsEventStreamDecoder();
    const frame = { event: "messageStart", data: '{"role":"assistant"}' };
    const problem = "the lengths of an event do not match their checksum";
    expect(decoder.push(Buffer.concat([message(), Buffer.from("garbage garbage")]))).toEqual({
      frames: [frame],
      problem,
    });
    expect(decoder.push(message())).toEqual({ frames: [], problem });
  });

  test("include headers that overrun their place", () => {
    const bytes = Buffer.from(encodeAwsEvent({ a: "b" }, ""));
    bytes.writeUInt16BE(9000, 15);
    bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4);
    expect(decode([bytes])).toMatchObject({ frames: [], problem: "an event has a header that cannot be read" });
  });
});

test("a stream that ends inside a message is cut", () => {
  const bytes = encodeAwsEvent(HEADERS, '{"role":"assistant"}');
  expect(decode([bytes.subarray(0, bytes.length - 1)])).toEqual({
    frames: [],
    problem: undefined,
    end: { frames: [], cut: true },
  });
});

test("however the bytes are cut, the frames are the same", () => {
  const event = fc.record({
    name: fc.string({ maxLength: 40 }),
    payload: fc.string({ unit: "grapheme", minLength: 1 }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), fc.array(fc.nat()), (events, cuts) => {
      const encoded = events.map(({ name, payload }) => encodeAwsEvent({ ":event-type": name }, payload));
      const bytes = Buffer.concat(encoded);
      const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
      const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
      expect(decode(chunks)).toEqual({
        frames: events.map(({ name, payload }) => ({ event: name, data: payload })),
        problem: undefined,
        end: { frames: [], cut: false },
      });
    }),
  );
});

test("no bytes make it throw", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      decode(chunks);
    }),
  );
});

test("no headers and payload with right checksums make it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (content, headerBytes) => {
      const bytes = Buffer.from(encodeAwsEvent({}, content));
      bytes.writeUInt32BE(headerBytes, 4);
      bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, 8)), 8);
      bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4);
      decode([bytes]);
    }),
  );
});

test("a large message in small pieces is read in linear time", () => {
  const payload = "x".repeat(2 * 1024 * 1024);
  const bytes = encodeAwsEvent(HEADERS, payload);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 512) }, (_, index) =>
    bytes.subarray(index * 512, (index + 1) * 512),
  );
  expect(decode(chunks).frames).toEqual([{ event: "messageStart", data: payload }]);
});

test("a long stream of short messages is read through one small buffer", () => {
  const payloads = Array.from({ length: 500 }, (_, index) => JSON.stringify({ index, text: "x".repeat(index % 90) }));
  const bytes = Buffer.concat(payloads.map((payload) => encodeAwsEvent(HEADERS, payload)));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, index) =>
    bytes.subarray(index * 1000, (index + 1) * 1000),
  );
  expect(decode(chunks).frames).toEqual(payloads.map((data) => ({ event: "messageStart", data })));
});
