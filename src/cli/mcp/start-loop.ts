import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RegisteredLoop } from "../../loop/state/registry.ts";
import { readTextFile } from "../../system/text-file.ts";
import { TOKEN_VARIABLE } from "./http-token.ts";
import { type Found, type McpWorld, servedLoops } from "./served-loops.ts";

export interface LoopStart {
  /** The folder of the task, absolute, links resolved. */
  directory: string;
  /** Of Ralph: a command that runs a loop, and its arguments. */
  words: readonly string[];
  signal: AbortSignal;
}

const MOST_RUNNING = 8;
/** Everything a loop checks before it begins takes less. */
const BEGIN_MS = 30_000;
const LOOK_MS = 50;

/**
 * Starts a loop as a process of its own that outlives this one. Settles when the loop has begun, or with the reason why it
 * did not.
 */
export async function startLoop(world: McpWorld, start: LoopStart): Promise<Found<RegisteredLoop>> {
  const listed = await servedLoops(world);
  if (!listed.ok) return listed;
  const { directory } = start;
  const running = listed.value.filter(({ status }) => status === "running");
  // From here to the reservation nothing waits, so that of many callers at once none slips through.
  const busy = new Set([...world.starting, ...running.map(({ taskDirectory }) => taskDirectory)]);
  if (busy.has(directory))
    return { ok: false, message: `A loop is running on ${directory} already. Watch it with ralph_status.` };
  if (busy.size >= MOST_RUNNING)
    return { ok: false, message: `${MOST_RUNNING} loops are running, which is the most. Stop one with ralph_stop.` };
  world.starting.add(directory);
  return begin(world, start).finally(() => world.starting.delete(directory));
}

async function begin(world: McpWorld, { words, signal }: LoopStart): Promise<Found<RegisteredLoop>> {
  const spawned = spawnLoop(world, words);
  if (!spawned.ok) return spawned;
  const { child, said } = spawned.value;
  const begun = await untilBegun(world, child, signal);
  const read = readTextFile(said, { maxBytes: MOST_SAID });
  rmSync(said, { force: true });
  if (begun !== undefined) return { ok: true, value: begun };
  const why = read.ok ? read.text.trim().replaceAll(/^ralph: /gm, "") : "";
  if (!hasEnded(child))
    return { ok: false, message: `The loop did not begin within ${BEGIN_MS / 1000} seconds. ${why}`.trim() };
  const how = child.signalCode === null ? `with exit code ${child.exitCode}` : `by ${child.signalCode}`;
  return { ok: false, message: why === "" ? `The loop ended at once, ${how}.` : why };
}

/** `said` is the file its words to people go to. */
function spawnLoop(
  { context, roots }: McpWorld,
  words: readonly string[],
): Found<{ child: Bun.Subprocess; said: string }> {
  const said = join(context.paths.cache, "mcp", `${crypto.randomUUID()}.txt`);
  try {
    mkdirSync(dirname(said), { recursive: true });
    const child = Bun.spawn([...context.selfCommand, ...words, "--ui", "plain", "--no-color"], {
      cwd: roots.folders[0],
      // What opens this server is nothing for agents.
      env: { ...context.environment, [TOKEN_VARIABLE]: undefined },
      stdio: ["ignore", "ignore", Bun.file(said)],
      detached: true,
    });
    child.unref();
    return { ok: true, value: { child, said } };
  } catch (error) {
    return { ok: false, message: `The loop could not be started: ${error instanceof Error ? error.message : error}` };
  }
}

function hasEnded({ exitCode, signalCode }: Bun.Subprocess): boolean {
  return exitCode !== null || signalCode !== null;
}

const MOST_SAID = 64 * 1024;

/** Its row in the registry. What ended before it began has none. */
async function untilBegun(
  world: McpWorld,
  child: Bun.Subprocess,
  signal: AbortSignal,
): Promise<RegisteredLoop | undefined> {
  const { clock } = world.context;
  const deadline = clock.monotonic() + BEGIN_MS;
  for (;;) {
    const isOver = hasEnded(child);
    const listed = await servedLoops(world);
    const row = listed.ok ? listed.value.find(({ pid }) => pid === child.pid) : undefined;
    if (row !== undefined || isOver || signal.aborted || clock.monotonic() > deadline) return row;
    await new Promise<void>((resolve) => void clock.timer(LOOK_MS, resolve));
  }
}
