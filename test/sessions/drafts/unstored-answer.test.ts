import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EntrySeal } from "../../../src/protocol/entry-seal.ts";
import type { SessionEntry } from "../../../src/protocol/session-entries.ts";
import { draftPath, MOST_DRAFT_BYTES } from "../../../src/sessions/drafts/draft-file.ts";
import { createSession, openSession } from "../../../src/sessions/journal.ts";
import { readSession } from "../../../src/sessions/read-session.ts";
import type { EntryDraft } from "../../../src/sessions/session.ts";
import { answer, call, opened, placesIn, result, said, stored, user } from "../../support/session-samples.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const BY = { provider: "acme", api: "openai-completions", model: "one" };
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A session with these entries that nobody has open. */
async function sessionWith(...drafts: EntryDraft[]) {
  const places = placesIn(directory());
  const session = opened(await createSession({ places, cwd: "/projects" }));
  const ids: string[] = [];
  for (const draft of drafts) ids.push((await stored(session, draft)).id);
  await session.close();
  const path = session.path ?? "";
  return { places, path, ids };
}

type Made = Awaited<ReturnType<typeof sessionWith>>;

function leaveDraft({ path }: Pick<Made, "path">, parentId: string | undefined, ...pieces: object[]): void {
  const lines = [{ type: "draft", version: 1, parentId, ...BY }, ...pieces];
  writeFileSync(draftPath(path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const HALF = { type: "text", index: 1, text: "Half" };
const THOUGHT = { type: "thinking", index: 0, text: "Hm." };
const CALL = { type: "tool-call", index: 2, name: "shell" };

/** What opening adds to the file, and what is left beside it. */
async function openedWith({ path, places, ids }: Made, seal?: EntrySeal) {
  const result = await openSession(path, { places, ...(seal && { seal }) });
  const session = opened(result);
  const { begunCalls } = session;
  await session.close();
  const read = await readSession(path, places.blobs);
  if (!read.ok) throw new Error(read.message);
  const added: unknown[] = read.entries
    .slice(ids.length)
    .map((entry) => ("message" in entry ? entry.message : entry.type));
  return { added, parentId: read.entries.at(-1)?.parentId, begunCalls, hasDraft: existsSync(draftPath(path)) };
}

const NOTHING = { added: [], begunCalls: [], hasDraft: false };

function cut(...content: object[]) {
  return { role: "assistant", content, ...BY, stopReason: "cut", usage: NO_USAGE };
}

describe("a draft of the last answer", () => {
  test("becomes an answer that was stopped when the session is opened, once", async () => {
    const made = await sessionWith(said(user("go")));
    leaveDraft(made, made.ids[0], THOUGHT, HALF, { ...HALF, text: " of it" }, CALL);
    const message = cut({ type: "thinking", text: "Hm." }, { type: "text", text: "Half of it" });
    const first = await openedWith(made);
    expect(first).toEqual({ added: [message], parentId: made.ids[0] ?? "", begunCalls: ["shell"], hasDraft: false });
    // As if the process had been killed before it removed the file.
    leaveDraft(made, made.ids[0], THOUGHT, HALF, CALL);
    expect(await openedWith(made)).toEqual({ ...first, begunCalls: [] });
  });

  test("stays where it is while another process has the session open, and goes to one of two that come together", async () => {
    const made = await sessionWith(said(user("go")));
    leaveDraft(made, made.ids[0], HALF);
    const both = await Promise.all([1, 2].map(() => openSession(made.path, { places: made.places })));
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
    leaveDraft(made, made.ids[0], HALF);
    expect((await openSession(made.path, { places: made.places })).ok).toBe(false);
    expect(existsSync(draftPath(made.path))).toBe(true);
    for (const result of both) if (result.ok) await result.session.close();
    expect(await openedWith(made)).toMatchObject({ added: [cut({ type: "text", text: "Half" })], hasDraft: false });
  });

  test.each<[string, EntryDraft[]]>([
    ["a message that waits", [{ type: "queued", kind: "steering", message: { role: "user", content: [] } }]],
    [
      "another choice",
      [
        { type: "model-changed", model: "a/b" },
        { type: "effort-changed", effort: "low" },
      ],
    ],
    ["a command of the person", [{ type: "command", command: "ls", output: "", ending: "Exit code 0." }]],
    [
      "a name and something of an extension",
      [
        { type: "name", name: "n" },
        { type: "custom", kind: "k", data: 1 },
      ],
    ],
  ])("counts behind %s that was stored while it came", async (_, beside) => {
    const made = await sessionWith(said(user("go")), ...beside);
    leaveDraft(made, made.ids[0], HALF);
    expect(await openedWith(made)).toEqual({
      added: [cut({ type: "text", text: "Half" })],
      parentId: made.ids.at(-1) ?? "",
      begunCalls: [],
      hasDraft: false,
    });
  });

  test.each<[string, EntryDraft[]]>([
    ["results", [said(user("go")), said(answer("", call("a"))), said(result("a"))]],
    ["a model that paused", [said(user("go")), said({ ...answer("Wait."), stopReason: "pause" })]],
    [
      "a rule the model was told",
      [said(user("go")), { type: "rules-injected", names: ["r"], message: { role: "user", content: [] } }],
    ],
  ])("counts behind %s", async (_, entries) => {
    const made = await sessionWith(...entries);
    leaveDraft(made, made.ids.at(-1), HALF);
    expect((await openedWith(made)).added).toEqual([cut({ type: "text", text: "Half" })]);
  });

  test.each<[string, EntryDraft[], number]>([
    ["the answer was stored and just the draft was not removed", [said(user("go")), said(answer("Half of it."))], 0],
    ["more was said since", [said(user("go")), said(answer("x")), said(user("more"))], 0],
    ["it hangs on an answer that was complete", [said(user("go")), said(answer("x"))], 1],
    [
      "a call was running, which an answer never follows",
      [said(user("go")), said(answer("", call("a"))), { type: "tool-started", call: call("a") }],
      2,
    ],
    ["its place is not in the session", [said(user("go"))], 7],
  ])("does not count where %s", async (_, entries, parent) => {
    const made = await sessionWith(...entries);
    leaveDraft(made, made.ids[parent] ?? "nowhere", HALF, CALL);
    const { added, begunCalls, hasDraft } = await openedWith(made);
    expect(added.filter((message) => JSON.stringify(message).includes("cut"))).toEqual([]);
    expect({ begunCalls, hasDraft }).toEqual({ begunCalls: [], hasDraft: false });
  });

  test("that has no words yet leaves the prompt without an answer, and names the call that was begun", async () => {
    const made = await sessionWith(said(user("go")));
    leaveDraft(made, made.ids[0], THOUGHT, { ...HALF, text: " \n" }, CALL, CALL);
    expect(await openedWith(made)).toMatchObject({ ...NOTHING, begunCalls: ["shell", "shell"] });
  });

  test("holds a long text, which becomes a blob like that of any answer", async () => {
    const made = await sessionWith(said(user("go")));
    const long = "ü".repeat(100_000);
    leaveDraft(made, made.ids[0], { ...HALF, text: long });
    expect((await openedWith(made)).added).toEqual([cut({ type: "text", text: long })]);
  });

  test("is opened and closed with the seal of the session", async () => {
    const made = await sessionWith(said(user("go")));
    leaveDraft(made, made.ids[0], { ...HALF, text: "It is #1#." });
    const change = (from: string, to: string) => (entry: SessionEntry) =>
      JSON.parse(JSON.stringify(entry).replaceAll(from, to)) as SessionEntry;
    const seal = { close: change("hunter2", "#1#"), open: change("#1#", "hunter2") };
    const session = opened(await openSession(made.path, { places: made.places, seal }));
    expect(session.entries.at(-1)).toMatchObject({ message: cut({ type: "text", text: "It is hunter2." }) });
    await session.close();
    expect((await openedWith(made)).added).toEqual([cut({ type: "text", text: "It is #1#." })]);
  });
});

describe("a file of that name that is no draft", () => {
  const lines = (parentId: string | undefined) => `${JSON.stringify({ type: "draft", version: 1, parentId, ...BY })}\n`;

  test.each<[string, (path: string, parentId: string | undefined) => void]>([
    ["another text", (path) => writeFileSync(path, "hello\nthere\n")],
    ["a draft of a later version", (path, id) => writeFileSync(path, lines(id).replace('"version":1', '"version":2'))],
    [
      "more bytes than Ralph writes",
      (path, id) => {
        writeFileSync(path, `${lines(id)}${JSON.stringify(HALF)}\n`);
        truncateSync(path, MOST_DRAFT_BYTES + 1);
      },
    ],
    ["a pipe", (path) => void spawnSync("mkfifo", [path])],
    [
      "a link",
      (path, id) => {
        writeFileSync(`${path}.target`, `${lines(id)}${JSON.stringify(HALF)}\n`);
        symlinkSync(`${path}.target`, path);
      },
    ],
  ])("%s is ignored and removed", async (_, make) => {
    const made = await sessionWith(said(user("go")));
    make(draftPath(made.path), made.ids[0]);
    expect(await openedWith(made)).toMatchObject(NOTHING);
  });

  test("a folder is ignored", async () => {
    const made = await sessionWith(said(user("go")));
    mkdirSync(join(draftPath(made.path), "inside"), { recursive: true });
    expect(await openedWith(made)).toMatchObject({ ...NOTHING, hasDraft: true });
  });
});
