// The terminal face as a person meets it: the compiled Ralph in a pseudo-terminal, an emulator at its other end.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptTurn } from "../src/protocol/script.ts";
import { type ConversationTerminal, startConversation } from "../test/support/conversation-terminal.ts";
import { streamed } from "../test/support/rehearsal.ts";
import { percentile, typeWatching, unmistakable } from "../test/support/typing.ts";
import type { BenchWorld } from "./bench-world.ts";
import { comparePrograms, processorMs, residentMegabytes, runOnce } from "./measure.ts";
import type { Row } from "./rows.ts";

const DELTAS = 100_000;
const KEYS = 500;
const KEY_EVERY_MS = 20;
const IDLE_SECONDS = 60;
/** The runtime collects garbage every second until its heap has been quiet for half a minute. */
const SETTLING_SECONDS = 45;
const PROMPTS = 600;
const SETTLED_AFTER = 100;
const READY = /^play\/first/m;

export async function faceRows(world: BenchWorld): Promise<Row[]> {
  const memory = await sessionMemory(world);
  const idle = await idling(world);
  return [
    {
      measure: "`ralph` to the first drawn prompt (floor: `bun -e 0`)",
      unit: "ms",
      pair: await firstPrompt(world),
      reach: 20,
    },
    {
      measure: `CPU of an idle prompt in ${IDLE_SECONDS} s (${idle.bytes} bytes written)`,
      unit: "ms",
      pair: { ralph: idle.bytes === 0 ? idle.cpuMs : Number.POSITIVE_INFINITY },
      most: 10,
    },
    {
      measure: `echo of a key while ${DELTAS.toLocaleString("en")} deltas stream, p99 of ${KEYS} keys`,
      unit: "ms",
      pair: { ralph: await echo(world) },
      most: 50,
    },
    {
      measure: `memory after ${PROMPTS} prompts with tools and Markdown`,
      unit: "MB",
      pair: { ralph: memory.last },
      most: 150,
    },
    {
      measure: `its growth from prompt ${SETTLED_AFTER} to ${PROMPTS}`,
      unit: "MB",
      pair: { ralph: memory.last - memory.settled },
      most: 15,
    },
  ];
}

async function firstPrompt(world: BenchWorld) {
  const place = stage(world, [{ steps: [{ text: "Hello." }] }]);
  return comparePrograms(
    9,
    async () => (await runOnce({ argv: [process.execPath, "-e", "0"] })).wallMs,
    async () => {
      const started = performance.now();
      await using ralph = open(world, place);
      await ralph.seeOnScreen("›");
      return performance.now() - started;
    },
  );
}

async function idling(world: BenchWorld): Promise<{ cpuMs: number; bytes: number }> {
  const place = stage(world, [{ steps: [{ text: "Hello." }] }]);
  await using ralph = open(world, place);
  await ralph.seeOnScreen(READY);
  await Bun.sleep(SETTLING_SECONDS * 1000);
  const before = { cpuMs: processorMs(ralph.pid), bytes: ralph.emulator.written().length };
  await Bun.sleep(IDLE_SECONDS * 1000);
  return { cpuMs: processorMs(ralph.pid) - before.cpuMs, bytes: ralph.emulator.written().length - before.bytes };
}

async function echo(world: BenchWorld): Promise<number> {
  const words = (index: number) => `word${index % 97}${index % 40 === 39 ? "\n\n" : " "}`;
  const place = stage(world, [{ steps: streamed(words, { count: DELTAS, group: 20, pauseMs: 2 }) }]);
  await using ralph = open(world, place);
  await ralph.seeOnScreen(READY);
  ralph.type("tell\r");
  await ralph.see("word5");
  const text = unmistakable(KEYS);
  const typed = await typeWatching(ralph, { text, everyMs: KEY_EVERY_MS });
  if (typed.text !== text) throw new Error(`Keys were lost: ${typed.text}`);
  if (!/working \d/.test((await ralph.emulator.screen()).join("\n")))
    throw new Error("The answer was over before all keys were pressed.");
  return percentile(typed.echoes, 0.99);
}

/** An hour of work, without its waiting: what Ralph holds after so many prompts, and at the end. */
async function sessionMemory(world: BenchWorld): Promise<{ settled: number; last: number }> {
  const place = stage(world, Array.from({ length: PROMPTS }, (_, at) => workTurns(at)).flat());
  writeFileSync(join(place.project, "notes.md"), "a line of the notes\n".repeat(200));
  await using ralph = open(world, place, "--yolo", "--sandbox", "off");
  await ralph.seeOnScreen(READY);
  let settled = Number.NaN;
  for (let at = 0; at < PROMPTS; at++) {
    ralph.type(`prompt ${at}\r`);
    await ralph.seeOnScreen(`Done with ${at}.`);
    await ralph.seeOnScreen(READY);
    if (at === SETTLED_AFTER) settled = await settledMegabytes(ralph.pid);
  }
  return { settled, last: await settledMegabytes(ralph.pid) };
}

/** An hour has pauses in which the runtime gives back what it does not need. */
async function settledMegabytes(pid: number): Promise<number> {
  await Bun.sleep(SETTLING_SECONDS * 1000);
  return residentMegabytes(pid) ?? Number.NaN;
}

function workTurns(at: number): ScriptTurn[] {
  const markdown = `## Part ${at}\n\nSome **words** with \`code\`.\n\n| a | b |\n|---|---|\n| ${at} | two |\n\n\`\`\`ts\nconst part = ${at};\n\`\`\`\n\n`;
  return [
    {
      steps: [
        { text: markdown.match(/\s*\S{1,5}|\s+/g) ?? [] },
        { tool: { name: "read_file", input: { path: "notes.md" } } },
        { tool: { name: "shell", input: { command: "seq 1 100" } } },
      ],
    },
    { steps: [{ text: `Done with ${at}.` }, { usage: { input: 1000, output: 100 } }] },
  ];
}

interface Place {
  home: string;
  project: string;
}

/** A home whose only model plays these turns. */
function stage(world: BenchWorld, turns: readonly ScriptTurn[]): Place {
  const [home, project] = [world.folder(), world.folder()];
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ version: 1, turns }));
  const model = { id: "first", contextWindow: 100_000_000 };
  const providers = { play: { api: "scripted", auth: "none", baseUrl: script, models: [model] } };
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config/models.yml"), JSON.stringify({ providers }));
  return { home, project };
}

const LIFETIME_MS = 30 * 60_000;

function open(world: BenchWorld, { home, project }: Place, ...flags: string[]): ConversationTerminal {
  return startConversation([], {
    workspace: {
      project,
      environment: { PATH: process.env.PATH ?? "", HOME: home, RALPH_HOME: home, LANG: "C.UTF-8" },
    },
    command: [world.program, "--model", "play/first", ...flags],
    columns: 100,
    rows: 40,
    lifetimeMs: LIFETIME_MS,
  });
}
