// `npm run bench` builds Ralph, measures it against floor programs in the same run and prints one table; `--save` keeps it in
// bench/results.md.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { comparePrograms, type Pair, type Program, runOnce } from "./measure.ts";
import { startModelServer } from "./model-server.ts";

interface Row {
  measure: string;
  unit: "ms" | "MB";
  pair: Pair;
  reach?: number;
}

const ROOT = resolve(import.meta.dir, "..");
const RALPH = join(ROOT, "dist/ralph");
const FLOOR = join(import.meta.dir, "floor/ask.ts");

const built = Bun.spawnSync([process.execPath, join(ROOT, "scripts/build.ts")], {
  cwd: ROOT,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.exitCode !== 0) process.exit(1);
const home = mkdtempSync(join(tmpdir(), "ralph-bench-"));
const server = startModelServer();
await Bun.write(join(home, "config/models.yml"), `providers:\n  anthropic:\n    baseUrl: ${server.url}\n`);
const environment = { RALPH_HOME: home, ANTHROPIC_API_KEY: "sk-bench" };

const rows = [await version(), ...(await firstByte()), ...(await deltas()), await memory(), ...(await requestSizes())];
server.stop();
rmSync(home, { recursive: true, force: true });

const table = render(rows);
console.log(table);
if (process.argv.includes("--save")) await Bun.write(join(import.meta.dir, "results.md"), page(table));

function ralph(prompt: string, stdin?: string): Program {
  return {
    argv: [RALPH, "-p", "--model", "anthropic/claude-sonnet-4-6", ...(prompt === "" ? [] : [prompt])],
    environment,
    stdin,
  };
}

function floor(prompt: string): Program {
  return { argv: [process.execPath, FLOOR, server.url, prompt] };
}

async function version(): Promise<Row> {
  const pair = await comparePrograms(
    31,
    async () => (await runOnce({ argv: [process.execPath, "-e", "0"] })).wallMs,
    async () => (await runOnce({ argv: [RALPH, "--version"] })).wallMs,
  );
  return { measure: "`--version`, wall (floor: `bun -e 0`)", unit: "ms", pair, reach: 2.3 };
}

async function firstByte(): Promise<Row[]> {
  server.answerWith(1);
  const timed = async (program: Program) => {
    const started = performance.now();
    await runOnce(program);
    return server.arrivedAt() - started;
  };
  const plain: Program = { ...ralph("hello"), argv: [...ralph("hello").argv, "--tools", "none", "--no-session"] };
  const same = await comparePrograms(
    21,
    () => timed(floor("hello")),
    () => timed(plain),
  );
  const whole = await comparePrograms(
    21,
    () => timed(floor("hello")),
    () => timed(ralph("hello")),
  );
  return [
    {
      measure: "process start to first request byte, the same request (no tools, no session)",
      unit: "ms",
      pair: same,
      reach: 2,
    },
    { measure: "the same with tools offered and the prompt stored on disk first", unit: "ms", pair: whole },
  ];
}

async function deltas(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1_000, 10_000, 100_000]) {
    server.answerWith(count);
    const cpu = async (program: Program) => (await runOnce(program)).cpuMs;
    const pair = await comparePrograms(
      5,
      () => cpu(floor("hello")),
      () => cpu(ralph("hello")),
    );
    rows.push({
      measure: `CPU for ${count.toLocaleString("en")} text deltas`,
      unit: "ms",
      pair,
      ...(count === 100_000 ? { reach: 3 } : {}),
    });
  }
  return rows;
}

async function memory(): Promise<Row> {
  server.answerWith(1);
  const peak = async (program: Program) => (await runOnce(program)).peakMegabytes;
  const pair = await comparePrograms(
    7,
    () => peak(floor("hello")),
    () => peak(ralph("hello")),
  );
  return { measure: "peak memory of `-p hello`", unit: "MB", pair, reach: 2.5 };
}

/** The floor sends the same bytes from an argument, which ends at what a command line can hold. */
async function requestSizes(): Promise<Row[]> {
  server.answerWith(1);
  const rows: Row[] = [];
  for (const kilobytes of [1, 10, 100]) {
    const prompt = "word ".repeat(kilobytes * 200);
    const cpu = async (program: Program) => (await runOnce(program)).cpuMs;
    const pair = await comparePrograms(
      5,
      () => cpu(floor(prompt)),
      () => cpu(ralph("", prompt)),
    );
    rows.push({ measure: `CPU for a request of ${kilobytes} KB`, unit: "ms", pair });
  }
  return rows;
}

function render(all: Row[]): string {
  const lines = all.map(({ measure, unit, pair, reach }) => {
    const ratio = pair.ralph / pair.floor;
    const verdict = reach === undefined ? "" : `${ratio <= reach ? "reached" : "**missed**"} (≤ ${reach})`;
    return `| ${measure} | ${pair.floor.toFixed(1)} ${unit} | ${pair.ralph.toFixed(1)} ${unit} | ${ratio.toFixed(2)} | ${verdict} |`;
  });
  return ["| measure | floor | ralph | ratio | reach |", "|---|---|---|---|---|", ...lines].join("\n");
}

function page(table: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Bun ${Bun.version}, ${new Date().toISOString().slice(0, 10)}`;
  return `# Benchmarks\n\nOne run of \`npm run bench -- --save\`. Every row compares the compiled Ralph with a floor program measured in the same run\n(middle of several runs, interleaved); compare ratios, not times. The floor is \`bench/floor/ask.ts\`.\n\nMachine: ${machine}.\n\n${table}\n`;
}
