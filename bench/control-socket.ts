// 50,000 events of a loop to ten clients of its control socket. Run by itself with a path, this program is the ten clients: it
// subscribes, says "ready", and says "all" when each of them has read every event.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopControls } from "../src/loop/control/loop-controls.ts";
import { serveControl } from "../src/loop/control/serve-control.ts";
import { systemClock } from "../src/system/clock.ts";
import { middle } from "./measure.ts";
import type { Row } from "./rows.ts";

const EVENTS = 50_000;
const CLIENTS = 10;
const RUNS = 5;
const EVENTS_PER_SECOND = 50_000;
/** An agent's output comes in pieces of about so many lines. */
const LINES_PER_TURN = 250;
const LINE = "Running the tests of the checkout: 41 passed, 1 failed, 0 skipped (2.31 s)";
const NEWLINE = 0x0a;

export async function controlSocketRow(): Promise<Row[]> {
  const samples: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const ms = await fanOut();
    if (run > 0) samples.push(ms);
  }
  const measure = `CPU of a loop while it sends ${EVENTS.toLocaleString("en")} events within a second to ${CLIENTS} clients`;
  return [{ measure, unit: "ms", pair: { ralph: middle(samples) }, most: 1000 }];
}

/** What it costs, in milliseconds of CPU; the clients have a process of their own. None may lose an event. */
async function fanOut(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "ralph-bench-socket-"));
  const served = await serveControl({ directory, name: "bench", controls: idleLoop(), clock: systemClock });
  if (!served.ok) throw new Error(served.message);
  const { server } = served;
  const readers = Bun.spawn([process.execPath, import.meta.path, server.path], { stdout: "pipe", stderr: "inherit" });
  const said = readers.stdout.getReader();
  try {
    await said.read();
    const before = process.cpuUsage();
    const started = performance.now();
    for (let sent = 0; sent < EVENTS; sent += LINES_PER_TURN) {
      const due = started + (sent / EVENTS_PER_SECOND) * 1000;
      await Bun.sleep(Math.max(0, due - performance.now()));
      for (let line = 0; line < LINES_PER_TURN; line++) server.output(LINE);
    }
    if ((await said.read()).done) throw new Error("A client was dropped.");
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  } finally {
    readers.kill();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function idleLoop(): LoopControls {
  const done = async () => ({ ok: true }) as const;
  return {
    status: () => ({
      taskName: "bench",
      taskDirectory: "/bench",
      iteration: 1,
      maxIterations: 50,
      currentStory: undefined,
      agent: "custom",
      status: "running",
      interactive: false,
      startedAt: 0,
      updatedAt: 0,
    }),
    stop: done,
    checkpoint: done,
    inject: done,
    setInteractive: done,
    writePty: () => false,
    resizePty: () => undefined,
    screen: async () => undefined,
    receipts: () => [],
    stories: () => [],
  };
}

async function readAll(path: string): Promise<void> {
  const request = { jsonrpc: "2.0", id: 1, method: "subscribe", params: { events: ["*"] } };
  let left = CLIENTS;
  let unready = CLIENTS;
  for (let client = 0; client < CLIENTS; client++) {
    // The first line is the answer.
    let lines = -1;
    await Bun.connect({
      unix: path,
      socket: {
        open: (socket) => void socket.write(`${JSON.stringify(request)}\n`),
        data(_, bytes) {
          if (lines === -1 && --unready === 0) process.stdout.write("ready\n");
          for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
          if (lines === EVENTS && --left === 0) process.stdout.write("all\n");
        },
        close: () => process.exit(1),
      },
    });
  }
}

const [, , path] = process.argv;
if (import.meta.main) {
  if (path === undefined) console.log(await controlSocketRow());
  else await readAll(path);
}
