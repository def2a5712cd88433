import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { findCycle } from "../../../src/loop/tasks/dependency-cycle.ts";
import { parseJson, valueAt } from "../../../src/loop/tasks/json-document.ts";
import { describeProblems, parseTask, readTask } from "../../../src/loop/tasks/read-task.ts";
import type { Story, Task } from "../../../src/protocol/loop-tasks.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const PLACE = { name: "shop", directory: "/code/shop", file: "/code/shop/prd.json" };

const FIRST_STORY = {
  id: "S-1",
  title: "Pay",
  acceptanceCriteria: ["An expired card is refused"],
  priority: 2,
  passes: false,
  notes: "",
};

const READ_STORY: Story = {
  ...FIRST_STORY,
  description: "",
  acceptanceCriteria: [{ description: "An expired card is refused" }],
  dependsOn: [],
  checks: [],
  sealed: [],
};

const READ_TASK: Task = {
  ...PLACE,
  dialect: "v1",
  branchName: "ralph/shop",
  description: "",
  agent: undefined,
  failoverThreshold: 3,
  setup: undefined,
  stories: [READ_STORY],
};

function read(document: unknown) {
  const result = parseTask(JSON.stringify(document), PLACE);
  return result.ok ? result.task : result.problems;
}

function paths(document: unknown): string[] {
  const result = parseTask(JSON.stringify(document), PLACE);
  return result.ok ? [] : result.problems.map(({ path }) => path);
}

function first(change: object, top: object = {}) {
  return { branchName: "ralph/shop", userStories: [{ ...FIRST_STORY, ...change }], ...top };
}

describe("the first version", () => {
  test("is read as it is, with a byte order mark too", () => {
    expect(read(first({}))).toEqual(READ_TASK);
    const marked = parseTask(`\uFEFF${JSON.stringify(first({}))}\n`, PLACE);
    expect(marked.ok ? marked.task : marked.problems).toEqual(READ_TASK);
  });

  test("takes Ralph's own checks, sealed paths and setup", () => {
    const checks = ["npm test", { run: " make ", timeout: 5, mustFailFirst: true }, { exists: "./dist//app.js" }];
    expect(read(first({ checks, sealed: ["test/", "lib/*.ts"] }, { setup: "npm ci" }))).toEqual({
      ...READ_TASK,
      setup: "npm ci",
      stories: [
        {
          ...READ_STORY,
          checks: [
            { type: "run", run: "npm test", timeoutSeconds: 600, mustFailFirst: false },
            { type: "run", run: "make", timeoutSeconds: 5, mustFailFirst: true },
            { type: "exists", exists: "dist/app.js" },
          ],
          sealed: ["test/**", "lib/*.ts"],
        },
      ],
    });
  });

  test("refuses a key it does not know, with the nearest one and how to keep it", () => {
    expect(read(first({ prioritty: 1 }, { zzzzzzzz: 1 }))).toEqual([
      {
        path: "zzzzzzzz",
        message: "is no key of this format",
        remedy: 'Correct or remove it; to keep keys of your own, add "schemaVersion": "2.0" at the top.',
      },
      {
        path: "userStories[0].prioritty",
        message: 'is no key of this format; did you mean "priority"?',
        remedy: 'Correct or remove it; to keep keys of your own, add "schemaVersion": "2.0" at the top.',
      },
    ]);
  });

  test("demands every key, and a branch that git takes", () => {
    expect(paths({ branchName: "", userStories: [{}] })).toEqual([
      "branchName",
      "userStories[0].id",
      "userStories[0].title",
      "userStories[0].acceptanceCriteria",
      "userStories[0].priority",
      "userStories[0].passes",
      "userStories[0].notes",
    ]);
    for (const branchName of ["-x", "a b", "a..b", "a.lock", "/a", "a/", "a~1", "HEAD", "a\u0007", "@"]) {
      expect(paths(first({}, { branchName }))).toEqual(["branchName"]);
    }
    expect(read(first({}, { branchName: "" }))).toEqual([
      {
        path: "branchName",
        message: "is empty",
        remedy: 'Name one like "ralph/checkout"; to stay on the branch you are on, run with --branch "".',
      },
    ]);
  });

  test("says what a value is and what it has to be", () => {
    expect(
      read(first({ priority: 1.5, passes: "yes", notes: null, acceptanceCriteria: [{ description: "x" }] })),
    ).toEqual([
      {
        path: "userStories[0].acceptanceCriteria[0]",
        message: "has to be a text in quotes",
        remedy: 'Write it as a text; objects are read in files with "schemaVersion": "2.0".',
      },
      {
        path: "userStories[0].priority",
        message: "has to be a whole number, not 1.5",
        remedy: 'Write it like "priority": 1.',
      },
      {
        path: "userStories[0].passes",
        message: 'has to be true or false, not "yes"',
        remedy: 'Write it like "passes": false.',
      },
      {
        path: "userStories[0].notes",
        message: "has to be a text in quotes, not null",
        remedy: 'Write it like "notes": "".',
      },
    ]);
  });
});

