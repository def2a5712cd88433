import { connectControl } from "../../loop/control/connect-control.ts";
import type { RegisteredLoop } from "../../loop/state/registry.ts";
import { asNumber, asString } from "../../protocol/json.ts";
import { type Found, findServedLoop, loopId, type McpWorld } from "./served-loops.ts";

export interface LoopWait {
  loop: RegisteredLoop;
  timeoutMs: number;
  signal: AbortSignal;
  progress(progress: { progress: number; total?: number; message?: string }): void;
}

export interface Waited {
  loop: RegisteredLoop;
  isTimedOut: boolean;
}

/** How often a loop without a socket is looked at. */
const LOOK_MS = 500;

/** Until the loop is over, the time is up, or nobody waits any more. */
export async function waitForLoop(world: McpWorld, wait: LoopWait): Promise<Found<Waited>> {
  const { clock } = world.context;
  const deadline = clock.monotonic() + wait.timeoutMs;
  let { loop } = wait;
  while (loop.status === "running" && clock.monotonic() < deadline && !wait.signal.aborted) {
    await news(world, { ...wait, loop }, deadline - clock.monotonic());
    const found = await findServedLoop(world, loopId(loop));
    if (!found.ok) return found;
    loop = found.value;
  }
  return { ok: true, value: { loop, isTimedOut: loop.status === "running" } };
}

/** Resolves when the loop closes its socket, or after a while. */
async function news({ context }: McpWorld, { loop, signal, progress }: LoopWait, leftMs: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const { clock, paths } = context;
  let told = loop.iteration;
  const connected = await connectControl({
    directory: paths.sockets,
    name: loop.taskName,
    clock,
    onEvent: ({ data }) => {
      const iteration = asNumber(data.iteration);
      const story = asString(data.current_story);
      const message = story === undefined ? {} : { message: `at ${story}` };
      if (iteration === undefined || iteration <= told) return;
      told = iteration;
      progress({ progress: iteration, total: loop.maxIterations, ...message });
    },
    onClosed: () => over.resolve(),
  });
  const stopTimer = clock.timer(connected.ok ? leftMs : Math.min(LOOK_MS, leftMs), over.resolve);
  const stop = () => over.resolve();
  signal.addEventListener("abort", stop, { once: true });
  if (connected.ok) await connected.connection.request("subscribe", { events: ["state_change"] });
  await over.promise;
  stopTimer();
  signal.removeEventListener("abort", stop);
  if (connected.ok) connected.connection.close();
}
