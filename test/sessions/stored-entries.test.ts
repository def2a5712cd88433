import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { openEntries } from "../../src/sessions/entries/stored-entries.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import { readSession } from "../../src/sessions/read-session.ts";
import { sessionFileName } from "../../src/sessions/session-name.ts";
import { sessionTotals } from "../../src/sessions/totals.ts";
import { buildTree, currentBranch } from "../../src/sessions/tree.ts";
import { answer, anyDraft, call, opened, placesIn, result, said, stored, user } from "../support/session-samples.ts";
import { slowlyRead } from "../support/slow-session-reader.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const TIME = Date.UTC(2026, 0, 2, 3, 4, 5);
const AT = new Date(TIME).toISOString();
const HEADER = { type: "session", version: 1, id: "session0", at: AT, cwd: "/projects" };

/** Ids as Ralph makes them, and some it never would. */
const idOf = (number: number) => (number % 7 === 6 ? `odd ${number} ü` : `entry${String(number).padStart(3, "0")}`);

const entryLine = (entry: object) => Buffer.from(`${JSON.stringify(entry)}\n`);

/** Entries of which most hang on the one before. */
const anyTree = fc
  .array(fc.record({ draft: anyDraft, back: fc.option(fc.nat(5), { freq: 3 }), isRoot: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((items) =>
    items.map(({ draft, back, isRoot }, index): SessionEntry => {
      const parent = index - 1 - (back ?? 0);
      const parentId = parent < 0 || (isRoot && back === 5) ? null : idOf(parent);
      return { id: idOf(index), parentId, at: AT, ...draft } as SessionEntry;
    }),
  );

type Damage = (lines: Buffer[]) => Buffer[];
const place = fc.nat(1000);

const damages: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(place, fc.nat(7), fc.nat(5000)).map(([line, bit, byte]) => flipped(line, byte, bit)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.nat(100), fc.nat(7)).map(([line, byte, bit]) => flipped(line, byte, bit)),
  },
  place.map(
    (line): Damage =>
      (lines) =>
        lines.toSpliced(line % lines.length, 1),
  ),
  place.map(
    (line): Damage =>
      (lines) =>
        lines.toSpliced(line % lines.length, 0, lines[line % lines.length] ?? Buffer.alloc(0)),
  ),
  fc
    .tuple(
      place,
      fc.constantFrom(
        "\n",
        "  \r\n",
        "garbage\n",
        "[1]\n",
        "null\n",
        '{"a":1}\n',
        `${JSON.stringify(HEADER)}\n`,
        '{"type":"session","version":0}\n',
      ),
    )
    .map(
      ([line, text]): Damage =>
        (lines) =>
          lines.toSpliced(line % (lines.length + 1), 0, Buffer.from(text)),
    ),
  place.map(
    (line): Damage =>
      (lines) =>
        lines.toSpliced(line % lines.length, 0, Buffer.from([0x7b, 0xff, 0xfe, 0x0a])),
  ),
  fc.constant<Damage>((lines) => [Buffer.from([0xef, 0xbb, 0xbf]), ...lines]),
  fc.nat(300).map(
    (bytes): Damage =>
      (lines) => [Buffer.concat(lines).subarray(0, -bytes - 1)],
  ),
  place.map(
    (line): Damage =>
      (lines) =>
        lines.with(line % lines.length, (lines[line % lines.length] ?? Buffer.alloc(0)).subarray(0, -1)),
  ),
);

function flipped(line: number, byte: number, bit: number): Damage {
  return (lines) => {
    const at = line % lines.length;
    const bytes = Buffer.from(lines[at] ?? "");
    const where = byte % Math.max(1, bytes.length);
    bytes[where] = (bytes[where] ?? 0) ^ (1 << bit);
    return lines.with(at, bytes);
  };
}

function damaged(lines: Buffer[], hits: Damage[]): Buffer[] {
  return hits.reduce((current, damage) => (current.length === 0 ? current : damage(current)), lines);
}

function fileOf(lines: Buffer[]): { path: string; blobs: string } {
  const home = directory();
  const path = join(home, sessionFileName("session0", TIME));
  writeFileSync(path, Buffer.concat(lines));
  return { path, blobs: join(home, "blobs") };
}

async function entriesOf(path: string, blobs: string) {
  const read = await openEntries(path, blobs);
  if (!read.ok) throw new Error(read.message);
  return read.entries;
}

describe("entries that are read when they are asked for", () => {
  test("are the same as when every line is parsed, whatever happened to the file", async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, fc.array(damages, { maxLength: 4 }), fc.nat(13), async (entries, hits, leaf) => {
        const lines = [HEADER, ...entries].map(entryLine);
        const { path, blobs } = fileOf(damaged(lines, hits));
        const slow = slowlyRead(path);
        const quick = await openEntries(path, blobs);
        const whole = await readSession(path, blobs);
        if (!slow.ok || !quick.ok || !whole.ok) {
          const expected = slow.ok ? "ok" : slow.reason;
          return expect<string[]>([quick, whole].map((read) => (read.ok ? "ok" : read.reason))).toEqual([
            expected,
            expected,
          ]);
        }
        const found = quick.entries;
        const chosen = idOf(leaf);
        // A context asked for first may find damage; then everything is as if it had been found from the beginning.
        contextOf(found, chosen);
        expect({ entries: [...found], length: found.length, last: found.at(-1), problems: found.problems }).toEqual({
          entries: slow.entries,
          length: slow.entries.length,
          last: slow.entries.at(-1),
          problems: slow.problems,
        });
        expect({ entries: whole.entries, problems: whole.problems }).toEqual({
          entries: slow.entries,
          problems: slow.problems,
        });
        expect<unknown>([quick.header, quick.needsHeader]).toEqual([slow.header, slow.needsHeader]);
        const tree = buildTree(slow.entries);
        for (const id of [chosen, tree.lastId, null]) {
          const branch = tree.pathTo(id);
          expect(currentBranch(found, id)).toEqual(branch);
          expect(contextOf(found, id)).toEqual(contextOf(slow.entries, id));
          const entry = id === null ? undefined : found.get(id);
          expect<unknown>([entry, id !== null && found.has(id)]).toEqual([branch.at(-1), branch.length > 0]);
        }
        expect(currentBranch(found)).toEqual(tree.pathTo(tree.lastId));
        expect(sessionTotals(found)).toEqual(sessionTotals(slow.entries));
        found.close();
      }),
      { numRuns: 400 },
    );
  }, 60_000);

  test("give the same context without anything else having been read", async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, fc.nat(13), async (entries, leaf) => {
        const { path, blobs } = fileOf([HEADER, ...entries].map(entryLine));
        const found = await entriesOf(path, blobs);
        expect(contextOf(found, idOf(leaf))).toEqual(contextOf(entries, idOf(leaf)));
        found.close();
        const again = await entriesOf(path, blobs);
        expect(contextOf(again, entries.at(-1)?.id)).toEqual(contextOf(entries, entries.at(-1)?.id));
        again.close();
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});

