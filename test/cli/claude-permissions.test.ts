import { describe, expect, test } from "bun:test";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";

const SETTINGS = (permissions: Record<string, string[]>) => JSON.stringify({ permissions, hooks: {}, model: "opus" });
const THEIRS = "project/.claude/settings.json";
const NOT_SHOWN =
  "ralph: What .claude/settings.json allows does not count: you were not shown it as it is now. See it and accept it: ralph trust\n";

async function why(ralph: FrontDoor, command: string, ...flags: string[]) {
  const { stdout, stderr } = await ralph.run(["why", ...flags, "--", command]);
  return { first: stdout.split("\n").slice(0, 2).join("\n"), stderr };
}

describe("permissions of a project in .claude/settings.json", () => {
  test("count for nothing before the folder is trusted, and one line says so", async () => {
    using ralph = await openFrontDoor({
      answers: [toolCallAnswer({ name: "shell", input: { command: "touch made" } })],
    });
    ralph.workspace.write(THEIRS, SETTINGS({ allow: ["Bash"], deny: ["Bash(ls:*)"] }));
    expect((await why(ralph, "ls")).first).toStartWith("allow: ");
    const { stderr } = await ralph.run(["-p", "go"]);
    expect(stderr).toStartWith(
      "ralph: This folder is not trusted, so what its files say does not count (permissions of .claude/settings.json). Obey it: ralph trust, or --trust for one run.\n",
    );
    expect(ralph.workspace.find("project/made")).toEqual([]);
  });

  test("are shown by ralph trust, count as they were shown, and are named with their file", async () => {
    using ralph = await openFrontDoor();
    const permissions = {
      allow: ["Bash(touch made:*)", "Bash(git * main)"],
      ask: ["Bash(ls:*)"],
      deny: ["Bash(cat:*)"],
    };
    ralph.workspace.write(THEIRS, SETTINGS(permissions));
    expect(outcomeOf(await ralph.run(["trust", "--yes"]))).toEqual({
      code: 0,
      stdout: [
        `${ralph.workspace.project} and every folder in it`,
        "Once it is trusted:",
        "  .claude/settings.json: its permissions count, and nothing else of it",
        "    deny   Bash(cat:*)",
        "    ask    Bash(ls:*)",
        "    allow  Bash(touch made:*)",
        "    allow  Bash(git * main)",
        `${ralph.workspace.project} is trusted. To take it back: ralph trust --forget`,
        "",
      ].join("\n"),
      stderr: "",
    });
    const stderr = 'ralph: "Bash(git * main)" of .claude/settings.json is not understood, so it allows nothing\n';
    expect([await why(ralph, "touch made"), await why(ralph, "ls"), await why(ralph, "env cat x")]).toEqual([
      {
        first:
          "allow: every command in it is allowed [grant]\n  allow  touch made  (Bash(touch made:*) of .claude/settings.json allows it)",
        stderr,
      },
      {
        first:
          "ask: ls: Bash(ls:*) of .claude/settings.json asks about it [ask-rule]\n  ask    ls  (Bash(ls:*) of .claude/settings.json asks about it)",
        stderr,
      },
      { first: "deny: Bash(cat:*) of .claude/settings.json denies it [deny-rule]\n", stderr },
    ]);
    ralph.provider.answer(toolCallAnswer({ name: "shell", input: { command: "touch made" } }), textAnswer("ok"));
    await ralph.run(["-p", "go"]);
    expect(ralph.workspace.find("project/made")).toEqual(["project/made"]);
  });

  test("that changed since allow nothing until they were shown again; what they deny counts at once", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write(THEIRS, SETTINGS({ allow: ["Bash(touch:*)"] }));
    await ralph.run(["trust", "--yes"]);
    expect((await why(ralph, "touch made")).first).toStartWith("allow");
    ralph.workspace.write(THEIRS, SETTINGS({ allow: ["Bash(touch:*)", "Bash(rm:*)"], deny: ["Bash(ls:*)"] }));
    expect([await why(ralph, "touch made"), await why(ralph, "ls")]).toEqual([
      { first: expect.stringContaining("ask: touch made"), stderr: NOT_SHOWN },
      { first: expect.stringContaining("deny: Bash(ls:*) of .claude/settings.json"), stderr: NOT_SHOWN },
    ]);
    expect((await ralph.run(["trust", "--yes"])).stdout).toContain("    allow  Bash(rm:*)\n");
    expect((await why(ralph, "touch made && rm x")).first).toStartWith("allow");
    expect((await ralph.run(["trust"])).stdout).toEndWith("is trusted already.\n");
  });

  test("allow nothing with --trust alone or below a trusted folder, where nobody was shown them", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write(THEIRS, SETTINGS({ allow: ["Bash(touch:*)"], deny: ["Bash(ls:*)"] }));
    expect(await why(ralph, "touch made", "--trust")).toEqual({
      first: expect.stringContaining("ask: touch made"),
      stderr: NOT_SHOWN,
    });
    expect((await why(ralph, "ls", "--trust")).first).toStartWith("deny");
    ralph.workspace.write("project/inner/.ralph/config.yml", "disabledProviders: []\n");
    ralph.workspace.write("project/inner/.claude/settings.json", SETTINGS({ allow: ["Bash(touch:*)"] }));
    await ralph.run(["trust", "--yes"]);
    const inner = { cwd: `${ralph.workspace.project}/inner` };
    expect(outcomeOf(await ralph.run(["why", "--", "touch made"], inner))).toMatchObject({ stderr: NOT_SHOWN });
  });

  test("never lift what is protected, denied or asked about elsewhere", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("permissions:\n  deny: ['Bash(curl:*)']\n  ask: ['Bash(touch:*)']\n");
    ralph.workspace.write(THEIRS, SETTINGS({ allow: ["Bash", "Read", "Edit", "Write(//**)"] }));
    await ralph.run(["trust", "--yes"]);
    const commands = ["curl x", "cat .env", "sudo ls", "rm -rf /", "touch x", "ralph trust --yes"];
    const effects = await Promise.all(commands.map(async (command) => (await why(ralph, command)).first.split(":")[0]));
    expect(effects).toEqual(["deny", "deny", "deny", "deny", "ask", "deny"]);
  });
});

