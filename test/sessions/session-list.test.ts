import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contextOf } from "../../src/sessions/context.ts";
import { deleteSession, forkSession, nameSession } from "../../src/sessions/fork.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import { searchSessions } from "../../src/sessions/search-sessions.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import { findSession, listSessions } from "../../src/sessions/session-list.ts";
import { newId, type SessionPlaces, sessionDirectory, sessionFileName } from "../../src/sessions/session-name.ts";
import { answer, call, chain, opened, placesIn, said, stored, user } from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

/** A closed session whose file was last written at `second`. */
async function session(places: SessionPlaces, options: { cwd?: string; second: number; drafts: EntryDraft[] }) {
  const { cwd = "/projects", second, drafts } = options;
  const made = opened(await createSession({ places, cwd }));
  for (const draft of drafts) await stored(made, draft);
  await made.close();
  const path = made.path ?? "";
  utimesSync(path, second, second);
  return { ...made.header, path };
}

async function three() {
  const places = placesIn(directory());
  const talk = [said(user("fix\n the  bug")), said(answer("done")), { type: "name" as const, name: "bug" }];
  const old = await session(places, { second: 1000, drafts: talk });
  const recent = await session(places, { second: 2000, drafts: [said(user("ü".repeat(200)))] });
  const other = await session(places, { second: 3000, cwd: "/other", drafts: [said(user("elsewhere"))] });
  return { places, old, recent, other };
}

describe("the list of sessions", () => {
  test("tells of each session of a directory what it is about, newest first", async () => {
    const { places, old, recent } = await three();
    expect(await listSessions({ places, cwd: "/projects" })).toEqual([
      {
        id: recent.id,
        path: recent.path,
        cwd: "/projects",
        at: recent.at,
        updatedAt: 2_000_000,
        preview: "ü".repeat(120),
        messageCount: 1,
      },
      {
        id: old.id,
        path: old.path,
        cwd: "/projects",
        at: old.at,
        updatedAt: 1_000_000,
        name: "bug",
        preview: "fix the bug",
        messageCount: 2,
        model: "acme/one",
      },
    ]);
  });

  test("covers all directories when none is named, and is empty where there are none", async () => {
    const { places, old, recent, other } = await three();
    expect((await listSessions({ places })).map(({ id }) => id)).toEqual([other.id, recent.id, old.id]);
    expect(await listSessions({ places: placesIn(directory()) })).toEqual([]);
  });

  test("follows what happens to the files", async () => {
    const { places, old, recent } = await three();
    await listSessions({ places });
    expect((await nameSession(old.path, "renamed", { places })).ok).toBe(true);
    expect(await deleteSession(recent.path)).toEqual({ ok: true });
    const list = await listSessions({ places, cwd: "/projects" });
    expect(list.map(({ id, name }) => [id, name])).toEqual([[old.id, "renamed"]]);
  });

  test("does not need its cache: a damaged, foreign or unwritable one changes nothing", async () => {
    const { places } = await three();
    const expected = await listSessions({ places });
    const cache = join(places.cache, "sessions.json");
    const good = readFileSync(cache, "utf8");
    const bad = [
      "",
      "{",
      "[]",
      good.slice(0, 100),
      good.replace('"version":1', '"version":9'),
      good.replaceAll('"preview"', '"p"'),
    ];
    for (const text of bad) {
      writeFileSync(cache, text);
      expect(await listSessions({ places })).toEqual(expected);
    }
    rmSync(places.cache, { recursive: true });
    writeFileSync(places.cache, "not a directory");
    expect(await listSessions({ places })).toEqual(expected);
  });

  test("leaves out files that are no sessions, and sessions in which nothing was said", async () => {
    const { places, recent } = await three();
    const folder = sessionDirectory(places, "/projects");
    writeFileSync(join(folder, sessionFileName(newId(12), 0)), "garbage\nmore\n");
    writeFileSync(join(folder, sessionFileName(newId(12), 0)), "");
    writeFileSync(join(folder, "notes.txt"), "x");
    mkdirSync(join(folder, sessionFileName(newId(12), 0)));
    expect((await listSessions({ places, cwd: "/projects" })).length).toBe(2);
    expect((await listSessions({ places, cwd: "/projects" }))[0]?.id).toBe(recent.id);
  });

  test("reads 2,000 sessions once, and then only those that changed", async () => {
    const places = placesIn(directory());
    const folder = sessionDirectory(places, "/projects");
    mkdirSync(folder, { recursive: true });
    const body = chain(said(user("hello")), said(answer("hi")))
      .map((entry) => JSON.stringify(entry))
      .join("\n");
    const paths = Array.from({ length: 2000 }, (_, number) => {
      const id = newId(12);
      const path = join(folder, sessionFileName(id, number));
      const header = { type: "session", version: 1, id, at: "2026-01-01T00:00:00.000Z", cwd: "/projects" };
      writeFileSync(path, `${JSON.stringify(header)}\n${body}\n`);
      utimesSync(path, 1000, 1000);
      return path;
    });
    const first = await listSessions({ places });
    // Same size, same time: a file that were read again would show its new text.
    const [unchanged = "", changed = ""] = paths;
    writeFileSync(unchanged, readFileSync(unchanged, "utf8").replace("hello", "HELLO"));
    utimesSync(unchanged, 1000, 1000);
    writeFileSync(changed, readFileSync(changed, "utf8").replace("hello", "HELLO!"));
    const second = await listSessions({ places });
    const previews = Object.fromEntries(second.map(({ path, preview }) => [path, preview]));
    expect([previews[unchanged], previews[changed]]).toEqual(["hello", "HELLO!"]);
    expect([first.length, second.length]).toEqual([2000, 2000]);
  });
});

