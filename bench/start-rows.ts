import type { BenchWorld } from "./bench-world.ts";
import { comparePrograms, type Program, runOnce } from "./measure.ts";
import type { Row } from "./rows.ts";

// One answer without tools: what a start, a request and a stream of text cost.

export async function versionRow({ program }: BenchWorld): Promise<Row[]> {
  const pair = await comparePrograms(
    31,
    async () => (await runOnce({ argv: [process.execPath, "-e", "0"] })).wallMs,
    async () => (await runOnce({ argv: [program, "--version"] })).wallMs,
  );
  return [{ measure: "`--version`, wall (floor: `bun -e 0`)", unit: "ms", pair, reach: 2.3 }];
}

/** In an empty folder, because the floor reads no instructions either. */
export async function firstByteRows({ server, ralph, floor, folder }: BenchWorld): Promise<Row[]> {
  server.answerWith(1);
  const cwd = folder();
  const timed = async (program: Program) => {
    const started = performance.now();
    await runOnce({ ...program, cwd });
    return server.arrivedAt() - started;
  };
  const same = await comparePrograms(
    21,
    () => timed(floor("ask", "hello")),
    () => timed(ralph("hello", "--tools", "none", "--no-session")),
  );
  const whole = await comparePrograms(
    21,
    () => timed(floor("ask", "hello")),
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

export async function deltaRows({ server, ralph, floor }: BenchWorld): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1_000, 10_000, 100_000]) {
    server.answerWith(count);
    const cpu = async (program: Program) => (await runOnce(program)).cpuMs;
    const pair = await comparePrograms(
      5,
      () => cpu(floor("ask", "hello")),
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

export async function memoryRow({ server, ralph, floor }: BenchWorld): Promise<Row[]> {
  server.answerWith(1);
  const peak = async (program: Program) => (await runOnce(program)).peakMegabytes;
  const pair = await comparePrograms(
    7,
    () => peak(floor("ask", "hello")),
    () => peak(ralph("hello")),
  );
  return [{ measure: "peak memory of `-p hello`", unit: "MB", pair, reach: 2.5 }];
}

/** The floor sends the same bytes from an argument, which ends at what a command line can hold. */
export async function requestSizeRows({ server, ralph, floor }: BenchWorld): Promise<Row[]> {
  server.answerWith(1);
  const rows: Row[] = [];
  for (const kilobytes of [1, 10, 100]) {
    const prompt = "word ".repeat(kilobytes * 200);
    const cpu = async (program: Program) => (await runOnce(program)).cpuMs;
    const pair = await comparePrograms(
      5,
      () => cpu(floor("ask", prompt)),
      () => cpu({ ...ralph(""), stdin: prompt }),
    );
    rows.push({ measure: `CPU for a request of ${kilobytes} KB`, unit: "ms", pair });
  }
  return rows;
}
