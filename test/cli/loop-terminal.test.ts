import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { runInTerminal } from "../support/run-in-terminal.ts";
import { runRalph } from "../support/run-ralph.ts";

// A person before the terminal: asked between iterations and about paths, told with colours and a bell.

setDefaultTimeout(60_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const WORKS = `echo finished >work.txt\n${DONE}`;
const QUESTION = "Next iteration? [c]ontinue, [s]kip these questions, [q]uit: ";
const TERMINAL = { TERM: "xterm", NO_COLOR: undefined };

function inTerminal(world: LoopWorld, flags: string[], environment: Record<string, string | undefined> = TERMINAL) {
  const args = ["run", TASK, "--ui", "plain", "--sleep", "0", ...flags];
  return runInTerminal(args, { ...world, environment, timeoutMs: 60_000 });
}

describe("-i in a terminal", () => {
  test("asks before every iteration until the questions are skipped", async () => {
    using world = loopWorld({
      stories: [...STORIES, { checks: ["test -e b.txt"] }, { checks: ["test -e c.txt"] }],
      files: FILES,
    });
    const script = `case $RALPH_STORY in S-1) echo finished >work.txt;; S-2) : >b.txt;; S-3) : >c.txt;; esac\n${DONE}`;
    await using ralph = inTerminal(world, ["-i", "--agent-cmd", world.agent(script)]);
    await ralph.waitForOutput(QUESTION);
    ralph.type("what\n");
    await ralph.waitForOutput(/Next iteration[\s\S]*Next iteration/);
    ralph.type("c\n");
    await ralph.waitForOutput(/S-1 is proven[\s\S]*Next iteration/);
    ralph.type("s\n");
    const { code, screen } = await ralph.exited;
    expect([code, screen.split("Next iteration?").length - 1]).toEqual([0, 3]);
  });

  test("quit stops the run before an agent is started; INTERACTIVE says the same as -i", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    await using ralph = inTerminal(world, ["--agent-cmd", "touch ran"], { ...TERMINAL, INTERACTIVE: "1" });
    await ralph.waitForOutput(QUESTION);
    ralph.type("q\n");
    const { code, screen } = await ralph.exited;
    expect([code, existsSync(join(world.project, "ran"))]).toEqual([1, false]);
    expect(screen).toContain("stopped: A person stopped it. 1 of 1 stories are open.");
  });

  test("Ctrl-C at a question is an interrupt, and `ralph stop` ends the question", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    await using ralph = inTerminal(world, ["-i", "--agent-cmd", "true"]);
    await ralph.waitForOutput(QUESTION);
    ralph.type("\x03");
    expect((await ralph.exited).code).toBe(130);
    await using other = inTerminal(world, ["-i", "--agent-cmd", "true"]);
    await other.waitForOutput(QUESTION);
    expect((await runRalph(["stop", "demo"], world)).code).toBe(0);
    expect((await other.exited).code).toBe(1);
  });

  test("a change outside of the allowed paths can be taken back, let pass, or end the run", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...FILES, "a.txt": "a\n" } });
    const script = `echo x >>a.txt; echo y >other.txt; ${WORKS}`;
    const answer = async (letter: string) => {
      const flags = ["-i", "--allowed-paths", "work.txt", "--agent-cmd", world.agent(script)];
      await using ralph = inTerminal(world, flags);
      await ralph.waitForOutput(QUESTION);
      ralph.type("s\n");
      await ralph.waitForOutput("Changed outside of the allowed paths:\n  a.txt\n  other.txt\n");
      await ralph.waitForOutput("[q]uit, [r]evert them, [c]ontinue: ");
      ralph.type(`${letter}\n`);
      return (await ralph.exited).code;
    };
    expect(await answer("q")).toBe(1);
    expect([world.subjects(), world.status().sort()]).toEqual([[], [" M a.txt", "?? other.txt", "?? work.txt"]]);
    expect(await answer("r")).toBe(0);
    expect([world.read("a.txt"), world.status(), world.subjects()]).toEqual(["a\n", [], ["S-1: Story S-1"]]);
    await runRalph(["run", TASK, "--undo", "--yes"], world);
    expect(await answer("c")).toBe(0);
    expect(world.git("show", "--format=", "--name-only", "HEAD").split("\n").filter(Boolean)).toEqual([
      "a.txt",
      "other.txt",
      `${TASK}/prd.json`,
      "work.txt",
    ]);
  });

  test("without a terminal nobody is asked, and that is said", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const run = await runRalph(["run", TASK, "-i", "--sleep", "0", "--agent-cmd", world.agent(WORKS)], world);
    expect([run.code, run.stderr]).toEqual([0, "ralph: -i asks in a terminal only; here nobody is asked.\n"]);
  });
});

describe("plain lines in a terminal", () => {
  test("have colours that only repeat the signs, and a bell at the end; --no-color, NO_COLOR and TERM=dumb have none", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const command = world.agent(`printf '\\033[35mloud\\033[0m\\n'\n${WORKS}`);
    const screenOf = async (flags: string[], environment: Record<string, string | undefined>) => {
      await using ralph = inTerminal(world, ["--fresh", ...flags, "--agent-cmd", command], environment);
      const { screen } = await ralph.exited;
      return screen.replaceAll(/\d+ ms|\d\.\d s/g, "T").replaceAll(/[0-9a-f]{8}-?[0-9a-f]{1,4}/g, "ID");
    };
    const coloured = await screenOf([], TERMINAL);
    expect(coloured).toContain("\u001b[1m── 1 S-1 Story S-1 (custom)\u001b[0m\n\u001b[2mAI    \u001b[0mloud\n");
    expect(coloured).toContain("\u001b[32m✓\u001b[0m check sh test.sh · passes · T\n");
    expect(coloured).toContain("\u001b[1mdone: The story passes");
    expect(coloured).toEndWith("\u0007");
    expect(coloured).not.toContain("\u001b[35m");
    await runRalph(["run", TASK, "--undo", "--yes"], world);
    const plain = await screenOf(["--no-color"], TERMINAL);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it is about
    expect(plain).toBe(coloured.replaceAll(/\u001b\[\d+m/g, ""));
    for (const environment of [
      { ...TERMINAL, NO_COLOR: "1" },
      { ...TERMINAL, TERM: "dumb" },
    ])
      expect(await screenOf(["--max-iterations", "0"], environment)).not.toContain("\u001b");
  });
});