test("the model that answered last is known, also when its answer is no longer sent", async () => {
  const { places, path, entries } = await written([said(user("one")), said(answer("two")), said(user("three"))]);
  const before = opened(await openSession(path, { places }));
  await stored(before, { type: "compaction", summary: "s", firstKeptId: entries[2]?.id ?? "", tokensBefore: 9 });
  await before.close();
  const session = opened(await openSession(path, { places }));
  expect(contextOf(session.entries, session.leafId).model).toBe("acme/one");
  await session.close();
});

async function written(drafts: Parameters<typeof stored>[1][]) {
  const places = placesIn(directory());
  const session = opened(await createSession({ places, cwd: "/projects" }));
  const entries: SessionEntry[] = [];
  for (const draft of drafts) entries.push(await stored(session, draft));
  await session.close();
  return { places, path: session.path ?? "", entries };
}

function damageBody(path: string, words: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.indexOf(words)] = 0x02;
  writeFileSync(path, bytes);
}

describe("a damaged body", () => {
  test("is found when it is needed, left out and told, and what hung on it hangs on the entry before", async () => {
    const { places, path } = await written(["one", "two", "three"].map((text) => said(user(text))));
    damageBody(path, "two");
    const session = opened(await openSession(path, { places }));
    expect(contextOf(session.entries, session.leafId).messages).toEqual([user("one"), user("three")]);
    expect([session.entries.length, session.problems]).toEqual([2, ["Line 3 is damaged and was left out."]]);
    await session.close();
  });

  test("that nobody needs is not looked at, and found by who shows the whole session", async () => {
    const { places, path, entries } = await written([said(user("one")), said(answer("two")), said(user("three"))]);
    const firstKeptId = entries[2]?.id ?? "";
    const before = opened(await openSession(path, { places }));
    await stored(before, { type: "compaction", summary: "counted", firstKeptId, tokensBefore: 9 });
    await stored(before, said(answer("four")));
    await before.close();
    damageBody(path, "one");
    const session = opened(await openSession(path, { places }));
    const { messages } = contextOf(session.entries, session.leafId);
    expect([messages.slice(1), session.problems]).toEqual([[user("three"), answer("four")], []]);
    const whole = await readSession(path, places.blobs);
    expect(whole.ok && whole.problems).toEqual(["Line 2 is damaged and was left out."]);
    expect([[...session.entries].length, session.problems]).toEqual([4, ["Line 2 is damaged and was left out."]]);
    expect(contextOf(session.entries, session.leafId).messages).toEqual(messages);
    await session.close();
  });

  test("found while the context is made moves what hung on it before the context is given", async () => {
    const { places, path, entries } = await written([said(user("one")), said(user("two"))]);
    const before = opened(await openSession(path, { places }));
    before.branchFrom(entries[0]?.id ?? "");
    for (const text of ["three", "four"]) await stored(before, said(user(text)));
    await before.close();
    damageBody(path, "three");
    const session = opened(await openSession(path, { places }));
    expect(contextOf(session.entries, session.leafId).messages).toEqual(["one", "two", "four"].map(user));
    await session.close();
  });

  test("of the last entry lets work go on at the one before", async () => {
    const { places, path, entries } = await written([said(user("one")), said(answer("two"))]);
    damageBody(path, "two");
    const session = opened(await openSession(path, { places }));
    expect([session.leafId, session.problems]).toEqual([entries[0]?.id ?? "", ["Line 3 is damaged and was left out."]]);
    await session.close();
  });
});

