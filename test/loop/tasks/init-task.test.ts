import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { defaultBranch, initTask, taskTextFrom } from "../../../src/loop/tasks/init-task.ts";
import { parseTask } from "../../../src/loop/tasks/read-task.ts";
import { storiesFromMarkdown } from "../../../src/loop/tasks/stories-markdown.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

const MARKDOWN = `# Payment

What it is for.
Branch: ralph/payment
Setup: \`npm ci\`

## Story: An expired card is refused
As a shop I do not ship
what is not paid.

- [ ] Answers 402
- [x] The order stays open
* A plain point
Check: npm test -- expired
Check: \`make lint\`
Exists: src/expiry.ts
Sealed: test/**, fixtures/
### Details
\`\`\`sh
Check: not a check
## Story: not a story
\`\`\`

## Story LOG-7: Payments are logged
Depends on: S-1
Priority: -4

## Not a story
More about it.
- [ ] belongs to the task
`;

describe("stories in Markdown", () => {
  test("become a task", () => {
    expect(storiesFromMarkdown(MARKDOWN.replaceAll("\n", "\r\n"), { branchName: "x" })).toEqual({
      ok: true,
      task: {
        branchName: "ralph/payment",
        setup: "npm ci",
        description: "Payment\n\nWhat it is for.\n\nNot a story\nMore about it.\n- [ ] belongs to the task",
        stories: [
          {
            id: "S-1",
            title: "An expired card is refused",
            description:
              "As a shop I do not ship\nwhat is not paid.\n\n### Details\n```sh\nCheck: not a check\n## Story: not a story\n```",
            acceptanceCriteria: ["Answers 402", "The order stays open", "A plain point"],
            priority: 1,
            checks: ["npm test -- expired", "make lint", { exists: "src/expiry.ts" }],
            sealed: ["test/**", "fixtures/"],
            dependsOn: [],
          },
          {
            id: "LOG-7",
            title: "Payments are logged",
            description: "",
            acceptanceCriteria: [],
            priority: -4,
            checks: [],
            sealed: [],
            dependsOn: ["S-1"],
          },
        ],
      },
    });
  });

  test("that make no sense are refused with their lines", () => {
    const text = "Check: early\n## Story:\nCheck:\nPriority: soon\nBranch: late\n";
    const result = storiesFromMarkdown(text, { branchName: "x" });
    expect(result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'line 1: "check" belongs to a story',
      "line 2: the story has no title",
      'line 3: "check" has nothing behind it',
      'line 4: "soon" is no whole number',
      'line 5: "branch" is for the whole task',
    ]);
    expect(storiesFromMarkdown("", { branchName: "x" })).toEqual({
      ok: false,
      problems: [
        {
          path: "",
          message: "holds no story",
          remedy: 'Begin each with a line like "## Story: An expired card is refused".',
        },
      ],
    });
  });

  test("are read as a task or refused, whatever the text", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "## Story: A",
        "## Story x: B",
        "- [ ] c",
        "Check: d",
        "Priority: 1",
        "```",
        "Depends on: S-1",
        "# H",
      ),
      fc.string({ maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.join("\n");
        const result = taskTextFrom(text, "/code/shop");
        if (!result.ok) return expect(result.problems.length).toBeGreaterThan(0);
        const read = parseTask(result.text, { name: "shop", directory: "/code/shop", file: "/code/shop/prd.json" });
        expect(read.ok).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a new task", () => {
  test("has what it needs, and nothing that was there is touched", async () => {
    const folder = join(directory(), "tasks", "pay");
    const prd = '{"schemaVersion": 2, "userStories": [{"id": "a", "title": "A"}]}';
    expect(await initTask({ directory: folder, layout: "task", prd })).toEqual({
      ok: true,
      created: ["prd.json", "progress.txt"],
      kept: [],
      problems: [],
    });
    expect(readFileSync(join(folder, "prd.json"), "utf8")).toBe(prd);
    writeFileSync(join(folder, "progress.txt"), "mine");
    expect(await initTask({ directory: folder, layout: "project", prd: "other" })).toEqual({
      ok: true,
      created: ["prompt.md", "prd_prompt.txt", "understand_prompt.md", "codebase_map.md"],
      kept: ["prd.json", "progress.txt"],
      problems: [],
    });
    expect([prd, "mine"]).toEqual(["prd.json", "progress.txt"].map((name) => readFileSync(join(folder, name), "utf8")));
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("says what is wrong with what was there", async () => {
    const folder = directory();
    writeFileSync(join(folder, "prd.json"), "{}");
    mkdirSync(join(folder, "progress.txt"));
    const result = await initTask({ directory: folder, layout: "task" });
    expect(result.ok ? result.problems.map(({ path, message }) => [path, message.replace(folder, "")]) : []).toEqual([
      ["branchName", "is missing"],
      ["userStories", "is missing"],
      ["", "/progress.txt is a folder"],
    ]);
    const file = join(folder, "prd.json");
    expect(await initTask({ directory: file, layout: "task" })).toMatchObject({ ok: false });
  });

  test("is made from a prd.json as it is, to the last character, or not at all", () => {
    const text = '\uFEFF{ "name": "x",\t"userStories": [ { "id": "a", "title": "A" } ] }';
    expect(taskTextFrom(text, "/code/shop")).toEqual({ ok: true, text });
    expect(taskTextFrom('{"userStories": []}', "/code/shop")).toMatchObject({ ok: false });
  });

  test("works on a branch named after its folder where nothing else is said", () => {
    const names = ["/a/checkout", "/scripts/ralph", "/a/my task", "/a/x.lock", "/"];
    expect(names.map(defaultBranch)).toEqual([
      "ralph/checkout",
      "ralph/work",
      "ralph/work",
      "ralph/work",
      "ralph/work",
    ]);
  });
});
