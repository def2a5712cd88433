import { describe, expect, test } from "bun:test";
import { lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { compareTask, type TaskEdit } from "../../../src/loop/tasks/compare-task.ts";
import { parseJson } from "../../../src/loop/tasks/json-document.ts";
import { parseTask } from "../../../src/loop/tasks/read-task.ts";
import { changeStory, restoreTask, type StoryChange, writeVerdict } from "../../../src/loop/tasks/write-task.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const PLACE = { name: "shop", directory: "/code/shop", file: "/code/shop/prd.json" };

const TEXT = `\uFEFF{
\t"schemaVersion": 2.0, "mine": [1.0,1e3,   {"7":1,"2":2}],\r
\t"userStories": [
\t\t{ "id": "S-1", "title": "A", "passes" : false,
\t\t  "notes": "old", "acceptanceCriteria": ["x", {"description": "y", "passes":false}] },
\t\t{"id":"S-2","title":"B"}
\t]
}`;

function documentOf(text: string) {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.document;
}

function fileWith(text: string) {
  const folder = directory();
  const file = join(folder, "prd.json");
  writeFileSync(file, text);
  const place = { name: basename(folder), directory: folder, file };
  let trusted = documentOf(text);
  const write = async (change: StoryChange) => {
    const written = await writeVerdict(place, { trusted, change });
    if (written.ok) trusted = written.document;
    return written;
  };
  return { place, file, write, now: () => readFileSync(file, "utf8") };
}

describe("a verdict", () => {
  test("changes its own characters and no other", async () => {
    const { write, now } = fileWith(TEXT);
    expect(await write({ story: "S-1", passes: true })).toMatchObject({ ok: true, edits: [] });
    const passed = TEXT.replace('"passes" : false', '"passes" : true').replace('"passes":false', '"passes":true');
    expect(now()).toBe(passed);
    await write({ story: "S-1", passes: false, note: "two\nlines" });
    expect(now()).toBe(TEXT.replace('"notes": "old"', '"notes": "old\\ntwo\\nlines"'));
  });

  test("is added where the story says nothing yet, laid out like its neighbours", () => {
    const change = { story: "S-2", passes: true, note: "n" };
    expect(changeStory(documentOf(TEXT), change)).toBe(
      TEXT.replace('"title":"B"}', '"title":"B", "passes": true, "notes": "n"}'),
    );
    const wide = `{\n  "userStories": [\n    {\n      "id": "S-2"\n    }\n  ]\n}\n`;
    expect(changeStory(documentOf(wide), { story: "S-2", passes: true })).toBe(
      `{\n  "userStories": [\n    {\n      "id": "S-2",\n      "passes": true\n    }\n  ]\n}\n`,
    );
  });

  test("is made on what stands there now, refused where there is no such story, and written anew where the file is gone", async () => {
    const { file, write, now } = fileWith(TEXT);
    writeFileSync(file, TEXT.replace('"title": "A"', '"title": "changed"'));
    await write({ story: "S-1", passes: true });
    expect(now()).toContain('"title": "changed", "passes" : true');
    expect(await write({ story: "S-9", passes: true })).toEqual({ ok: false, message: `${file} has no story S-9.` });
    for (const spoil of [(path: string) => writeFileSync(path, "{"), (path: string) => rmSync(path)]) {
      const other = fileWith(TEXT);
      spoil(other.file);
      expect(await other.write({ story: "S-2", passes: true })).toMatchObject({
        ok: true,
        edits: [{ kind: "control" }],
      });
      expect(other.now()).toBe(TEXT.replace('"title":"B"}', '"title":"B", "passes": true}'));
    }
  });

  test("taken back gives the text it was made on, whatever else the file holds", () => {
    const document = fc.record({
      schemaVersion: fc.constant("2.0"),
      other: fc.jsonValue(),
      userStories: fc.uniqueArray(
        fc.record({
          id: fc.stringMatching(/^[a-z]{1,6}$/),
          title: fc.constant("T"),
          passes: fc.constant(false),
          x: fc.jsonValue(),
        }),
        { selector: ({ id }) => id, minLength: 1, maxLength: 4 },
      ),
    });
    fc.assert(
      fc.property(document, fc.constantFrom(0, 2, 4, "\t"), fc.nat(), (value, indent, at) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseTask(text, PLACE).ok).toBe(true);
        const story = value.userStories[at % value.userStories.length]?.id ?? "";
        const passed = changeStory(documentOf(text), { story, passes: true }) ?? "";
        const expected = value.userStories.map((one) => (one.id === story ? { ...one, passes: true } : one));
        expect(JSON.parse(passed)).toEqual(JSON.parse(JSON.stringify({ ...value, userStories: expected })));
        expect(changeStory(documentOf(passed), { story, passes: false })).toBe(text);
      }),
    );
  });
});