describe("version 2", () => {
  test("keeps what it does not know, takes objects as criteria, and leaves much away", () => {
    const document = {
      schemaVersion: "2.0",
      project: "shop",
      type: "feature",
      agent: "codex",
      mergeTarget: "main",
      autoMerge: false,
      failoverThreshold: 1,
      mine: { any: "thing" },
      userStories: [
        { id: "a", title: "A", acceptanceCriteria: [{ description: "one", passes: true }, "two"], model: "m" },
        { id: "b", title: "B", priority: -1, mine: 1, dependsOn: ["a"] },
        { id: "c", title: "C" },
      ],
    };
    const story = { ...READ_STORY, acceptanceCriteria: [], dependsOn: [] };
    expect(read(document)).toEqual({
      ...READ_TASK,
      dialect: "2.x",
      branchName: undefined,
      agent: "codex",
      failoverThreshold: 1,
      mergeTarget: "main",
      autoMerge: false,
      stories: [
        {
          ...story,
          id: "a",
          title: "A",
          priority: 1,
          acceptanceCriteria: [{ description: "one", passes: true }, { description: "two" }],
          model: "m",
        },
        { ...story, id: "b", title: "B", priority: -1, dependsOn: ["a"] },
        { ...story, id: "c", title: "C", priority: -1 },
      ],
    });
  });

  test("is any 2, as text or number, and no other version", () => {
    const withVersion = (schemaVersion: unknown) => paths({ schemaVersion, userStories: [{ id: "a", title: "A" }] });
    for (const known of ["2", "2.0", "2.7.1", 2, 2.1]) expect(withVersion(known)).toEqual([]);
    for (const unknown of ["3.0", 1, "1.0", "20", null, {}, [], ["2"], { toString: 1 }, "2.x"])
      expect(withVersion(unknown)).toEqual(["schemaVersion"]);
  });
});

describe("the dialect of ralph-tui", () => {
  test("is known by its keys, and stories wait for others", () => {
    const story = { id: "US-1", title: "A", description: "As a user", acceptanceCriteria: ["x"], labels: ["ui"] };
    const result = read({ name: "Shop", userStories: [story, { id: "US-2", title: "B", dependsOn: ["US-1"] }] });
    expect(result).toEqual({
      ...READ_TASK,
      dialect: "ralph-tui",
      branchName: undefined,
      stories: [
        {
          ...READ_STORY,
          id: "US-1",
          title: "A",
          description: "As a user",
          acceptanceCriteria: [{ description: "x" }],
          priority: 1,
        },
        { ...READ_STORY, id: "US-2", title: "B", acceptanceCriteria: [], priority: 1, dependsOn: ["US-1"] },
      ],
    });
  });

  test("names stories that do not exist and the ring of those that wait for each other", () => {
    const story = (id: string, ...dependsOn: string[]) => ({ id, title: id, dependsOn });
    expect(read({ userStories: [story("a", "c"), story("b", "a"), story("c", "b"), story("d", "x")] })).toEqual([
      {
        path: "userStories[3].dependsOn[0]",
        message: 'no story has the id "x"',
        remedy: "Correct the id, or take it out.",
      },
      {
        path: "userStories",
        message: "stories wait for each other: a → c → b → a",
        remedy: "Take one of these out of dependsOn.",
      },
    ]);
  });
});

