import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { SESSION_VERSION, type SessionEntry, sessionEntry, sessionHeader } from "../../src/protocol/session-entries.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { isSessionEntry } from "../../src/sessions/entries/entry-shape.ts";
import { CURRENT_VERSION, migrateEntry } from "../../src/sessions/entries/migrations.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import { readSession, readStoredSession } from "../../src/sessions/read-session.ts";
import { createMemorySession } from "../../src/sessions/session.ts";
import { interruptedResult } from "../../src/sessions/settle-calls.ts";
import { manualClock } from "../support/manual-clock.ts";
import {
  answer,
  anyDraft,
  anyEntries,
  call,
  opened,
  placesIn,
  said,
  stored,
  user,
} from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

async function newSession(home = directory()) {
  const places = placesIn(home);
  const session = opened(await createSession({ places, cwd: "/projects/shop" }));
  const path = session.path ?? "";
  return { places, session, path };
}

const lines = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

describe("a session file", () => {
  test("is one header and one line per entry, each hanging on the one before", async () => {
    const home = directory();
    const places = placesIn(home);
    const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
    const session = opened(await createSession({ places, cwd: "/projects/shop", clock, parentSession: "parent" }));
    const first = await stored(session, said(user("hello")));
    const second = await stored(session, { type: "name", name: "greeting" });
    await session.close();
    const path = session.path ?? "";
    expect(basename(path)).toBe(`2026-01-02T03-04-05-006Z_${session.header.id}.jsonl`);
    expect(dirname(path)).toStartWith(join(places.sessions, "projects-shop-"));
    const [header, ...entries] = lines(path).map((line) => JSON.parse(line));
    expect(sessionHeader.parse(header)).toEqual({
      type: "session",
      version: 1,
      id: session.header.id,
      at: "2026-01-02T03:04:05.006Z",
      cwd: "/projects/shop",
      parentSession: "parent",
    });
    expect(entries).toEqual([first, second]);
    expect(first).toEqual({ id: first.id, parentId: null, at: "2026-01-02T03:04:05.006Z", ...said(user("hello")) });
    expect([first.id.length, second.parentId]).toEqual([8, first.id]);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test("gives back every entry it was given, after opening it again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDraft, { minLength: 1, maxLength: 8 }), async (drafts) => {
        const { places, session, path } = await newSession();
        await Promise.all(drafts.map((draft) => session.append(draft)));
        await session.close();
        const read = await readSession(path, places.blobs);
        expect(read).toEqual({ ok: true, header: session.header, entries: [...session.entries], problems: [] });
      }),
      { numRuns: 25 },
    );
  });

  test("takes entries that do not wait for each other as a chain", async () => {
    const { session } = await newSession();
    const texts = ["a", "b".repeat(20_000), "c", "d".repeat(20_000), "e"];
    await Promise.all(texts.map((text) => session.append(said(user(text)))));
    expect(contextOf(session.entries).messages).toEqual(texts.map(user));
    await session.close();
  });

  test("goes on at an earlier entry when it is branched", async () => {
    const { places, session, path } = await newSession();
    const first = await stored(session, said(user("one")));
    await stored(session, said(answer("two")));
    expect(session.branchFrom("nowhere")).toBe(false);
    expect(session.branchFrom(first.id)).toBe(true);
    await stored(session, said(answer("other")));
    await session.close();
    const again = opened(await openSession(path, { places }));
    expect(contextOf(again.entries).messages).toEqual([user("one"), answer("other")]);
    expect(again.entries.length).toBe(3);
    await again.close();
  });

  test("is not left behind when nothing was said", async () => {
    const { session, path } = await newSession();
    await session.close();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test("is not made by opening one that is missing", async () => {
    const { places, session, path } = await newSession();
    await session.close();
    expect(await openSession(path, { places })).toEqual({
      ok: false,
      reason: "missing",
      message: `${path} could not be read: it does not exist.`,
    });
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test("is not needed by a session in memory", async () => {
    const session = createMemorySession({ cwd: "/projects" });
    await stored(session, said(user("hi")));
    await session.close();
    expect([session.path, contextOf(session.entries).messages]).toEqual([undefined, [user("hi")]]);
  });
});

describe("long texts and pictures", () => {
  test("are kept once, under their hash, before the line that names them", async () => {
    const { places, session, path } = await newSession();
    const long = "ü".repeat(17_000);
    const image = { type: "image" as const, mediaType: "image/png", data: "A".repeat(20_000) };
    const big = { ...call("a", "write"), input: { path: "x", blob: "mine", nested: [{ content: long }] } };
    const drafts = [said({ role: "user", content: [{ type: "text", text: long }, image] }), said(answer("", big))];
    for (const draft of drafts) await stored(session, draft);
    await session.close();
    expect(readdirSync(places.blobs).length).toBe(2);
    expect(statSync(path).size).toBeLessThan(2000);
    expect(JSON.parse(lines(path)[2] ?? "").blobs).toEqual([
      {
        blob: new Bun.CryptoHasher("sha256").update(long).digest("hex"),
        bytes: 34_000,
        path: ["message", "content", 0, "input", "nested", 0, "content"],
      },
    ]);
    const read = await readSession(path, places.blobs);
    expect(read).toEqual({ ok: true, header: session.header, entries: [...session.entries], problems: [] });
  });

  test("that are damaged or missing leave a note and are told", async () => {
    const { places, session, path } = await newSession();
    await stored(session, said(user("x".repeat(20_000))));
    await session.close();
    const [hash = ""] = readdirSync(places.blobs);
    writeFileSync(join(places.blobs, hash), "y".repeat(20_000));
    const read = await readSession(path, places.blobs);
    if (!read.ok) throw new Error(read.message);
    expect(read.problems).toEqual([`The stored text ${hash} is missing or damaged.`]);
    expect(contextOf(read.entries).messages).toEqual([
      user(`[20000 bytes were stored here and are missing or damaged: blob ${hash}]`),
    ]);
  });

  test("with half a character stay in their line", async () => {
    const { places, session, path } = await newSession();
    const text = `${"x".repeat(20_000)}\uD800`;
    await stored(session, said(user(text)));
    await session.close();
    const read = await readSession(path, places.blobs);
    expect(read.ok && contextOf(read.entries).messages).toEqual([user(text)]);
    expect(existsSync(places.blobs)).toBe(false);
  });
});

describe("versions", () => {
  test("a newer one is refused with what to do", async () => {
    const { places, session, path } = await newSession();
    await stored(session, said(user("x")));
    await session.close();
    writeFileSync(path, readFileSync(path, "utf8").replace('"version":1', '"version":2'));
    const before = readFileSync(path, "utf8");
    expect(await openSession(path, { places })).toEqual({
      ok: false,
      reason: "newer-version",
      message: `${path} was written by a newer Ralph (session version 2, this one reads up to 1). Update Ralph to open it.`,
    });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("an older one is brought forward through all steps behind it", () => {
    const steps = [1, 2, 3].map((step) => (entry: Record<string, unknown>) => ({ ...entry, [`step${step}`]: true }));
    expect(migrateEntry({ id: "x" }, 2, steps)).toEqual({ id: "x", step2: true, step3: true });
    expect(CURRENT_VERSION).toBe(SESSION_VERSION);
  });
});

describe("the quick check of an entry", () => {
  test("accepts what the schema accepts", () => {
    fc.assert(
      fc.property(anyEntries, (entries: SessionEntry[]) => {
        for (const entry of entries)
          expect([sessionEntry.safeParse(entry).success, isSessionEntry(entry)]).toEqual([true, true]);
      }),
    );
  });

  test("refuses what the schema refuses when a field is missing or has another type", () => {
    fc.assert(
      fc.property(
        anyEntries,
        fc.nat(),
        fc.constantFrom(undefined, null, 5, "text", [], {}),
        (entries, at, replacement) => {
          for (const entry of entries) {
            const changed = structuredClone(entry);
            const places = holdersOf(changed);
            const place = places[at % places.length];
            if (place === undefined) continue;
            place.holder[place.key] = replacement;
            const plain = JSON.parse(JSON.stringify(changed));
            expect([isSessionEntry(plain), plain]).toEqual([sessionEntry.safeParse(plain).success, plain]);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** Every place in a value where something can be replaced. */
function holdersOf(value: object): { holder: Record<string, unknown>; key: string }[] {
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => {
    const below = holder[key];
    return [{ holder, key }, ...(typeof below === "object" && below !== null ? holdersOf(below) : [])];
  });
}

describe("calls that were running when Ralph was stopped", () => {
  test("get their result in the file when it is opened, once", async () => {
    const { places, session, path } = await newSession();
    await stored(session, said(user("go")));
    await stored(session, said(answer("", call("a"), call("b"))));
    await stored(session, { type: "tool-started", call: call("a") });
    await session.close();
    const again = opened(await openSession(path, { places }));
    expect(again.interrupted).toEqual([call("a")]);
    await again.close();
    const third = opened(await openSession(path, { places }));
    expect([third.interrupted, third.entries.length]).toEqual([[], 4]);
    expect(contextOf(third.entries)).toEqual({
      messages: [
        user("go"),
        answer("", call("a"), call("b")),
        interruptedResult(call("a")),
        interruptedResult(call("b")),
      ],
      model: "acme/one",
      interrupted: [call("b")],
    });
    await third.close();
  });
});

describe("a damaged file", () => {
  async function written(count: number) {
    const made = await newSession();
    for (let number = 1; number <= count; number++) await stored(made.session, said(user(`message ${number}`)));
    await made.session.close();
    return made;
  }

  test("with a torn last line loses only that line, and goes on after it", async () => {
    const { places, path } = await written(3);
    writeFileSync(path, readFileSync(path).subarray(0, -20));
    const session = opened(await openSession(path, { places }));
    expect(session.problems).toEqual(["Line 4 was cut short and left out."]);
    await stored(session, said(user("more")));
    await session.close();
    const read = await readSession(path, places.blobs);
    expect(read.ok && [read.problems, contextOf(read.entries).messages]).toEqual([
      ["Line 4 is damaged and was left out."],
      [user("message 1"), user("message 2"), user("more")],
    ]);
  });

  test("with a broken line in the middle keeps everything before and behind it", async () => {
    const { places, path } = await written(4);
    const all = lines(path);
    all[2] = `#${all[2]?.slice(1)}`;
    writeFileSync(path, `${all.join("\n")}\n`);
    const read = await readSession(path, places.blobs);
    expect(read.ok && [read.problems, contextOf(read.entries).messages]).toEqual([
      ["Line 3 is damaged and was left out."],
      [user("message 1"), user("message 3"), user("message 4")],
    ]);
  });

  test("with any bits flipped can be opened, read and appended to", async () => {
    const { places, path } = await written(6);
    const good = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(good.length * 8 - 1), { minLength: 1, maxLength: 6 }), async (bits) => {
        const bad = Buffer.from(good);
        for (const bit of bits) bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        writeFileSync(path, bad);
        const result = await openSession(path, { places });
        // A flipped digit of the version may say that a newer Ralph wrote this.
        if (!result.ok) return expect(result.reason).toBe("newer-version");
        const last = await stored(result.session, said(user("after")));
        await result.session.close();
        const read = await readSession(path, places.blobs);
        // A flipped line end joins two lines, so one bit costs at most two entries.
        expect(read.ok && read.entries.length >= 6 - 2 * bits.length + 1 && read.entries.at(-1)).toEqual(last);
        expect(read.ok && contextOf(read.entries).messages.at(-1)).toEqual(user("after"));
      }),
      { numRuns: 60 },
    );
  });

  test("without its header is known by its name, and gets a new header", async () => {
    const { places, session, path } = await written(2);
    writeFileSync(path, `${["garbage", ...lines(path).slice(1)].join("\n")}\n`);
    const again = opened(await openSession(path, { places }));
    expect([again.header, again.problems.length]).toEqual([{ ...session.header, cwd: "" }, 2]);
    await again.close();
    const read = await readStoredSession(path);
    expect(read.ok && [read.header.id, read.entries.length, read.needsHeader]).toEqual([session.header.id, 2, false]);
  });

  test("with an entry of an unknown kind keeps its place in the tree", async () => {
    const { places, path } = await written(2);
    const [header, first = "", second] = lines(path);
    writeFileSync(path, `${[header, first.replace('"message"', '"dream"'), second].join("\n")}\n`);
    const read = await readSession(path, places.blobs);
    expect(read.ok && [read.problems, read.entries.map(({ type }) => type), contextOf(read.entries).messages]).toEqual([
      ['Line 2 is no entry this Ralph can read (type "dream").'],
      ["custom", "message"],
      [user("message 2")],
    ]);
  });

  test("that never was a session is refused and left alone", async () => {
    const path = join(directory(), "notes.jsonl");
    writeFileSync(path, '{"a":1}\n{"b":2}\n');
    expect(await openSession(path, { places: placesIn(directory()) })).toEqual({
      ok: false,
      reason: "not-a-session",
      message: `${path} is not a session of Ralph.`,
    });
    expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"b":2}\n');
  });
});

test("a clock that jumps back changes no order", async () => {
  const places = placesIn(directory());
  let now = Date.UTC(2026, 5, 1);
  const clock = { ...manualClock(), now: () => now };
  const session = opened(await createSession({ places, cwd: "/projects", clock }));
  const texts = ["one", "two", "three"];
  for (const text of texts) {
    await stored(session, said(user(text)));
    now -= 3_600_000;
  }
  await session.close();
  const read = await readSession(session.path ?? "", places.blobs);
  expect(read.ok && contextOf(read.entries).messages).toEqual(texts.map(user));
});
