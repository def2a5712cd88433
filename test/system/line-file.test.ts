import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { BEGINNING, type LineFile, openLineFile, type ScanPlace } from "../../src/system/line-file.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

interface Seen {
  text: string;
  head: string;
  number: number;
  ended: boolean;
}

async function opened(path: string): Promise<LineFile> {
  const result = await openLineFile(path);
  if (!result.ok) throw new Error(result.message);
  return result.file;
}

function scanned(file: LineFile, from: ScanPlace): { seen: Seen[]; place: ScanPlace } {
  const places: { offset: number; length: number; head: string; number: number; ended: boolean }[] = [];
  const place = file.scan(from, ({ offset, length, number, ended, bytes, start, held }) => {
    places.push({ offset, length, number, ended, head: Buffer.from(bytes.subarray(start, start + held)).toString() });
  });
  if ("ok" in place) throw new Error(place.message);
  const seen = places.map(({ offset, length, head, number, ended }) => {
    return { text: Buffer.from(file.read(offset, length) ?? "?").toString(), head, number, ended };
  });
  return { seen, place };
}

const lineLength = fc.oneof(fc.nat(300), fc.nat(70_000), fc.integer({ min: 250_000, max: 1_400_000 }));

describe("the lines of a file", () => {
  test("are found with their places, however long they are, and read again from there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lineLength, { maxLength: 6 }), fc.boolean(), async (lengths, isTorn) => {
        const texts = lengths.map((length, index) => `${index}:`.padEnd(length + 2, String(index)));
        const path = join(directory(), "lines");
        writeFileSync(path, isTorn ? texts.join("\n") : texts.map((text) => `${text}\n`).join(""));
        const file = await opened(path);
        const { seen } = scanned(file, BEGINNING);
        expect(seen.map(({ text }) => text)).toEqual(texts);
        expect(seen.every(({ text, head }) => text.startsWith(head) && head.length >= Math.min(256, text.length))).toBe(
          true,
        );
        expect(seen.map(({ number, ended }) => [number, ended])).toEqual(
          texts.map((_, index) => [index + 1, !isTorn || index + 1 < texts.length]),
        );
        file.close();
      }),
      { numRuns: 40 },
    );
  });

  test("that come later are found by going on, and the end of a torn one is no line of its own", async () => {
    const path = join(directory(), "lines");
    writeFileSync(path, "one\ntwo");
    const file = await opened(path);
    const { place } = scanned(file, BEGINNING);
    appendFileSync(path, "\nthree\n");
    expect(scanned(file, place).seen).toEqual([{ text: "three", head: "three", number: 3, ended: true }]);
    file.close();
    expect(Buffer.from(file.read(8, 5) ?? "").toString()).toBe("three");
    expect(file.read(8, 50)).toBeUndefined();
  });

  test("need a file", async () => {
    const path = join(directory(), "folder");
    expect(await openLineFile(path)).toMatchObject({ ok: false, reason: "missing" });
    mkdirSync(path);
    expect(await openLineFile(path)).toEqual({
      ok: false,
      reason: "not-a-file",
      message: `${path} is not a regular file.`,
    });
  });
});