describe("every dialect", () => {
  test("refuses checks that check nothing or reach outside", () => {
    const checks = [
      "",
      "  ",
      7,
      {},
      { run: "a", exists: "b" },
      { run: "a", timeout: 0 },
      { run: "a", timeout: 86_401 },
      { run: "a", timeout: "5" },
      { run: "a", timout: 5 },
      { exists: "/etc/passwd" },
      { exists: "../x" },
      { exists: "a/../../x" },
      { exists: "C:\\x" },
      { exists: "." },
      { exists: "a", timeout: 1 },
    ];
    expect(paths(first({ checks }))).toEqual([
      "userStories[0].checks[0].run",
      "userStories[0].checks[1].run",
      "userStories[0].checks[2]",
      "userStories[0].checks[3]",
      "userStories[0].checks[4]",
      "userStories[0].checks[5].timeout",
      "userStories[0].checks[6].timeout",
      "userStories[0].checks[7].timeout",
      "userStories[0].checks[8].timout",
      "userStories[0].checks[9].exists",
      "userStories[0].checks[10].exists",
      "userStories[0].checks[11].exists",
      "userStories[0].checks[12].exists",
      "userStories[0].checks[13].exists",
      "userStories[0].checks[14].timeout",
    ]);
    expect(paths(first({ sealed: ["/abs", "../up", "", "[a", 3] }))).toEqual([
      "userStories[0].sealed[4]",
      "userStories[0].sealed[0]",
      "userStories[0].sealed[1]",
      "userStories[0].sealed[2]",
      "userStories[0].sealed[3]",
    ]);
  });

  test("refuses ids that repeat, are empty or steer a terminal", () => {
    const withIds = (...ids: unknown[]) =>
      paths({ schemaVersion: 2, userStories: ids.map((id) => ({ id, title: "A" })) });
    expect(withIds("a", "b", "a")).toEqual(["userStories[2].id"]);
    expect(withIds("", " a", "a ", "a\nb", "\u001b[2J", "a\u202eb", 7, "x".repeat(101))).toEqual(
      Array.from({ length: 8 }, (_, index) => `userStories[${index}].id`),
    );
    expect(withIds("a b", "ü", "日本", "S-1.2", "x")).toEqual([]);
  });

  test("refuses an empty list, too many stories, and what is no list", () => {
    expect(paths({ schemaVersion: 2, userStories: [] })).toEqual(["userStories"]);
    expect(paths({ schemaVersion: 2, userStories: {} })).toEqual(["userStories"]);
    const many = Array.from({ length: 1001 }, (_, index) => ({ id: `s${index}`, title: "A" }));
    expect(paths({ schemaVersion: 2, userStories: many })).toEqual(["userStories"]);
    expect(paths({ schemaVersion: 2, userStories: many.slice(1) })).toEqual([]);
  });

  test("tells twenty problems and how many more there are", () => {
    const problems = read({ schemaVersion: 2, userStories: Array.from({ length: 30 }, () => 1) });
    expect(problems).toHaveLength(21);
    expect((problems as unknown[]).at(-1)).toEqual({
      path: "",
      message: "and 10 more",
      remedy: "Correct these first, then look again.",
    });
  });

  test("says where the text stops being JSON, and which keys stand there twice", () => {
    const message = (text: string) => {
      const result = parseTask(text, PLACE);
      return result.ok ? "" : describeProblems("prd.json", result.problems).join("\n");
    };
    expect(message('{\n  "branchName": "a",\n}')).toBe(
      'prd.json: is not JSON: line 2, column 20: a comma before "}" is one too many. Correct it there; every other line is read once this one is JSON.',
    );
    expect(message("")).toContain("line 1, column 1: a value is expected, not the end of the file");
    expect(message("[".repeat(5000))).toContain("more than 100 levels of brackets");
    for (const character of ["\n", "\u001f"])
      expect(message(`{"a": "${character}"}`)).toContain("line break or control character inside quotes");
    expect(message("7")).toBe('prd.json: holds no object in { }. Write { "branchName": "…", "userStories": [ … ] }.');
    const twice = JSON.stringify(first({})).replace('"passes":false', '"passes":false,\n"passes":true');
    expect(message(twice)).toBe(
      "prd.json: userStories[0].passes stands there twice, again in line 2. Keep one of them: which one counts would be a guess.",
    );
  });
});

