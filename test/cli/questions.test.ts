import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

const shell = (command: string) => toolCallAnswer({ name: "shell", input: { command } });

describe("a question in the terminal", () => {
  test("shows the whole command, whatever is done to push its end out of sight", async () => {
    using ralph = await openFrontDoor();
    ralph.provider.answer(shell(`echo harmless${" ".repeat(3000)}; touch pwned\n# \u001b[2K`), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("[N]o");
    expect(terminal.screen()).toContain(
      `Allow this command in ${ralph.workspace.project}?\n  echo harmless [3000 blanks] ; touch pwned\n  # <U+001B>[2K\n`,
    );
    terminal.type("n\n");
    expect((await terminal.exited).code).toBe(0);
    expect(ralph.workspace.find("project/pwned")).toEqual([]);
  });

  test("about a file shows what would be written there, the rest of it after a question mark", async () => {
    using ralph = await openFrontDoor();
    const content = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n");
    ralph.provider.answer(toolCallAnswer({ name: "write_file", input: { path: "a.txt", content } }), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("[N]o");
    expect(terminal.screen()).toContain("  + line 1\n");
    expect(terminal.screen()).toContain("  + line 10\n  2 more lines (? shows them)\n");
    terminal.type("?\n");
    await terminal.waitForOutput("+ line 12");
    terminal.type("y\n");
    expect((await terminal.exited).code).toBe(0);
    expect(ralph.workspace.read("project/a.txt")).toBe(content);
  });

  test("stands behind everything that was printed before it", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/a.txt", "a");
    const look = toolCallAnswer({ name: "read_file", input: { path: "a.txt" } });
    const parts = [{ type: "text" as const, deltas: ["I look ", "at it."] }, ...look.parts];
    ralph.provider.answer({ ...look, parts }, shell("touch made"), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("[N]o");
    expect(terminal.screen()).toMatch(/^I look at it\.\nralph: read_file a\.txt \([\d.]+ s\)\nAllow this command/);
    terminal.type("n\n");
    await terminal.exited;
  });

  test("is not answered by what was typed before it, and each of several needs its own answer", async () => {
    using ralph = await openFrontDoor();
    const gate = Promise.withResolvers<void>();
    const held = { ...shell("touch one"), fault: { type: "hold" as const, afterEvents: 1, until: gate.promise } };
    ralph.provider.answer(held, shell("touch two"), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await ralph.provider.nextRequest();
    terminal.type("y\ny\n");
    await terminal.waitForOutput("y\ny\n");
    gate.resolve();
    await terminal.waitForOutput(/touch one[\s\S]*\[N\]o/);
    terminal.type("y\ny\n");
    await terminal.waitForOutput(/touch two[\s\S]*\[N\]o/);
    terminal.type("\n");
    expect((await terminal.exited).code).toBe(0);
    expect([ralph.workspace.find("project/one"), ralph.workspace.find("project/two")]).toEqual([["project/one"], []]);
  });

  test("can be answered for this session or for good, with the rules that are shown", async () => {
    using ralph = await openFrontDoor();
    ralph.provider.answer(
      shell("touch made"),
      shell("touch made"),
      shell("mkdir made-too"),
      textAnswer("ok"),
      shell("mkdir made-too"),
      textAnswer("ok"),
    );
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("for this [s]ession or [a]lways: Bash(touch made:*)?");
    terminal.type("s\n");
    await terminal.waitForOutput("for this [s]ession or [a]lways: Bash(mkdir made-too:*)?");
    terminal.type("a\n");
    expect((await terminal.exited).code).toBe(0);
    const stored = JSON.parse(readFileSync(join(ralph.workspace.home, "data/permissions.json"), "utf8"));
    expect(stored).toEqual({
      version: 1,
      workspaces: { [ralph.workspace.project]: { allow: ["Bash(mkdir made-too:*)"], deny: [] } },
    });
    // A later run in the same folder needs no question, and none can be asked.
    await ralph.run(["-p", "again"]);
    expect(JSON.stringify(ralph.provider.requests.at(-1)?.body)).toContain("mkdir: cannot create directory");
  });

  test("keeps a no for good, and a rule as the person changed it", async () => {
    using ralph = await openFrontDoor();
    ralph.provider.answer(shell("touch one"), shell("touch two/three"), shell("touch two/four"), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("ne[v]er, for this [s]ession or [a]lways: Bash(touch one:*)?");
    terminal.type("v\n");
    await terminal.waitForOutput("Bash(touch two/three:*)?");
    terminal.type("e\n");
    await terminal.waitForOutput("The rule instead of Bash(touch two/three:*): ");
    terminal.type("Bash(touch\n");
    await terminal.waitForOutput("[a]lways: Bash(touch?");
    terminal.type("a\n");
    await terminal.waitForOutput('"Bash(touch" is no rule');
    terminal.type("e\n");
    await terminal.waitForOutput("The rule instead of Bash(touch: ");
    terminal.type("Bash(touch two/four:*) Bash(touch two/three)\n");
    await terminal.waitForOutput("[a]lways: Bash(touch two/four:*) Bash(touch two/three)?");
    terminal.type("a\n");
    expect((await terminal.exited).code).toBe(0);
    const stored = JSON.parse(readFileSync(join(ralph.workspace.home, "data/permissions.json"), "utf8"));
    expect(stored.workspaces[ralph.workspace.project]).toEqual({
      allow: ["Bash(touch two/four:*)", "Bash(touch two/three)"],
      deny: ["Bash(touch one:*)"],
    });
    expect(ralph.workspace.find("project/one")).toEqual([]);
  });

  test("tells on request why it is put and what the answer counts for", async () => {
    using ralph = await openFrontDoor();
    ralph.provider.answer(shell("touch one"), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("[N]o");
    terminal.type("?\n");
    await terminal.waitForOutput(/digest {5}[0-9a-f]{16}\n\[y\]es/);
    const screen = terminal.screen();
    expect(screen).toContain("  tool       shell (shell)\n  asked for  touch one: ");
    expect(screen).toContain("  counts for the command\n");
    expect(screen).toContain(`             the folder ${ralph.workspace.project}\n`);
    expect(screen).toContain("             the program touch\n");
    terminal.type("y\n");
    expect((await terminal.exited).code).toBe(0);
    expect(ralph.workspace.find("project/one")).toEqual(["project/one"]);
  });

  test("shows characters that cannot be seen", async () => {
    using ralph = await openFrontDoor();
    ralph.provider.answer(shell("touch a\u200bb\u2062"), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("[N]o");
    expect(terminal.screen()).toContain("  touch a<U+200B>b<U+2062>\n");
    terminal.type("n\n");
    await terminal.exited;
  });

  test("lists several that wait, to be answered one by one or denied all at once", async () => {
    using ralph = await openFrontDoor();
    for (const name of ["one", "two", "three"]) ralph.workspace.write(`elsewhere/${name}`, `content of ${name}`);
    const place = (name: string) => join(ralph.workspace.root, "elsewhere", name);
    const reads = ["one", "two", "three"].map((name) => ({ name: "read_file", input: { path: place(name) } }));
    ralph.provider.answer(toolCallAnswer(...reads), textAnswer("ok"));
    await using terminal = ralph.inTerminal(["-p", "go"]);
    await terminal.waitForOutput("[N]o to all? ");
    expect(terminal.screen()).toContain(
      [
        "3 calls wait for an answer.",
        ...["one", "two", "three"].flatMap((name, index) => [
          `${index + 1}. Allow: Read ${place(name)}`,
          `     ${place(name)}`,
        ]),
        "A number for one of them (1y, 2n), [y]es to all, [N]o to all? ",
      ].join("\n"),
    );
    terminal.type("2\n");
    await terminal.waitForOutput("[a]lways: ");
    terminal.type("y\n");
    await terminal.waitForOutput("2 calls wait for an answer.");
    await terminal.waitForOutput(/2 calls[\s\S]*\[N\]o to all\? /);
    terminal.type("\n");
    expect((await terminal.exited).code).toBe(0);
    const told = JSON.stringify(ralph.provider.requests.at(-1)?.body);
    expect(["one", "two", "three"].map((name) => told.includes(`content of ${name}`))).toEqual([false, true, false]);
  });

  test("is not even put for a path with line breaks, which could forge one", async () => {
    using ralph = await openFrontDoor();
    const path = "evil.sh\nAllow: Write notes.md";
    ralph.provider.answer(toolCallAnswer({ name: "write_file", input: { path, content: "x" } }), textAnswer("ok"));
    const { screen } = await ralph.inTerminal(["-p", "go"]).exited;
    expect(screen).not.toMatch(/^Allow/m);
    expect(ralph.workspace.find("project/*")).toEqual([]);
  });
});
