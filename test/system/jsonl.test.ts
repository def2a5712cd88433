import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { openJsonl } from "../../src/system/jsonl.ts";
import { type JsonlItem, readJsonl } from "../../src/system/jsonl-reader.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const newPath = () => join(directory(), "file.jsonl");

async function opened(path: string) {
  const result = await openJsonl(path);
  if (!result.ok) throw new Error(result.message);
  return result.file;
}

async function itemsOf(path: string, maxLineBytes?: number): Promise<JsonlItem[]> {
  const items: JsonlItem[] = [];
  const onLine = (item: JsonlItem) => void items.push(item);
  expect(await readJsonl(path, { onLine, maxLineBytes })).toEqual({ ok: true, stopped: false });
  return items;
}

describe("appending", () => {
  test("writes one line per value, in order, readable by the user only", async () => {
    const path = newPath();
    const file = await opened(path);
    expect(await file.append({ text: "a\nb" })).toEqual({ ok: true });
    expect(await Promise.all([1, null, "ü"].map((value) => file.append(value)))).toEqual([
      { ok: true },
      { ok: true },
      { ok: true },
    ]);
    await file.close();
    expect(readFileSync(path, "utf8")).toBe('{"text":"a\\nb"}\n1\nnull\n"ü"\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("the value is taken as it is at the moment of the call", async () => {
    const path = newPath();
    const file = await opened(path);
    const value = { a: 1 };
    const appended = file.append(value);
    value.a = 2;
    await appended;
    await file.close();
    expect(readFileSync(path, "utf8")).toBe('{"a":1}\n');
  });

  test("is on the file when it resolves", async () => {
    const path = newPath();
    const file = await opened(path);
    for (let number = 1; number <= 3; number++) {
      await file.append(number);
      expect(readFileSync(path, "utf8").split("\n").length).toBe(number + 1);
    }
    await file.close();
  });

  test("many at once share the flush", async () => {
    const file = await opened(newPath());
    const started = performance.now();
    await file.append(0);
    const one = performance.now() - started;
    await Promise.all(Array.from({ length: 2000 }, (_, index) => file.append({ index })));
    expect(performance.now() - started).toBeLessThan(Math.max(one * 200, 200));
    await file.close();
  });

  test("closing waits for what was appended, and nothing can be appended afterwards", async () => {
    const path = newPath();
    const file = await opened(path);
    const appended = file.append("last");
    await file.close();
    await file.close();
    expect([await appended, await file.append("later")]).toEqual([
      { ok: true },
      { ok: false, reason: "failed", message: `${path} is closed.` },
    ]);
    expect(readFileSync(path, "utf8")).toBe('"last"\n');
  });

  test("a torn last line is ended and kept", async () => {
    const path = newPath();
    writeFileSync(path, '{"a":1}\n{"b":');
    const file = await opened(path);
    await file.append({ c: 3 });
    await file.append({ d: 4 });
    await file.close();
    expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"b":\n{"c":3}\n{"d":4}\n');
  });

  test.if(process.platform === "linux")("a device is refused", async () => {
    const path = join(directory(), "full");
    Bun.spawnSync(["ln", "-s", "/dev/full", path]);
    expect(await openJsonl(path)).toEqual({
      ok: false,
      reason: "not-a-file",
      message: `${path} is not a regular file.`,
    });
  });

  /** Appends under a limit that cuts the second line short; `between` is run before it. */
  function cutShort(path: string, between = ""): string[] {
    const script = `
      import { appendFileSync } from "node:fs";
      import { openJsonl } from ${JSON.stringify(join(import.meta.dir, "../../src/system/jsonl.ts"))};
      process.on("SIGXFSZ", () => {});
      const { file } = await openJsonl(${JSON.stringify(path)});
      const first = await file.append("x".repeat(600));
      ${between}
      const second = await file.append("y".repeat(600));
      await file.close();
      console.log(JSON.stringify([first.ok, second.ok]));
    `;
    const run = Bun.spawnSync(["bash", "-c", 'ulimit -f 1; exec "$0" -e "$1"', process.execPath, script]);
    return [run.stdout.toString(), run.stderr.toString()];
  }

  async function typesAfterOneMore(path: string): Promise<string[]> {
    const file = await opened(path);
    await file.append("z");
    await file.close();
    return (await itemsOf(path)).map(({ type }) => type);
  }

  test("what a limit let through of a line is taken back, and the failure is a value", async () => {
    const path = newPath();
    expect(cutShort(path)).toEqual(["[true,false]\n", ""]);
    expect(await typesAfterOneMore(path)).toEqual(["line", "line"]);
  });

  test("where somebody else has written too nothing is taken back, and the next line begins on its own", async () => {
    const path = newPath();
    const foreign = `appendFileSync(${JSON.stringify(path)}, '"foreign"\\n');`;
    expect(cutShort(path, foreign)).toEqual(["[true,false]\n", ""]);
    expect(await typesAfterOneMore(path)).toEqual(["line", "line", "broken", "line"]);
  });

  test("names a directory that is missing", async () => {
    expect(await openJsonl("/nowhere/a.jsonl")).toEqual({
      ok: false,
      reason: "missing",
      message: "/nowhere/a.jsonl could not be opened: it does not exist.",
    });
  });

  test("what is no JSON value is a mistake of the caller", async () => {
    const file = await opened(newPath());
    expect(() => file.append(undefined)).toThrow(TypeError);
    await file.close();
  });
});

describe("reading", () => {
  test("reports lines, broken lines and a torn end, and counts blank lines", async () => {
    const path = newPath();
    writeFileSync(path, '\uFEFF{"a":1}\r\n\n[nonsense\n  \n"ok"\n{"torn":');
    expect(await itemsOf(path)).toEqual([
      { type: "line", number: 1, value: { a: 1 } },
      { type: "broken", number: 3, text: "[nonsense", tooLong: false },
      { type: "line", number: 5, value: "ok" },
      { type: "torn", number: 6, text: '{"torn":' },
    ]);
  });

  test("a whole value without a newline is a line", async () => {
    const path = newPath();
    writeFileSync(path, '1\n{"a":2}');
    expect(await itemsOf(path)).toEqual([
      { type: "line", number: 1, value: 1 },
      { type: "line", number: 2, value: { a: 2 } },
    ]);
  });

  test("a line that is not UTF-8 is broken and the others are not", async () => {
    const path = newPath();
    writeFileSync(
      path,
      Buffer.concat([
        Buffer.from('"a"\n"b'),
        Buffer.from([0xff]),
        Buffer.from('"\n"ü"\n'),
        Buffer.alloc(3),
        Buffer.from('\n"d"\n'),
      ]),
    );
    expect(await itemsOf(path)).toEqual([
      { type: "line", number: 1, value: "a" },
      { type: "broken", number: 2, text: '"b\uFFFD"', tooLong: false },
      { type: "line", number: 3, value: "ü" },
      { type: "broken", number: 4, text: "\0\0\0", tooLong: false },
      { type: "line", number: 5, value: "d" },
    ]);
  });

  test("an end inside a character is torn", async () => {
    const path = newPath();
    writeFileSync(path, new Uint8Array([0x31, 0x0a, 0x22, 0xc3]));
    expect(await itemsOf(path)).toEqual([
      { type: "line", number: 1, value: 1 },
      { type: "torn", number: 2, text: '"\uFFFD' },
    ]);
  });

  test("a line above the limit is skipped, wherever the chunks of the file fall", async () => {
    const path = newPath();
    const long = JSON.stringify("x".repeat(1_500_000));
    writeFileSync(path, `1\n${JSON.stringify("y".repeat(50))}\n${long}\n2\n${long}`);
    const text = (letter: string, length: number) => `"${letter.repeat(length)}`;
    expect(await itemsOf(path, 30)).toEqual([
      { type: "line", number: 1, value: 1 },
      { type: "broken", number: 2, text: `${text("y", 50)}"`, tooLong: true },
      { type: "broken", number: 3, text: text("x", 199), tooLong: true },
      { type: "line", number: 4, value: 2 },
      { type: "broken", number: 5, text: text("x", 199), tooLong: true },
    ]);
  });

  test("stops when asked to", async () => {
    const path = newPath();
    writeFileSync(path, "1\n2\n3\n");
    const seen: unknown[] = [];
    const onLine = (item: JsonlItem) => {
      seen.push(item.number);
      return item.number === 2 ? ("stop" as const) : undefined;
    };
    expect(await readJsonl(path, { onLine })).toEqual({ ok: true, stopped: true });
    expect(seen).toEqual([1, 2]);
  });

  test("refuses a pipe at once and names a missing file", async () => {
    const root = directory();
    Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    const onLine = () => undefined;
    expect([await readJsonl(join(root, "pipe"), { onLine }), await readJsonl(join(root, "none"), { onLine })]).toEqual([
      { ok: false, reason: "not-a-file", message: `${root}/pipe is not a regular file.` },
      { ok: false, reason: "missing", message: `${root}/none could not be read: it does not exist.` },
    ]);
  });

  test("reads 100,000 lines in well under a second", async () => {
    const path = newPath();
    const line = `${JSON.stringify({ type: "message", id: "0123456789", text: "some text of usual length ".repeat(6) })}\n`;
    for (let part = 0; part < 10; part++) appendFileSync(path, line.repeat(10_000));
    let count = 0;
    const onLine = ({ type }: JsonlItem) => {
      if (type === "line") count++;
    };
    const started = performance.now();
    await readJsonl(path, { onLine });
    expect(count).toBe(100_000);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test("gives back whatever was appended, in however many sittings, with crashes between them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(fc.jsonValue(), { maxLength: 4 }), fc.constantFrom("", "{", '{"half":"', '"ä'))),
        async (sittings) => {
          const path = newPath();
          for (const [values, crash] of sittings) {
            const file = await opened(path);
            for (const value of values) await file.append(value);
            await file.close();
            appendFileSync(path, crash);
          }
          writeFileSync(path, "", { flag: "a" });
          const lines = (await itemsOf(path)).filter((item) => item.type === "line");
          const expected = sittings.flatMap(([values]) => values.map((value) => JSON.parse(JSON.stringify(value))));
          expect(lines.map(({ value }) => value)).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });
});