describe("a file", () => {
  test("that is missing, too large, no text or no regular file is a problem and no exception", () => {
    const folder = directory();
    const at = (name: string) => {
      const result = readTask({ ...PLACE, directory: folder, file: join(folder, name) });
      return result.ok ? [] : [result.isMissing, ...result.problems.map(({ message }) => message.replace(folder, ""))];
    };
    writeFileSync(join(folder, "large"), Buffer.alloc(4_000_001, 32));
    writeFileSync(join(folder, "bytes"), Buffer.from([0xff, 0xfe]));
    mkdirSync(join(folder, "folder"));
    symlinkSync("loop", join(folder, "loop"));
    expect(at("none")).toEqual([true, "/none could not be read: it does not exist."]);
    expect(at("large")).toEqual([false, "/large is larger than the limit of 4000000 bytes."]);
    expect(at("bytes")).toEqual([false, "/bytes is not a text file: it is not valid UTF-8."]);
    expect(at("folder")).toEqual([false, "/folder is a directory, not a regular file."]);
    expect(at("loop")).toEqual([false, "/loop could not be read: its symbolic links form a loop."]);
  });
});

describe("whatever comes in", () => {
  const anyKey = fc.constantFrom(
    ...["id", "title", "passes", "checks", "sealed", "dependsOn", "priority", "notes", "acceptanceCriteria"],
    ...["schemaVersion", "branchName", "setup", "name", "agent", "__proto__", "toString", "constructor"],
  );
  const anyStory = fc.dictionary(anyKey, fc.jsonValue());
  const anyTask = fc
    .tuple(fc.dictionary(anyKey, fc.jsonValue()), fc.array(fc.oneof(anyStory, fc.jsonValue()), { maxLength: 4 }))
    .map(([top, userStories]) => ({ ...top, userStories }));

  test("there is no exception, and at least one problem where there is no task", () => {
    fc.assert(
      fc.property(fc.oneof(anyTask, fc.jsonValue(), fc.string()), (value) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        const result = parseTask(text, PLACE);
        if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  test("the positions of a document are those of its values, and nothing is read that JSON.parse does not read", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const parsed = parseJson(text);
        expect(parsed.ok && valueAt(parsed.document, parsed.document.root)).toEqual(JSON.parse(text));
      }),
    );
    const letters = fc.constantFrom(...'{}[]":,\\ \n\t\u001f""aeu019.-+Etrufalsn\uFEFF');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        expect(parseJson(text).ok).toBe(isJson(text.replace(/^\uFEFF/, "")));
      }),
      { numRuns: 3000 },
    );
  });

  test("a ring is found exactly where there is one", () => {
    const graph = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { maxLength: 8 });
    fc.assert(
      fc.property(graph, (edges) => {
        const stories = edges.map((dependsOn, id) => ({ id: String(id), dependsOn: dependsOn.map(String) }));
        const cycle = findCycle(stories);
        expect(cycle !== undefined).toBe(canNeverEnd(stories));
        const steps = (cycle ?? []).slice(1).map((id, index) => ({ from: cycle?.[index], to: id }));
        for (const { from, to } of steps) expect(stories.find(({ id }) => id === from)?.dependsOn).toContain(to);
        expect(cycle?.at(-1)).toBe(cycle?.[0]);
      }),
      { numRuns: 500 },
    );
  });

  test("a chain of a thousand stories is no ring and no exception", () => {
    const stories = Array.from({ length: 1000 }, (_, index) => ({
      id: String(index),
      dependsOn: index === 999 ? [] : [String(index + 1)],
    }));
    expect(findCycle(stories)).toBeUndefined();
    expect(findCycle([...stories.slice(0, 999), { id: "999", dependsOn: ["0"] }])).toHaveLength(1001);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Takes away whatever waits for nothing that is left; what stays goes round in a ring. */
function canNeverEnd(stories: readonly { id: string; dependsOn: string[] }[]): boolean {
  let left = stories;
  for (;;) {
    const ids = new Set(left.map(({ id }) => id));
    const next = left.filter(({ dependsOn }) => dependsOn.some((id) => ids.has(id)));
    if (next.length === left.length) return next.length > 0;
    left = next;
  }
}
