import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

const FIXTURES = join(import.meta.dir, "../fixtures/permissions");

function linesOf(name: string): Record<string, unknown>[] {
  const text = readFileSync(join(FIXTURES, name), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function check(lines: unknown[]): Promise<Record<string, unknown>[]> {
  using ralph = await openFrontDoor();
  const stdin = `${lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")}\n`;
  const { code, stdout, stderr } = await ralph.run(["permissions", "check"], { stdin, timeoutMs: 60_000 });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("ralph permissions check", () => {
  test("allows no bypass and every everyday command of the collections", async () => {
    const bypasses = linesOf("bypasses.jsonl");
    const everyday = linesOf("everyday.jsonl");
    const workspace = "/w/project";
    const answers = await check([...bypasses, ...everyday].map((line) => ({ workspace, ...line })));
    expect(answers.map(({ id }) => id)).toEqual([...bypasses, ...everyday].map(({ id }) => id));
    const decisions = answers.map(({ decision }) => decision);
    const isAllowed = (decision: unknown) => decision === "allow";
    expect(bypasses.filter((_, index) => isAllowed(decisions[index]))).toEqual([]);
    expect(everyday.filter((_, index) => !isAllowed(decisions[bypasses.length + index]))).toEqual([]);
  }, 60_000);

  test("judges compound commands segment by segment, with the rule and the reason", async () => {
    const request = { command: "git status && npm test; rm -r build", workspace: "/nowhere/app" };
    const rules = [
      ["git", "status"],
      { tool: "shell", pattern: ["npm", "test"] },
      { tool: "read_file", pattern: ["rm"] },
      [],
    ];
    expect(await check([{ id: "a", ...request, allow_rules: rules }])).toEqual([
      {
        id: "a",
        decision: "ask",
        reason: "rm -r build: no rule allows it",
        segments: [
          { command: "git status", decision: "allow", reason: "a rule allows it", rule: 'allow ["git","status"]' },
          { command: "npm test", decision: "allow", reason: "a rule allows it", rule: 'allow ["npm","test"]' },
          { command: "rm -r build", decision: "ask", reason: "no rule allows it" },
        ],
      },
    ]);
  });

  test("denies what a deny rule names, however it is wrapped, and what cannot be read", async () => {
    const deny = { tool: "shell", pattern: ["curl"], action: "deny" };
    const commands = ["curl x", "env -i curl x", "echo $(curl x)", "timeout 5 /usr/bin/curl x", "bash -c 'curl x'"];
    const lines = commands.map((command, id) => ({ id, command, allow_rules: [["echo"], ["bash"], deny] }));
    const answers = await check([...lines, { id: 9 }, "no json", { id: 10, command: "ls", workspace: "relative" }]);
    expect(answers.map(({ decision, error }) => decision ?? error)).toEqual([
      ...commands.map(() => "deny"),
      "deny",
      "the line is not a JSON object",
      "deny",
    ]);
  });

  test("streams ten thousand lines well within a minute", async () => {
    const [first = {}] = linesOf("everyday.jsonl");
    const answers = await check(Array.from({ length: 10_000 }, (_, id) => ({ ...first, id })));
    expect(answers).toHaveLength(10_000);
  }, 60_000);
});

describe("ralph why", () => {
  test("says what the gate would say to each part of a command, and runs nothing", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("permissions:\n  allow: ['Bash(npm test:*)']\n  deny: ['Bash(curl:*)']\n");
    const explained = async (command: string) => (await ralph.run(["why", "--", command])).stdout;
    expect(await explained("npm test && touch made")).toStartWith(
      "ask: touch made: touch is never run unasked [category]\n" +
        "  allow  npm test  (Bash(npm test:*) of permissions.allow allows it)\n  ask    touch made  (touch is never run unasked)\nIt would run ",
    );
    expect(await explained("timeout 5 curl x")).toBe("deny: Bash(curl:*) of permissions.deny denies it [deny-rule]\n");
    expect(ralph.workspace.find("project/*")).toEqual([]);
  });

  test("is a question like any other without the dashes", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["why", "does", "it", "fail?"]);
    expect([code, stdout]).toEqual([0, "ok\n"]);
  });
});

test("ralph permissions simulate says what a rule would have answered in the sessions of this folder", async () => {
  using ralph = await openFrontDoor();
  const calls = ["npm test", "npm test", "git status", "npm publish"].map((command) => ({
    name: "shell",
    input: { command },
  }));
  ralph.provider.answer(toolCallAnswer(...calls), textAnswer("ok"));
  await ralph.run(["-p", "go", "--yolo"]);
  const { code, stdout } = await ralph.run(["permissions", "simulate", "Bash(npm test:*)"]);
  expect([code, stdout]).toEqual([
    0,
    "Bash(npm test:*) would have answered 2 of the 3 questions of this folder's sessions.\n  2 × npm test\n",
  ]);
}, 20_000);
