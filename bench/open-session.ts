// Opening a session of 100,000 entries against `wc -l` of its file. Run by itself with a path, this program opens that session
// once and prints what it took, so that every measure comes from a fresh process.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextOf } from "../src/sessions/context.ts";
import { openSession } from "../src/sessions/journal.ts";
import { ID_ALPHABET, sessionFileName } from "../src/sessions/session-name.ts";
import { middle, type Pair } from "./measure.ts";

export interface Opening {
  /** Milliseconds, the middle of several runs. */
  countLinesMs: number;
  /** The call that opens the session, the first thing its process does. */
  openMs: number;
  /** That whole process, from its start to its end. */
  processMs: number;
  /** The messages of the next request, when the session was never compacted. */
  contextMs: number;
  /** Megabytes the process has when the session is open, and when its context was made. */
  openMegabytes: number;
  contextMegabytes: number;
}

const ENTRIES = 100_000;
const RUNS = 9;

/** The row for the table of benchmarks: `wc -l` is the floor. */
export async function compareOpening(runs = RUNS): Promise<Pair> {
  const { countLinesMs, openMs } = await measureOpening(runs);
  return { floor: countLinesMs, ralph: openMs };
}

export async function measureOpening(runs = RUNS, entries = ENTRIES): Promise<Opening> {
  const directory = mkdtempSync(join(tmpdir(), "ralph-bench-session-"));
  try {
    const path = writeSession(directory, entries);
    const samples: Opening[] = [];
    for (let run = 0; run <= runs; run++) {
      const counting = await timed(["wc", "-l", path]);
      const opening = await timed([process.execPath, import.meta.path, path]);
      // The first pair warms the disk cache.
      if (run > 0) samples.push({ ...JSON.parse(opening.output), countLinesMs: counting.ms, processMs: opening.ms });
    }
    const of = (key: keyof Opening) => middle(samples.map((sample) => sample[key]));
    return {
      countLinesMs: of("countLinesMs"),
      openMs: of("openMs"),
      processMs: of("processMs"),
      contextMs: of("contextMs"),
      openMegabytes: of("openMegabytes"),
      contextMegabytes: of("contextMegabytes"),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function timed(argv: string[]): Promise<{ ms: number; output: string }> {
  const started = performance.now();
  const child = Bun.spawn(argv, { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${argv.join(" ")} failed`);
  return { ms: performance.now() - started, output };
}

/** A conversation of prompts, answers, calls and results, about 50 MB for 100,000 entries. */
function writeSession(directory: string, count: number): string {
  const time = Date.UTC(2026, 0, 2);
  const at = (second: number) => new Date(time + second * 1000).toISOString();
  const header = { type: "session", version: 1, id: "benchmark", at: at(0), cwd: "/projects/shop" };
  const lines = [JSON.stringify(header)];
  for (let number = 0; number < count; number++) {
    const parentId = number === 0 ? null : idOf(number - 1);
    lines.push(JSON.stringify({ id: idOf(number), parentId, at: at(number), ...bodyOf(number) }));
  }
  const path = join(directory, sessionFileName("benchmark", time));
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

/** Spread over all ids as random ones are. */
function idOf(number: number): string {
  let rest = (number * 7919 + 104_729) * 6_700_417;
  return Array.from({ length: 8 }, () => {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    return ID_ALPHABET[digit];
  }).join("");
}

function bodyOf(number: number): object {
  const turn = Math.floor(number / 4);
  const call = {
    type: "tool-call",
    id: `call_${turn}`,
    name: "bash",
    input: { command: `grep -rn "total" src/${turn}` },
  };
  const usage = { input: 1200, output: 80, cacheRead: 30_000, cacheWrite: 500 };
  switch (number % 4) {
    case 0:
      return {
        type: "message",
        message: { role: "user", content: [text(`Fix case ${turn}: `, "the total is wrong. ", 8)] },
      };
    case 1: {
      const content = [text("", "I look for where the total is added up. ", 5), call];
      const maker = { provider: "acme", api: "openai-completions", model: "one", stopReason: "tool-use" };
      return { type: "message", message: { role: "assistant", content, ...maker, usage }, cost: 0.01 };
    }
    case 2:
      return { type: "tool-started", call };
    default: {
      const content = [text("", "src/cart.ts:12: const total = sum(prices);\n", 20)];
      const result = { role: "tool-result", toolCallId: call.id, toolName: "bash", content, isError: false };
      return { type: "message", message: result };
    }
  }
}

function text(beginning: string, words: string, times: number): object {
  return { type: "text", text: beginning + words.repeat(times) };
}

async function openOnce(path: string): Promise<void> {
  const places = { sessions: join(path, ".."), blobs: join(path, "../blobs") };
  const started = performance.now();
  const opened = await openSession(path, { places });
  const openMs = performance.now() - started;
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const openMegabytes = process.memoryUsage().rss / 1e6;
  const { messages } = contextOf(session.entries, session.leafId);
  const contextMs = performance.now() - started - openMs;
  if (messages.length === 0) throw new Error("The session is empty.");
  const contextMegabytes = process.memoryUsage().rss / 1e6;
  await session.close();
  console.log(JSON.stringify({ openMs, contextMs, openMegabytes, contextMegabytes }));
}

const [, , path] = process.argv;
if (import.meta.main) {
  if (path === undefined) console.log(await measureOpening());
  else await openOnce(path);
}
