import { expect, test } from "bun:test";
import fc from "fast-check";
import { collectOutput, outputText } from "../../src/system/capped-output.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("output below the cap is kept whole", () => {
  const collector = collectOutput(10);
  collector.add(bytes("hello"));
  collector.add(bytes("world"));
  expect(collector.output()).toEqual({
    head: bytes("helloworld"),
    tail: new Uint8Array(),
    totalBytes: 10,
    droppedBytes: 0,
  });
});

test("above the cap the beginning and the end are kept", () => {
  const collector = collectOutput(6);
  for (const letter of "abcdefghijklmnopqrstuvwxyz") collector.add(bytes(letter));
  expect(collector.output()).toEqual({ head: bytes("abc"), tail: bytes("xyz"), totalBytes: 26, droppedBytes: 20 });
});

test("however the output is cut into pieces, the same is kept", () => {
  fc.assert(
    fc.property(fc.nat(40), fc.array(fc.uint8Array({ maxLength: 60 })), (cap, pieces) => {
      const collector = collectOutput(cap);
      for (const piece of pieces) collector.add(piece);
      const all = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
      const headLength = Math.ceil(cap / 2);
      expect(collector.output()).toEqual(
        all.length <= cap
          ? { head: all, tail: new Uint8Array(), totalBytes: all.length, droppedBytes: 0 }
          : {
              head: all.slice(0, headLength),
              tail: all.slice(all.length - (cap - headLength)),
              totalBytes: all.length,
              droppedBytes: all.length - cap,
            },
      );
    }),
  );
});

test("the collector does not keep the caller's bytes", () => {
  const collector = collectOutput(10);
  const piece = bytes("ab");
  collector.add(piece);
  piece.fill(0);
  expect(outputText(collector.output())).toBe("ab");
});

test("the text says how much is missing and holds no halves of characters", () => {
  const collector = collectOutput(10);
  collector.add(bytes("a€€€€€€z"));
  expect(outputText(collector.output())).toBe("a€\n[… 10 bytes left out …]\n€z");
});

test("bytes that are not text are shown as such", () => {
  const collector = collectOutput(10);
  collector.add(new Uint8Array([0xff, 0x61]));
  expect(outputText(collector.output())).toBe("�a");
});