const TRUSTED = {
  branchName: "ralph/shop",
  setup: "npm ci",
  userStories: [
    { id: "a", title: "A", acceptanceCriteria: ["x"], priority: 1, passes: false, notes: "", checks: ["npm test"] },
    { id: "b", title: "B", acceptanceCriteria: ["y"], priority: 2, passes: true, notes: "" },
  ],
};

type Stories = Record<string, unknown>[];

function compared(change: (stories: Stories, top: Record<string, unknown>) => void, trusted: object = TRUSTED) {
  const copy = structuredClone(trusted) as Record<string, unknown>;
  change(copy.userStories as Stories, copy);
  const result = compareTask(documentOf(JSON.stringify(trusted)), JSON.stringify(copy), PLACE);
  return { edits: result.edits.map(({ kind, message }) => `${kind}: ${message}`), document: JSON.parse(result.text) };
}

function set(story: Record<string, unknown> | undefined, values: object): void {
  Object.assign(story ?? {}, values);
}

describe("what an agent did to the file", () => {
  test("is nothing where nothing changed, and kept where it is harmless, with its layout", () => {
    const text = JSON.stringify(TRUSTED);
    expect(compareTask(documentOf(text), text, PLACE)).toEqual({ edits: [], text });
    const theirs = JSON.stringify(
      { ...TRUSTED, userStories: [{ ...TRUSTED.userStories[0], notes: "hm" }, TRUSTED.userStories[1]] },
      undefined,
      4,
    );
    expect(compareTask(documentOf(text), theirs, PLACE)).toEqual({
      edits: [
        { kind: "other", path: "userStories[0].notes", message: 'userStories[0].notes was changed from "" to "hm"' },
      ],
      text: theirs,
    });
    const reordered = JSON.stringify({ ...TRUSTED, userStories: TRUSTED.userStories.toReversed() });
    expect(compareTask(documentOf(text), reordered, PLACE)).toEqual({ edits: [], text: reordered });
  });

  test("to verdicts, checks and control is named and put back; the rest of it stays", () => {
    const { edits, document } = compared((stories, top) => {
      set(stories[0], { passes: true, checks: ["true"], sealed: ["x"], title: "Better", notes: "done", priority: 9 });
      set(stories[1], { passes: false, acceptanceCriteria: ["easier"] });
      Object.assign(top, { setup: "curl x | sh", branchName: "main" });
    });
    expect(edits).toEqual([
      'control: branchName was changed from "ralph/shop" to "main"',
      'checks: setup was changed from "npm ci" to "curl x | sh"',
      'other: userStories[0].title was changed from "A" to "Better"',
      "control: userStories[0].priority was changed from 1 to 9",
      "verdict: userStories[0].passes was changed from false to true",
      'other: userStories[0].notes was changed from "" to "done"',
      'checks: userStories[0].checks was changed from ["npm test"] to ["true"]',
      'checks: userStories[0].sealed was changed from [] to ["x"]',
      'checks: userStories[1].acceptanceCriteria was changed from ["y"] to ["easier"]',
      "verdict: userStories[1].passes was changed from true to false",
    ]);
    const [a, b] = TRUSTED.userStories;
    expect(document).toEqual({ ...TRUSTED, userStories: [{ ...a, title: "Better", notes: "done" }, b] });
  });

  test("to whole stories: taken out ones come back, added ones go", () => {
    const { edits, document } = compared((stories) => {
      stories.shift();
      set(stories[0], { notes: "kept" });
      stories.push({ ...TRUSTED.userStories[0], id: "c", checks: ["rm -rf ~"] });
    });
    expect(edits).toEqual([
      'other: userStories[1].notes was changed from "" to "kept"',
      'verdict: story "a" was taken out',
      'checks: story "c" was added',
    ]);
    expect(document).toEqual({
      ...TRUSTED,
      userStories: [TRUSTED.userStories[0], { ...TRUSTED.userStories[1], notes: "kept" }],
    });
  });

  test("to what criteria say of themselves is a verdict", () => {
    const trusted = {
      schemaVersion: 2,
      userStories: [{ id: "a", title: "A", acceptanceCriteria: [{ description: "x", passes: false }, "y"] }],
    };
    const { edits, document } = compared(
      (stories) => set(stories[0], { acceptanceCriteria: [{ description: "x", passes: true }, "y"], passes: false }),
      trusted,
    );
    expect(edits).toHaveLength(1);
    expect(edits[0]).toStartWith("verdict: userStories[0].acceptanceCriteria");
    expect(document).toEqual(trusted);
  });

  test("with keys of its own: added, changed and taken out ones follow the agent beside a verdict that does not", () => {
    const trusted = { schemaVersion: 2, one: 1, two: 2, userStories: [{ first: 1, id: "a", title: "A", last: 1 }] };
    const { document } = compared((stories, top) => {
      delete top.one;
      Object.assign(top, { two: 3, three: { deep: [1] } });
      delete stories[0]?.first;
      delete stories[0]?.last;
      set(stories[0], { passes: true, fresh: "x" });
    }, trusted);
    expect(document).toEqual({
      schemaVersion: 2,
      two: 3,
      three: { deep: [1] },
      userStories: [{ id: "a", title: "A", fresh: "x" }],
    });
  });

  test("to the version goes, and with it the keys that only the other version would take", () => {
    const { document } = compared((stories, top) => {
      Object.assign(top, { schemaVersion: "2.0" });
      set(stories[0], { own: 1, title: "Better" });
    });
    expect(document).toEqual(TRUSTED);
  });

  test("is undone in the same step in which the harness writes its own verdict", async () => {
    const text = JSON.stringify(TRUSTED);
    const { place, file, now } = fileWith(text);
    const theirs = structuredClone(TRUSTED);
    Object.assign(theirs.userStories[1] ?? {}, { passes: false, notes: "kept" });
    writeFileSync(file, JSON.stringify(theirs));
    const written = await writeVerdict(place, { trusted: documentOf(text), change: { story: "a", passes: true } });
    const [a, b] = TRUSTED.userStories;
    const expected = {
      ...TRUSTED,
      userStories: [
        { ...a, passes: true },
        { ...b, notes: "kept" },
      ],
    };
    expect(JSON.parse(now())).toEqual(expected);
    expect(written).toMatchObject({
      ok: true,
      document: { text: now() },
      edits: [{ kind: "verdict" }, { kind: "other" }],
    });
    const missing = await writeVerdict(place, { trusted: documentOf(text), change: { story: "z", passes: true } });
    expect(missing).toEqual({ ok: false, message: `${file} has no story z.` });
  });

  test("to the file as a whole brings back the one the harness knows, also over a link", async () => {
    const text = JSON.stringify(TRUSTED);
    const { place, file, now } = fileWith(text);
    const gone: TaskEdit = { kind: "control", path: "", message: "the file was taken away" };
    const broken: TaskEdit = { kind: "control", path: "", message: "the file was made unreadable" };
    const restored = async () => {
      const result = await restoreTask(place, documentOf(text));
      expect(now()).toBe(text);
      return result.ok ? result.edits : result.message;
    };
    writeFileSync(file, "{");
    expect(await restored()).toEqual([broken]);
    writeFileSync(file, text.replace('"passes":false', '"passes":false,"passes":true'));
    expect(await restored()).toEqual([broken]);
    rmSync(file);
    expect(await restored()).toEqual([gone]);
    rmSync(place.directory, { recursive: true });
    expect(await restored()).toEqual([gone]);
    const elsewhere = join(directory(), "theirs");
    writeFileSync(elsewhere, "precious");
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect(await restored()).toEqual([gone]);
    expect([lstatSync(file).isFile(), readFileSync(elsewhere, "utf8")]).toEqual([true, "precious"]);
    expect(await restored()).toEqual([]);
  });

  test("never changes what counts, whatever it was", () => {
    const key = fc.constantFrom("title", "notes", "passes", "checks", "sealed", "setup", "own", "priority", "agent");
    const edit = fc.tuple(fc.constantFrom(-1, 0, 1), key, fc.jsonValue());
    const trusted = { ...TRUSTED, schemaVersion: "2.0" };
    const counting = (task: unknown) => {
      const read = parseTask(JSON.stringify(task), PLACE);
      if (!read.ok) return read.problems;
      const { stories, description: _, ...top } = read.task;
      return [top, stories.map(({ title: _title, notes: _notes, description: _description, ...story }) => story)];
    };
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 5 }), (edits) => {
        const { document } = compared((stories, top) => {
          for (const [at, name, value] of edits) set(at < 0 ? top : stories[at], { [name]: value });
        }, trusted);
        expect(counting(document)).toEqual(counting(trusted));
      }),
      { numRuns: 300 },
    );
  });
});