describe("permissions of ~/.claude/settings.json", () => {
  test("count like the person's own, unless permissions.claude is false", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("user/.claude/settings.json", SETTINGS({ allow: ["Bash(touch:*)"], deny: ["Bash(ls:*)"] }));
    expect([(await why(ralph, "touch x")).first, (await why(ralph, "ls")).first]).toEqual([
      "allow: every command in it is allowed [grant]\n  allow  touch x  (Bash(touch:*) of ~/.claude/settings.json allows it)",
      "deny: Bash(ls:*) of ~/.claude/settings.json denies it [deny-rule]\n",
    ]);
    ralph.writeConfig("permissions: { claude: false }\n");
    expect([(await why(ralph, "touch x")).first, (await why(ralph, "ls")).first]).toEqual([
      expect.stringContaining("ask: touch x"),
      expect.stringContaining("allow: "),
    ]);
  });

  test("that are half written make a run without a person refuse what changes something", async () => {
    const call = toolCallAnswer({ name: "shell", input: { command: "ls" } });
    using ralph = await openFrontDoor({ answers: [call] });
    ralph.workspace.write("user/.claude/settings.json", '{"permissions":{"deny":["Bash(ls');
    const { stderr } = await ralph.run(["-p", "go", "--allow", "Bash(ls:*)"]);
    expect(stderr).toContain("~/.claude/settings.json is not a JSON object, so everything but looking is asked about");
    expect(stderr).toContain("Not allowed");
  });
});
