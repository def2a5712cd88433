// `ralph --mode rpc` as a host sees it: how fast it answers, what events cost, what an idle one holds, and many at once.
import type { BenchWorld } from "./bench-world.ts";
import { type Program, processorMs, residentMegabytes } from "./measure.ts";
import type { Row } from "./rows.ts";

const ROUND_TRIPS = 2_000;
const DELTAS = 100_000;
const PROCESSES = 50;

export async function rpcRows(world: BenchWorld): Promise<Row[]> {
  return [
    { measure: "rpc: `get_state` and back, 99th percentile", unit: "ms", pair: await roundTrips(world), most: 2 },
    {
      measure: `rpc: CPU for ${DELTAS.toLocaleString("en")} events to a host (floor: writing the same lines)`,
      unit: "ms",
      pair: await eventFrames(world),
      reach: 3,
    },
    { measure: "rpc: memory of an idle process", unit: "MB", pair: { ralph: await idleMemory(world) }, most: 60 },
    {
      measure: `rpc: ${PROCESSES} processes at once, until every one has started and answered a prompt`,
      unit: "ms",
      pair: { ralph: await manyAtOnce(world) },
    },
  ];
}

/** A bare exchange of a line through two pipes is the floor. */
async function roundTrips(world: BenchWorld) {
  using ralph = startHost(rpc(world));
  await ralph.line(isReady);
  using floor = startHost({ argv: ["cat"] });
  const samples = { ralph: [] as number[], floor: [] as number[] };
  for (let at = 0; at < ROUND_TRIPS; at++) {
    for (const [name, host] of [
      ["floor", floor],
      ["ralph", ralph],
    ] as const) {
      const started = performance.now();
      host.send({ id: `req_${at}`, type: "get_state" });
      await host.line((line) => line.includes(`"req_${at}"`));
      samples[name].push(performance.now() - started);
    }
  }
  return { ralph: percentile(samples.ralph, 0.99), floor: percentile(samples.floor, 0.99) };
}

/** The floor gets all lines at once and has only to write them. */
async function eventFrames(world: BenchWorld) {
  // As fast as the host reads; faster, and pieces would be joined.
  world.server.answerWith(DELTAS, 1);
  const lines: string[] = [];
  const ralph = await (async () => {
    using host = startHost(rpc(world));
    await host.line(isReady);
    const before = processorMs(host.pid);
    host.send({ type: "prompt", message: "hello" });
    await host.line((line) => {
      lines.push(line);
      return isEnd(line);
    });
    return processorMs(host.pid) - before;
  })();
  if (lines.length < DELTAS) throw new Error(`Only ${lines.length} lines came.`);
  const file = `${world.folder()}/lines.jsonl`;
  await Bun.write(file, `${lines.join("\n")}\n`);
  using floor = startHost({ argv: [process.execPath, `${import.meta.dir}/floor/write-lines.ts`, file] });
  await floor.line((line) => line === "ready");
  const before = processorMs(floor.pid);
  floor.send({ type: "go" });
  await floor.line(isEnd);
  return { ralph, floor: processorMs(floor.pid) - before };
}

async function idleMemory(world: BenchWorld): Promise<number> {
  using host = startHost(rpc(world));
  await host.line(isReady);
  host.send({ id: "req_1", type: "get_state" });
  await host.line((line) => line.includes('"req_1"'));
  return residentMegabytes(host.pid) ?? Number.NaN;
}

async function manyAtOnce(world: BenchWorld): Promise<number> {
  world.server.answerWith(100);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      using host = startHost(rpc(world));
      await host.line(isReady);
      host.send({ type: "prompt", message: "hello" });
      await host.line(isEnd);
    }),
  );
  return performance.now() - started;
}

function rpc(world: BenchWorld): Program {
  const { argv, environment } = world.ralph("");
  const withoutPrint = argv.filter((word) => word !== "-p");
  return { argv: [...withoutPrint, "--mode", "rpc"], ...(environment && { environment }), cwd: world.folder() };
}

function isReady(line: string): boolean {
  return line.includes('"type":"ready"');
}

function isEnd(line: string): boolean {
  return line.includes('"event_type":"agent_end"');
}

/** A program whose lines are read as they come. */
function startHost({ argv, environment = {}, cwd }: Program) {
  const child = Bun.spawn(argv, {
    ...(cwd !== undefined && { cwd }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let waiting: string[] = [];
  let rest = "";
  const more = async () => {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${argv.join(" ")} ended too early.`);
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    waiting = lines;
  };
  return {
    pid: child.pid,
    send(frame: object) {
      child.stdin.write(`${JSON.stringify(frame)}\n`);
      child.stdin.flush();
    },
    /** Reads on until a line is the wanted one; those before it are passed over. */
    async line(isWanted: (line: string) => boolean): Promise<string> {
      for (;;) {
        const at = waiting.findIndex(isWanted);
        const found = waiting[at];
        waiting = at < 0 ? [] : waiting.slice(at + 1);
        if (found !== undefined) return found;
        await more();
      }
    },
    [Symbol.dispose]() {
      child.kill("SIGKILL");
    },
  };
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
