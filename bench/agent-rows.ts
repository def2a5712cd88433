import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../src/protocol/json.ts";
import { findRipgrep } from "../src/system/find-ripgrep.ts";
import type { BenchWorld } from "./bench-world.ts";
import { comparePrograms, type Program, residentMegabytes, runOnce } from "./measure.ts";
import type { ToolCall } from "./model-server.ts";
import type { Row } from "./rows.ts";

// An agent at work: what its turns, its first request, its memory and its searches cost.

const TURNS = 50;

/**
 * From the first request to the last, so that the start of the program is not part of it. The model answers at once, so that
 * nothing is hidden behind its thinking: the sandbox that is made ahead is never ready in time here.
 */
export async function toolTurnsRow(world: BenchWorld): Promise<Row[]> {
  const cwd = projectFolder(world);
  const perTurn = async (program: Program) => {
    const { arrivals } = world.server.answerWithCalls((turn) => (turn < TURNS ? [alternatingCall(turn)] : []));
    await runOnce({ ...program, cwd });
    return ((arrivals.at(-1) ?? Number.NaN) - (arrivals[0] ?? Number.NaN)) / (arrivals.length - 1);
  };
  const compared = (...flags: string[]) =>
    comparePrograms(
      7,
      () => perTurn(world.floor("tool-turns", "go")),
      () => perTurn(world.ralph("go", "--yolo", ...flags)),
    );
  const measure = `one turn of ${TURNS} that read a file and run a command in turn`;
  return [
    { measure: `${measure}, with \`--sandbox off\``, unit: "ms", pair: await compared("--sandbox", "off"), reach: 2 },
    { measure: "the same with every command in a sandbox, as it is by default", unit: "ms", pair: await compared() },
  ];
}

function projectFolder(world: BenchWorld): string {
  const folder = world.folder();
  writeFileSync(join(folder, "notes.txt"), "A line of some text in a file.\n".repeat(60));
  return folder;
}

function alternatingCall(number: number, lines = 60): ToolCall {
  const start_line = 1 + (number % 50);
  return number % 2 === 0
    ? { name: "read_file", input: { path: "notes.txt", start_line, end_line: start_line + lines - 1 } }
    : { name: "shell", input: { command: `echo "call ${number}"` } };
}

/** Four bytes are counted as a token. */
export async function firstRequestRow({ server, ralph, folder }: BenchWorld): Promise<Row[]> {
  server.answerWith(1);
  await runOnce({ ...ralph("hello"), cwd: folder() });
  const { system, tools } = asObject(JSON.parse(server.newestRequest())) ?? {};
  const tokens = Buffer.byteLength(JSON.stringify({ system, tools })) / 4;
  const measure = `first request of a session: system prompt and ${asArray(tools)?.length ?? 0} tools`;
  return [{ measure, unit: "tokens", pair: { ralph: tokens }, most: 1400 }];
}

const CALLS_PER_TURN = 20;
const MANY_CALLS = 10_000;

/** Several calls in an answer, and short results, because the whole conversation is sent with every turn. */
export async function manyCallsRows(world: BenchWorld): Promise<Row[]> {
  let pid = 0;
  let early = 0;
  world.server.answerWithCalls((turn) => {
    const done = turn * CALLS_PER_TURN;
    if (done === 1_000) early = residentMegabytes(pid) ?? 0;
    if (done >= MANY_CALLS) return [];
    return Array.from({ length: CALLS_PER_TURN }, (_, index) => alternatingCall(done + index, 5));
  });
  const program = world.ralph("go", "--yolo", "--max-turns", String(MANY_CALLS));
  const { peakMegabytes } = await runOnce({ ...program, cwd: projectFolder(world) }, (started) => {
    pid = started;
  });
  return [
    {
      measure: `memory of a session of ${MANY_CALLS.toLocaleString("en")} tool calls, at most (floor: itself after 1,000)`,
      unit: "MB",
      pair: { floor: early, ralph: peakMegabytes },
      most: 250,
    },
  ];
}

const PATTERN = "needle_[0-9]+";

/** From the answer with the call to the request with the result, against ripgrep alone on the same warm files. */
export async function searchRow(world: BenchWorld): Promise<Row[]> {
  const ripgrep = await findRipgrep(world.folder());
  if (ripgrep === undefined) return [];
  const cwd = largeTree(world.folder());
  const searched = async () => {
    const call = { name: "search_files", input: { pattern: PATTERN } };
    const { arrivals } = world.server.answerWithCalls((turn) => (turn === 0 ? [call] : []));
    await runOnce({ ...world.ralph("go", "--yolo"), cwd });
    return (arrivals[1] ?? Number.NaN) - (arrivals[0] ?? Number.NaN);
  };
  const pair = await comparePrograms(
    9,
    async () => (await runOnce({ argv: [ripgrep, "--no-config", PATTERN, "./"], cwd })).wallMs,
    searched,
  );
  return [{ measure: "search 50,000 files (floor: `rg`)", unit: "ms", pair, reach: 1.3 }];
}

/** 50,000 files of one to two kilobytes in 500 folders; one in 500 has the needle. */
function largeTree(root: string): string {
  const words = Array.from({ length: 24 }, (_, index) => `const value${index} = read("some/place", ${index});`);
  for (let folder = 0; folder < 500; folder++) {
    const path = join(root, `area-${folder % 20}`, `part-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 100; file++) {
      const lines = words.slice(file % 8).concat(file === 50 && folder % 5 === 0 ? [`needle_${folder}`] : []);
      writeFileSync(join(path, `file-${file}.ts`), `${lines.join("\n")}\n`);
    }
  }
  return root;
}

/** The peak with a gigabyte of output, less the peak with a few bytes. */
export async function longOutputRow(world: BenchWorld): Promise<Row[]> {
  const cwd = world.folder();
  const growth = async (programFor: (command: string) => Program) => {
    const peak = async (bytes: number) => {
      const command = `yes "a line of what a tool may print" | head -c ${bytes}`;
      world.server.answerWithCalls((turn) => (turn === 0 ? [{ name: "shell", input: { command } }] : []));
      return (await runOnce({ ...programFor(command), cwd })).peakMegabytes;
    };
    return (await peak(1e9)) - (await peak(100));
  };
  const pair = await comparePrograms(
    3,
    () => growth((command) => world.floor("read-output", command)),
    () => growth(() => world.ralph("go", "--yolo")),
  );
  return [{ measure: "growth of memory while a tool prints 1 GB", unit: "MB", pair, most: 30 }];
}