test("a long text that is missing is told when its entry is read", async () => {
  const { places, path } = await written([said(user("x".repeat(20_000))), said(answer("ok"))]);
  rmSync(places.blobs, { recursive: true });
  const session = opened(await openSession(path, { places }));
  const { messages } = contextOf(session.entries, session.leafId);
  expect(JSON.stringify(messages)).toContain("20000 bytes were stored here and are missing or damaged");
  expect(session.problems).toEqual([expect.stringMatching(/^The stored text [0-9a-f]{64} is missing or damaged\.$/)]);
  await session.close();
});

test("totals are counted on when a session grows, and counted anew when a line turns out to be damaged", async () => {
  const { places, path } = await written([said(user("one")), said(answer("two")), said(answer("three"))]);
  damageBody(path, "two");
  const session = opened(await openSession(path, { places }));
  expect(sessionTotals(session.entries).turns).toBe(1);
  await stored(session, said(answer("four")));
  expect(sessionTotals(session.entries)).toEqual(sessionTotals([...session.entries]));
  expect(sessionTotals(session.entries).turns).toBe(2);
  await session.close();
});

test("calls of the newest answer that were running are found at the end of a long session", async () => {
  const turns = Array.from({ length: 50 }, (_, number) => [
    said(user(`prompt ${number}`)),
    said(answer("", call(`c${number}`))),
    { type: "tool-started" as const, call: call(`c${number}`) },
    said(result(`c${number}`)),
  ]);
  const { places, path } = await written([
    ...turns.flat(),
    said(answer("", call("a"), call("b"))),
    { type: "tool-started", call: call("a") },
  ]);
  const session = opened(await openSession(path, { places }));
  expect(session.interrupted).toEqual([call("a")]);
  await session.close();
});

describe("entries that were let go from memory", () => {
  const long = (number: number) => `${number} ${"ü".repeat(10_000)}`;

  test("are read again from the file, also while others are being appended", async () => {
    const places = placesIn(directory());
    const session = opened(await createSession({ places, cwd: "/projects" }));
    const count = 4000;
    for (let number = 0; number < count; number += 8) {
      const drafts = Array.from({ length: 8 }, (_, index) => said(user(long(number + index))));
      await Promise.all(drafts.map((draft) => session.append(draft)));
    }
    const texts = session.entries.map((entry) => (entry.type === "message" ? entry.message : undefined));
    expect(texts).toEqual(Array.from({ length: count }, (_, number) => user(long(number))));
    await session.close();
    expect(session.entries.at(0)).toMatchObject({ message: user(long(0)) });
    expect(session.problems).toEqual([]);
  }, 30_000);

  test("survive that the name of the file is gone", async () => {
    const places = placesIn(directory());
    const session = opened(await createSession({ places, cwd: "/projects" }));
    for (let number = 0; number < 2500; number++) void session.append(said(user(long(number))));
    await stored(session, said(user("last")));
    rmSync(dirname(session.path ?? ""), { recursive: true });
    expect([session.entries.length, session.entries.at(0)]).toMatchObject([2501, { message: user(long(0)) }]);
    mkdirSync(dirname(session.path ?? ""));
    await session.close();
  }, 30_000);
});