describe("finding a session", () => {
  test("by its id, by the beginning of it, or as the most recent one", async () => {
    const { places, old, recent, other } = await three();
    const found = (one: typeof old) => ({ ok: true as const, id: one.id, path: one.path });
    expect(await findSession({ places, cwd: "/projects", id: old.id })).toEqual(found(old));
    expect(await findSession({ places, cwd: "/projects", id: other.id.slice(0, 11) })).toEqual(found(other));
    expect(await findSession({ places, cwd: "/projects" })).toEqual(found(recent));
  });

  test("says when there is none or more than one", async () => {
    const places = placesIn(directory());
    const folder = sessionDirectory(places, "/projects");
    mkdirSync(folder, { recursive: true });
    for (const id of ["abc1", "abc2", "xyz"]) writeFileSync(join(folder, sessionFileName(id, 0)), "");
    expect(await findSession({ places, id: "abc" })).toEqual({
      ok: false,
      reason: "ambiguous",
      message: "2 sessions begin with abc (abc2, abc1). Give more of the id.",
    });
    expect(await findSession({ places, id: "q" })).toMatchObject({ ok: false, reason: "unknown" });
    expect(await findSession({ places, cwd: "/nowhere" })).toEqual({
      ok: false,
      reason: "unknown",
      message: "There is no session in /nowhere to go on with yet. Start one first.",
    });
  });

  test("refuses ids that could lead out of the folder", async () => {
    const { places } = await three();
    for (const id of ["", ".", "..", "../x", "a/b", "a\\b", "a.b", "a\0", "a*"]) {
      expect([id, await findSession({ places, id })]).toMatchObject([id, { ok: false, reason: "bad-id" }]);
    }
  });

  test("different directories never share a folder", () => {
    const places = { sessions: "/s" };
    const folders = ["/a/b", "/a-b", "/a b", "/", "/..", "/A/b", `/${"x".repeat(300)}`].map((cwd) =>
      sessionDirectory(places, cwd),
    );
    // "/.." is the root.
    expect(new Set(folders).size).toBe(folders.length - 1);
    for (const folder of folders) expect(folder).toMatch(/^\/s\/[A-Za-z0-9][A-Za-z0-9._-]{1,75}$/);
  });

  test("by what was said in it, also in long texts, whatever the capitals", async () => {
    const { places, old, other } = await three();
    const long = await session(places, { second: 4000, drafts: [said(user(`${"x ".repeat(20_000)} Needle`))] });
    const ids = async (text: string) => (await searchSessions(text, { places })).map(({ session }) => session.id);
    expect(await ids("needle")).toEqual([long.id]);
    expect(await ids("E")).toEqual([long.id, other.id, old.id]);
    expect(await ids("  ")).toEqual([]);
    const [match] = await searchSessions("THE", { places, limit: 1 });
    expect(match?.excerpt).toBe("fix the bug");
  });
});

describe("a fork", () => {
  test("is a new session with the branch up to an entry, and leaves the first as it was", async () => {
    const places = placesIn(directory());
    const source = opened(await createSession({ places, cwd: "/projects" }));
    await stored(source, said(user("x".repeat(20_000))));
    const at = await stored(source, said(answer("two")));
    await stored(source, said(user("three")));
    const before = readFileSync(source.path ?? "", "utf8");
    const fork = opened(await forkSession(source.path ?? "", { places, cwd: "/elsewhere", entryId: at.id }));
    await stored(fork, said(user("other")));
    await fork.close();
    const again = opened(await openSession(fork.path ?? "", { places }));
    expect(again.header).toEqual({ ...fork.header, cwd: "/elsewhere", parentSession: source.header.id });
    expect(contextOf(again.entries).messages).toEqual([user("x".repeat(20_000)), answer("two"), user("other")]);
    expect(readFileSync(source.path ?? "", "utf8")).toBe(before);
    await Promise.all([source.close(), again.close()]);
  });

  test("of a session whose call is running settles the call in the fork only", async () => {
    const places = placesIn(directory());
    const source = opened(await createSession({ places, cwd: "/projects" }));
    await stored(source, said(user("go")));
    await stored(source, said(answer("", call("a"))));
    await stored(source, { type: "tool-started", call: call("a") });
    const fork = opened(await forkSession(source.path ?? "", { places, cwd: "/projects" }));
    expect([fork.interrupted, fork.entries.length, source.entries.length]).toEqual([[call("a")], 4, 3]);
    await Promise.all([source.close(), fork.close()]);
  });

  test("needs an entry that is there", async () => {
    const { places, old } = await three();
    expect(await forkSession(old.path, { places, cwd: "/projects", entryId: "nowhere" })).toEqual({
      ok: false,
      reason: "unknown-entry",
      message: `The session ${old.id} has no entry nowhere.`,
    });
  });
});

test("a session that is open cannot be deleted or renamed by others", async () => {
  const { places, old } = await three();
  const open = opened(await openSession(old.path, { places }));
  expect(await deleteSession(old.path)).toMatchObject({ ok: false, reason: "held" });
  expect(await nameSession(old.path, "x", { places })).toMatchObject({ ok: false, reason: "held" });
  await open.close();
});
