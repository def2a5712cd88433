import { join } from "node:path";
import { type LoopEntry, loopEntry } from "../../src/protocol/loop-entries.ts";
import { type AgentProgram, agentProgram } from "./agent-programs.ts";
import { processesOf } from "./killed-loop.ts";
import { type LoopWorld, TASK } from "./loop-world.ts";
import { type RawClient, rawClient } from "./raw-client.ts";
import { type LiveRalph, startRalph } from "./run-ralph.ts";

// `ralph run --json` while it runs: its entries as they come, its socket, and how it ended.

export interface LiveLoop extends LiveRalph {
  /** Resolves with the entry as soon as there are `count` of that type. */
  waitFor<Type extends LoopEntry["type"]>(type: Type, count?: number): Promise<void>;
  entries(): LoopEntry[];
  client(): Promise<RawClient>;
  /** How it ended, with the processes of its run that are still there. */
  ended(): Promise<LoopEnd>;
}

export interface LoopEnd {
  code: number | null;
  verdict: string | undefined;
  reason: string | undefined;
  stderr: string;
  left: string[];
}

export interface LiveLoopOptions {
  agent: AgentProgram | { script: string };
  flags?: string[];
  environment?: Record<string, string | undefined>;
  task?: string;
}

export function startLoop(
  world: LoopWorld,
  { agent, flags = [], environment, task = TASK }: LiveLoopOptions,
): LiveLoop {
  const command = typeof agent === "string" ? `sh ${agentProgram(agent)}` : world.agent(agent.script);
  const always = ["--json", "--sleep", "0", "--cool-down", "0.05", "--agent-cmd", command];
  const ralph = startRalph(["run", task, ...always, ...flags], {
    workspace: world.workspace,
    timeoutMs: 90_000,
    ...(environment && { environment }),
  });
  const entries = () => entriesIn(ralph.stdout());
  return {
    ...ralph,
    entries,
    async waitFor(type, count = 1) {
      await ralph.waitForOutput(new RegExp(`(?:^\\{"type":"${type}"[^]*?){${count}}`, "m"), 60_000);
    },
    client: () => rawClient(join(world.workspace.home, "data/sockets/demo.sock")),
    async ended() {
      const { code, stderr } = await ralph.exited;
      const all = entries();
      const verdict = all.at(-1);
      const run = all.find((entry) => entry.type === "run-started" || entry.type === "run-resumed")?.run;
      return {
        code,
        verdict: verdict?.type === "verdict" ? verdict.verdict : undefined,
        reason: verdict?.type === "verdict" ? verdict.reason : undefined,
        stderr,
        left: processesOf(run),
      };
    },
  };
}

function entriesIn(stdout: string): LoopEntry[] {
  return stdout
    .slice(0, stdout.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith('{"type":"transcript"'))
    .map((line) => loopEntry.parse(JSON.parse(line)));
}
