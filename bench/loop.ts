// What the loop costs besides its agents and its checks: time per iteration, memory while an agent prints a million lines, and
// processor time of many loops whose agents think.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoopEntry } from "../src/protocol/loop-entries.ts";
import type { BenchWorld } from "./bench-world.ts";
import { middle, processorMs, runOnce } from "./measure.ts";
import type { Row } from "./rows.ts";

const STORIES = 8;
const LINES = 1_000_000;
const LOOPS = 64;
const IDLE_SECONDS = 5;
/** The runtime collects garbage every second until its heap has been quiet for half a minute. */
const SETTLING_SECONDS = 45;

export async function loopRows(world: BenchWorld): Promise<Row[]> {
  return [
    {
      measure: "loop: one iteration, outside of its agent and its checks",
      unit: "ms",
      pair: { ralph: await overhead(world) },
      most: 150,
    },
    {
      measure: `loop: memory while its agent prints ${LINES.toLocaleString("en")} lines`,
      unit: "MB",
      pair: { ralph: await printing(world) },
      most: 70,
    },
    {
      measure: `loop: processor time of ${LOOPS} loops in a second, ${SETTLING_SECONDS} s after their agents began to think`,
      unit: "ms",
      pair: { ralph: await idling(world) },
      most: 10,
    },
  ];
}

/** From one iteration's beginning to the next one's, without what the agent and the check commands took themselves. */
async function overhead(world: BenchWorld): Promise<number> {
  const place = loopPlace(world, STORIES);
  const output = await finished(start(world, place, 'cat >/dev/null\n: >"$RALPH_STORY.txt"\n'));
  const entries = output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as LoopEntry]));
  const started = entries.filter((entry) => entry.type === "iteration-started");
  const samples = started.slice(1).map((next, at) => {
    const from = started[at];
    const between = entries.slice(entries.indexOf(from ?? next), entries.indexOf(next));
    return timeOf(next) - timeOf(from) - ownTime(between);
  });
  if (samples.length !== STORIES - 1) throw new Error(`${samples.length} iterations were measured.`);
  return middle(samples);
}

/** The agent's time, and that of the checks; the second round of checks, without the work, is taken to last as long as the first. */
function ownTime(entries: readonly LoopEntry[]): number {
  const agent = timeOf(entries.find(({ type }) => type === "agent-ended")) - timeOf(entries.find(isAgentStart));
  const checks = entries.flatMap((entry) => (entry.type === "checks-ended" ? entry.results : []));
  return agent + 2 * checks.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

function isAgentStart({ type }: LoopEntry): boolean {
  return type === "agent-started";
}

function timeOf(entry: LoopEntry | undefined): number {
  return Date.parse(entry?.time ?? "");
}

async function printing(world: BenchWorld): Promise<number> {
  const place = loopPlace(world, 1);
  const script = `cat >/dev/null\nawk 'BEGIN { for (i = 1; i <= ${LINES}; i++) print "line " i " of what the agent did and thought" }'\n: >S-1.txt\n`;
  const { argv, environment, cwd } = program(world, place, script);
  const { peakMegabytes } = await runOnce({ argv, environment, cwd });
  return peakMegabytes;
}

async function idling(world: BenchWorld): Promise<number> {
  const go = join(world.folder(), "go");
  const script = `cat >/dev/null\necho here\nwhile [ ! -f ${go} ]; do sleep 5; done\n: >S-1.txt\n`;
  const loops = Array.from({ length: LOOPS }, (_, at) => start(world, loopPlace(world, 1, `bench-${at}`), script));
  await Promise.all(loops.map(({ isThinking }) => isThinking));
  const total = () => loops.reduce((sum, { child }) => sum + processorMs(child.pid), 0);
  await Bun.sleep(SETTLING_SECONDS * 1000);
  const before = total();
  await Bun.sleep(IDLE_SECONDS * 1000);
  const used = total() - before;
  writeFileSync(go, "");
  await Promise.all(loops.map(finished));
  return used / IDLE_SECONDS;
}

interface LoopPlace {
  name: string;
  root: string;
  home: string;
}

/** A small repository with a task; each story is proven by a file of its name. */
function loopPlace(world: BenchWorld, stories: number, name = "bench"): LoopPlace {
  const root = world.folder();
  const home = world.folder();
  mkdirSync(join(root, "tasks", name), { recursive: true });
  const userStories = Array.from({ length: stories }, (_, at) => ({
    ...{
      id: `S-${at + 1}`,
      title: `Story ${at + 1}`,
      acceptanceCriteria: [],
      priority: at + 1,
      passes: false,
      notes: "",
    },
    checks: [`test -f S-${at + 1}.txt`],
  }));
  writeFileSync(join(root, "tasks", name, "prd.json"), JSON.stringify({ schemaVersion: "2.0", userStories }));
  for (let file = 0; file < 50; file++) writeFileSync(join(root, `file-${file}.txt`), `${file}\n`.repeat(100));
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "base"],
  ])
    execFileSync("git", [...identity, ...words], { cwd: root, stdio: "ignore" });
  return { name, root, home };
}

function program(world: BenchWorld, { name, root, home }: LoopPlace, script: string) {
  const agent = join(home, "agent.sh");
  writeFileSync(agent, script);
  return {
    argv: [world.program, "run", `tasks/${name}`, "--json", "--sleep", "0", "--agent-cmd", `exec sh ${agent}`],
    environment: { RALPH_HOME: home },
    cwd: root,
  };
}

function start(world: BenchWorld, place: LoopPlace, script: string) {
  const { argv, environment, cwd } = program(world, place, script);
  const child = Bun.spawn(argv, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  const thinking = Promise.withResolvers<void>();
  const output = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes('"here"')) thinking.resolve();
    }
    thinking.reject(new Error(`The loop ended before its agent was at work: ${text.slice(-500)}`));
    return text;
  })();
  thinking.promise.catch(() => undefined);
  return { child, output, isThinking: thinking.promise };
}

/** What it printed. A loop that was not done is no measure. */
async function finished({ child, output }: ReturnType<typeof start>): Promise<string> {
  const [text, code] = await Promise.all([output, child.exited]);
  if (code !== 0) throw new Error(`The loop ended with ${code}: ${text.slice(-500)}`);
  return text;
}
