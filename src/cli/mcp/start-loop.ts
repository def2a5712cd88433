import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RegisteredLoop } from "../../loop/state/registry.ts";
import { readTextFile } from "../../system/text-file.ts";
import { type Found, type McpWorld, servedLoops } from "./served-loops.ts";

export interface LoopStart {
  /** The folder of the task, absolute, links resolved. */
  directory: string;
  /** The flags of `ralph run`. */
  flags: readonly string[];
  signal: AbortSignal;
}

const MOST_RUNNING = 8;
/** Everything a loop checks before it begins takes less. */
const BEGIN_MS = 30_000;
const LOOK_MS = 50;

/**
 * Starts `ralph run` as a process of its own that outlives this one. Settles when the loop has begun, or with the reason why it
 * did not.
 */
export async function startLoop(
  world: McpWorld,
  { directory, flags, signal }: LoopStart,
): Promise<Found<RegisteredLoop>> {
  const listed = await servedLoops(world);
  if (!listed.ok) return listed;
  const running = listed.value.filter(({ status }) => status === "running");
  if (running.some(({ taskDirectory }) => taskDirectory === directory))
    return { ok: false, message: `A loop is running on ${directory} already. Watch it with ralph_status.` };
  if (running.length >= MOST_RUNNING)
    return { ok: false, message: `${MOST_RUNNING} loops are running, which is the most. Stop one with ralph_stop.` };
  const said = join(world.context.paths.cache, "mcp", `${crypto.randomUUID()}.txt`);
  mkdirSync(dirname(said), { recursive: true });
  const { selfCommand, environment } = world.context;
  const child = Bun.spawn([...selfCommand, "run", directory, "--ui", "plain", "--no-color", ...flags], {
    cwd: world.roots.folders[0],
    env: environment,
    stdio: ["ignore", "ignore", Bun.file(said)],
    detached: true,
  });
  child.unref();
  const begun = await untilBegun(world, child, signal);
  const read = readTextFile(said, { maxBytes: MOST_SAID });
  rmSync(said, { force: true });
  if (begun !== undefined) return { ok: true, value: begun };
  const why = read.ok ? read.text.trim().replaceAll(/^ralph: /gm, "") : "";
  if (child.exitCode === null)
    return { ok: false, message: `The loop did not begin within ${BEGIN_MS / 1000} seconds. ${why}` };
  return { ok: false, message: why === "" ? `The loop ended at once, with exit code ${child.exitCode}.` : why };
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
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const listed = await servedLoops(world);
    const row = listed.ok ? listed.value.find(({ pid }) => pid === child.pid) : undefined;
    if (row !== undefined || hasEnded || signal.aborted || clock.monotonic() > deadline) return row;
    await new Promise<void>((resolve) => void clock.timer(LOOK_MS, resolve));
  }
}
