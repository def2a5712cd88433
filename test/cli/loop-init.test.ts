import { describe, expect, test } from "bun:test";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";
import type { TerminalRalph } from "../support/run-in-terminal.ts";

const LAYOUT = ["codebase_map.md", "prd.json", "prd_prompt.txt", "progress.txt", "prompt.md", "understand_prompt.md"];
const STORIES = "Branch: ralph/pay\n\n## Story: Cards are taken\n- [ ] Visa works\nCheck: npm test\n";

describe("ralph init", () => {
  test("makes scripts/ralph at the top of the repository, and the second time keeps it and says what is missing", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
    workspace.write("project/src/deep/file", "");
    const made = await ralph.run(["init"], { cwd: `${workspace.project}/src` });
    const top = `${workspace.project}/scripts/ralph`;
    expect(outcomeOf(made)).toEqual({
      code: 0,
      stdout: `${["prd.json", "progress.txt", "prompt.md", "prd_prompt.txt", "understand_prompt.md", "codebase_map.md"].map((name) => `made  ${top}/${name}\n`).join("")}Put your stories into ${top}/prd.json, then: ralph run ${top}\n`,
      stderr: "",
    });
    expect(workspace.find("project/scripts/ralph/*")).toEqual(LAYOUT.map((name) => `project/scripts/ralph/${name}`));
    const before = LAYOUT.map((name) => workspace.read(`project/scripts/ralph/${name}`));
    const again = await ralph.run(["init"]);
    expect([again.code, again.stderr]).toEqual([
      1,
      'ralph: scripts/ralph/prd.json: userStories is empty: there is nothing to do. Add what is to be done, each like { "id": "S-1", "title": "Pay by card", … }.\n',
    ]);
    expect(again.stdout.match(/^kept {2}scripts\/ralph\//gm)).toHaveLength(6);
    expect(LAYOUT.map((name) => workspace.read(`project/scripts/ralph/${name}`))).toEqual(before);
  });

  test("makes a task from stories in Markdown, for people and for programs", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    workspace.write("project/stories.md", STORIES);
    expect(outcomeOf(await ralph.run(["init", "tasks/pay", "--from", "stories.md"]))).toEqual({
      code: 0,
      stdout: "made  tasks/pay/prd.json\nmade  tasks/pay/progress.txt\nNext: ralph run tasks/pay\n",
      stderr: "",
    });
    expect(JSON.parse(workspace.read("project/tasks/pay/prd.json"))).toEqual({
      schemaVersion: "2.0",
      branchName: "ralph/pay",
      userStories: [
        {
          id: "S-1",
          title: "Cards are taken",
          acceptanceCriteria: ["Visa works"],
          priority: 1,
          passes: false,
          notes: "",
          checks: ["npm test"],
        },
      ],
    });
    const { code, stdout } = await ralph.run(["init", "tasks/pay", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { directory: `${workspace.project}/tasks/pay`, created: [], kept: ["prd.json", "progress.txt"], problems: [] },
    ]);
  });

  test("writes nothing from a file with problems, over a prd.json that is there, or from a file that is not", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    workspace.write("project/bad.json", '{"branchName": "a", "userStorys": []}');
    workspace.write("project/stories.md", STORIES);
    const bad = await ralph.run(["init", "x", "--from", "bad.json"]);
    expect(outcomeOf(bad)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'ralph: bad.json: userStorys is no key of this format; did you mean "userStories"? Correct or remove it; to keep keys of your own, add "schemaVersion": "2.0" at the top.\n' +
        'ralph: bad.json: userStories is missing. Add it, like "userStories": [ … ].\n' +
        "ralph: Nothing was written.\n",
    });
    const asJson = await ralph.run(["init", "x", "--from", "bad.json", "--json"]);
    expect([asJson.code, JSON.parse(asJson.stdout).problems.map(({ path }: { path: string }) => path)]).toEqual([
      1,
      ["userStorys", "userStories"],
    ]);
    const wrong = [["--from", "none.md"], ["y"], ["--name", "y"]];
    const codes = await Promise.all(wrong.map(async (args) => (await ralph.run(["init", "x", ...args])).code));
    expect(codes).toEqual([2, 2, 2]);
    expect(workspace.find("project/x/**")).toEqual([]);
    workspace.write("project/x/prd.json", "mine");
    const kept = await ralph.run(["init", "x", "--from", "stories.md"]);
    expect([kept.code, kept.stderr]).toEqual([
      1,
      "ralph: Nothing was written: x/prd.json is there already. Move it away, or name another folder.\n",
    ]);
    expect([workspace.find("project/x/*"), workspace.read("project/x/prd.json")]).toEqual([
      ["project/x/prd.json"],
      "mine",
    ]);
  });
});

describe("ralph init in a terminal", () => {
  /** Answers the question when it stands on the screen for the n-th time. */
  const answer = async (terminal: TerminalRalph, question: string, text: string, n = 1) => {
    await terminal.waitForOutput(new RegExp(`(?:${question}[\\s\\S]*?){${n}}: $`));
    terminal.type(`${text}\r`);
  };

  test("asks for branch, stories, criteria and commands, and writes them at the end", async () => {
    using ralph = await openFrontDoor();
    await using terminal = ralph.inTerminal(["init", "tasks/pay"]);
    await answer(terminal, "Branch for the work", "a b");
    await terminal.waitForOutput('"a b" is no name git takes for a branch.');
    await answer(terminal, "Branch for the work", "", 2);
    await answer(terminal, "Story 1", "Cards are taken");
    await answer(terminal, "Criterion", "Visa works");
    await answer(terminal, "Criterion", "", 2);
    await answer(terminal, "Command", "npm test");
    await answer(terminal, "Command", "", 2);
    await terminal.waitForOutput("Story 2");
    expect(ralph.workspace.find("project/tasks/**")).toEqual([]);
    await answer(terminal, "Story 2", "");
    expect((await terminal.exited).code).toBe(0);
    expect(JSON.parse(ralph.workspace.read("project/tasks/pay/prd.json"))).toMatchObject({
      branchName: "ralph/pay",
      userStories: [
        {
          id: "S-1",
          title: "Cards are taken",
          acceptanceCriteria: ["Visa works"],
          checks: ["npm test"],
          passes: false,
        },
      ],
    });
  });

  test.each([
    ["Ctrl-D", "\x04", 1],
    ["Ctrl-C", "\x03", 130],
  ])("leaves nothing behind after %s", async (_, key, code) => {
    using ralph = await openFrontDoor();
    await using terminal = ralph.inTerminal(["init", "tasks/pay"]);
    await answer(terminal, "Branch for the work", "");
    await answer(terminal, "Story 1", "Cards are taken");
    await terminal.waitForOutput(/Criterion[^\n]*: $/);
    terminal.type(key);
    const { code: exit, screen } = await terminal.exited;
    expect([exit, screen.includes("Nothing was written.")]).toEqual([code, true]);
    expect(ralph.workspace.find("project/**")).toEqual([]);
  });
});
