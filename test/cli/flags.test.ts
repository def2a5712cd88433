import { describe, expect, test } from "bun:test";
import { rmdirSync } from "node:fs";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";

describe("what cannot be meant is refused with exit code 2 and asks nobody", () => {
  const rows: [args: string[], stderr: string][] = [
    [
      ["-p", "-c", "--no-session", "hello"],
      "ralph: --no-session keeps nothing, so there is nothing to go on with: leave it out, or -c, -r and --fork.\n",
    ],
    [["-p", "--tools", "read_file,nope", "hello"], 'ralph: Unknown tool "nope".'],
    [["-p", "--tools", "none,read_file", "hello"], 'ralph: Unknown tool "none".'],
    [["-p", "--entry", "x", "hello"], "ralph: --entry only means something with a command. See: ralph --help\n"],
    [
      ["-p", "--json", "--mode", "json", "hello"],
      "ralph: --json and --mode json are two forms of output. Give one of them.\n",
    ],
    [["-p", "see @.env"], "ralph: @.env cannot be attached: it is protected, because it may hold secrets.\n"],
    [["-p", "--allow-category", "all", "hello"], 'ralph: Unknown --allow-category "all".'],
  ];
  test.each(rows)("%j", async (args, message) => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/.env", "KEY=1");
    const { code, stderr } = await ralph.run(args);
    expect([code, stderr.slice(0, message.length)]).toEqual([2, message]);
    expect(ralph.provider.requests).toEqual([]);
  });
});

// Compiled, the runtime itself refuses to start there, in words of its own.
test.skipIf(Boolean(process.env.RALPH_TEST_BINARY))("a working directory that is gone is told, not a bug", async () => {
  using ralph = await openFrontDoor();
  const { code, stderr } = await ralph.run(["sessions"], {
    throughShell: 'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
  });
  expect([code, stderr]).toEqual([
    2,
    "ralph: The working directory does not exist any more. Go to another folder and try again.\n",
  ]);
});

test("--allow lets a headless run do just that, and may be given again", async () => {
  using ralph = await openFrontDoor();
  const run = (command: string) => toolCallAnswer({ name: "shell", input: { command } });
  ralph.provider.answer(run("mkdir one"), run("mkdir two && touch three"), run("rmdir one"), textAnswer("ok"));
  const { code } = await ralph.run(["-p", "go", "--allow", "Bash(mkdir:*)", "--allow", "Bash(touch three)"]);
  expect(code).toBe(0);
  rmdirSync(`${ralph.workspace.project}/one`);
  rmdirSync(`${ralph.workspace.project}/two`);
  expect(ralph.workspace.find("project/*")).toEqual(["project/three"]);
});

test("names of tools a model made up are sent back in signs every provider takes", async () => {
  using ralph = await openFrontDoor();
  const names = ["", "weird name\n\u001b/../x", "x".repeat(500)];
  ralph.provider.answer(toolCallAnswer(...names.map((name) => ({ name, input: {} }))), textAnswer("ok"));
  expect(outcomeOf(await ralph.run(["-p", "go"])).code).toBe(0);
  const sent = JSON.stringify(ralph.provider.requests.at(-1)?.body).matchAll(
    /"tool_use","id":"[^"]*","name":"([^"]*)"/g,
  );
  const plain = [...sent].map(([, name]) => name);
  expect(plain).toEqual(["unnamed", "weird_name______x", "x".repeat(64)]);
});

test("what was not allowed is told at the end, to a person and to a program", async () => {
  using ralph = await openFrontDoor();
  const call = toolCallAnswer({ name: "shell", input: { command: "touch x" } });
  ralph.provider.answer(call, textAnswer("All done!"), call, textAnswer("All done!"));
  expect(outcomeOf(await ralph.run(["-p", "go"]))).toEqual({
    code: 0,
    stdout: "All done!\n",
    stderr:
      "ralph: Not allowed: touch x needs a yes (touch x: touch is never run unasked), and nobody can be asked. Start with --allow 'Bash(touch x:*)', or with --yolo, to allow it\n",
  });
  const { stdout } = await ralph.run(["-p", "go", "--json"]);
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "result",
    permission_denials: [{ tool_name: "shell", summary: "touch x", reason: expect.stringContaining("--allow") }],
  });
});
