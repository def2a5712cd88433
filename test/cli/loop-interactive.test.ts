import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type LiveLoop, startLoop } from "../support/live-loop.ts";
import { type LoopWorld, loopWorld } from "../support/loop-world.ts";
import type { RawClient } from "../support/raw-client.ts";
import { runInTerminal } from "../support/run-in-terminal.ts";
import { ralphCommand, runRalph } from "../support/run-ralph.ts";

// A person in the agent's place, through the real socket of a real loop.

const LIMIT_MS = 60_000;

/** In a terminal it repeats what is typed; as an agent it works when it is let go. */
const AGENT = {
  script: [
    "if [ -t 0 ]; then",
    "  printf '\\033[2J\\033[5;10Hhello person in %s\\n' \"$(stty size)\"",
    '  while read -r line; do echo "you said: $line"; done',
    "  exit 0",
    "fi",
    'cat >"$HOME/prompt"',
    'grep -o "types first" "$HOME/prompt"',
    "echo agent at work",
    'while [ ! -f "$HOME/go" ]; do sleep 0.02; done',
    ": >work.txt",
    "",
  ].join("\n"),
};

const STORIES = [{ checks: ["test -f work.txt"] }];

async function atWork(world: LoopWorld): Promise<LiveLoop> {
  const loop = startLoop(world, { agent: AGENT });
  await loop.waitForOutput("agent at work");
  return loop;
}

function call(client: RawClient, method: string, params: Record<string, unknown> = {}): Promise<unknown> {
  return client.ask({ jsonrpc: "2.0", id: 1, method, params });
}

async function waitForScreen(client: RawClient, text: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { result } = (await call(client, "x/screen")) as { result: Record<string, unknown> };
    if (String(result.data).includes(text)) return result;
  }
}

const answer = (result: unknown) => ({ jsonrpc: "2.0", id: 1, result });

describe("interactive mode of a real loop", () => {
  test(
    "ends the agent, shows and feeds a program in a terminal, and given back the loop goes on and gets done",
    async () => {
      using world = loopWorld({ stories: STORIES });
      await using loop = await atWork(world);
      using client = await loop.client();
      expect(await call(client, "write_pty", { data: "x" })).toEqual(
        answer({ status: "ignored", reason: "not in interactive mode" }),
      );
      expect(await call(client, "set_interactive_mode", { enabled: true })).toEqual(answer({ interactive_mode: true }));
      const screen = await waitForScreen(client, "hello person in 24 80");
      expect([screen.columns, screen.rows]).toEqual([80, 24]);
      expect(await call(client, "write_pty", { data: "good morning\r" })).toEqual(answer({ status: "forwarded" }));
      await waitForScreen(client, "you said: good morning");
      const endings = loop.entries().flatMap((entry) => (entry.type === "agent-ended" ? entry.ending.type : []));
      expect(endings).toEqual(["taken-over"]);
      world.workspace.write("user/go", "");
      expect(await call(client, "set_interactive_mode", { enabled: false })).toEqual(
        answer({ interactive_mode: false }),
      );
      const { code, verdict, left, stderr } = await loop.ended();
      expect([code, verdict, stderr, left, world.subjects()]).toEqual([0, "done", "", [], ["S-1: Story S-1"]]);
    },
    LIMIT_MS,
  );

  test(
    "turned off and on again at once shows a new program, not the end of the old one",
    async () => {
      using world = loopWorld({ stories: STORIES });
      await using loop = await atWork(world);
      using client = await loop.client();
      using other = await loop.client();
      await call(client, "set_interactive_mode", { enabled: true });
      await waitForScreen(client, "hello person");
      const turned = [
        call(client, "set_interactive_mode", { enabled: false }),
        call(other, "set_interactive_mode", { enabled: true }),
      ];
      expect(await Promise.all(turned)).toEqual([
        answer({ interactive_mode: false }),
        answer({ interactive_mode: true }),
      ]);
      await call(client, "write_pty", { data: "still there\r" });
      await waitForScreen(client, "you said: still there");
      await runRalph(["stop", "demo"], { workspace: world.workspace });
      const { verdict, left } = await loop.ended();
      expect([verdict, left]).toEqual(["stopped", []]);
    },
    LIMIT_MS,
  );

  test(
    "is given back when its program ends by itself, and what was done in it counts",
    async () => {
      using world = loopWorld({ stories: STORIES });
      await using loop = await atWork(world);
      using client = await loop.client();
      await call(client, "set_interactive_mode", { enabled: true });
      await waitForScreen(client, "hello person");
      world.write("work.txt", "by the person in the terminal\n");
      await call(client, "write_pty", { data: "\x04" });
      const { code, verdict, left, stderr } = await loop.ended();
      expect([code, verdict, stderr, left, world.subjects()]).toEqual([0, "done", "", [], ["S-1: Story S-1"]]);
    },
    LIMIT_MS,
  );
});

test(
  "`ralph attach` shows live output of a real loop, hands over the terminal, gives it back, and stops the loop",
  async () => {
    using world = loopWorld({ stories: STORIES });
    await using loop = await atWork(world);
    const environment = { TERM: "xterm" };
    await using terminal = runInTerminal(["attach", "demo"], {
      workspace: world.workspace,
      environment,
      timeoutMs: LIMIT_MS,
    });
    await terminal.waitForOutput("agent at work");
    terminal.type("i");
    await terminal.waitForOutput("hello person");
    terminal.type("good evening\r");
    await terminal.waitForOutput("you said: good evening");
    terminal.type("\x1d");
    await loop.waitFor("agent-started", 2);
    terminal.type("s");
    const { code, screen } = await terminal.exited;
    expect([code, screen.endsWith("ralph: The loop demo is stopped.\n")]).toEqual([0, true]);
    const end = await loop.ended();
    expect([end.code, end.verdict, end.left]).toEqual([1, "stopped", []]);
  },
  LIMIT_MS,
);

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

test.skipIf(!hasTmux)(
  "in tmux an attached terminal shows live output, a prompt is injected from outside, and a key stops the loop (skipped without tmux)",
  async () => {
    using world = loopWorld({ stories: [{ checks: ["test -f never.txt"] }] });
    await using loop = startLoop(world, { agent: AGENT });
    await loop.waitForOutput("agent at work");
    const socket = join(world.workspace.root, "tmux");
    const tmux = (...words: string[]) =>
      spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], {
        env: { ...world.workspace.environment, TERM: "xterm-256color" },
        cwd: world.project,
        encoding: "utf8",
      });
    const command = [...ralphCommand(), "attach", "demo"].map((word) => `'${word}'`).join(" ");
    tmux("new-session", "-d", "-x", "100", "-y", "30", `${command}; sleep 600`);
    try {
      const shows = async (text: string) => {
        for (let look = 0; look < 2000; look++) {
          if (tmux("capture-pane", "-p").stdout.includes(text)) return;
          await Bun.sleep(5);
        }
        throw new Error(`tmux shows no "${text}":\n${tmux("capture-pane", "-p").stdout}`);
      };
      await shows("agent at work");
      await shows("iteration 1/50");
      expect((await runRalph(["inject", "demo", "types", "first"], { workspace: world.workspace })).code).toBe(0);
      world.workspace.write("user/go", "");
      await shows("types first");
      tmux("send-keys", "s");
      await shows("The loop demo is stopped.");
    } finally {
      tmux("kill-server");
    }
    const { code, verdict, left, stderr } = await loop.ended();
    expect([code, verdict, stderr, left]).toEqual([1, "stopped", "", []]);
  },
  LIMIT_MS,
);
