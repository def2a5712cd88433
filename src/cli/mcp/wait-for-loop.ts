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

/** Until the loop is over, the time is up, or nobody waits any more. Where it is now is told first, then every iteration. */
export async function waitForLoop(world: McpWorld, wait: LoopWait): Promise<Found<Waited>> {
  const { clock } = world.context;
  const deadline = clock.monotonic() + wait.timeoutMs;
  const tell = tellOnce(wait);
  let { loop } = wait;
  while (loop.status === "running" && clock.monotonic() < deadline && !wait.signal.aborted) {
    await news(world, { loop, tell, signal: wait.signal }, deadline - clock.monotonic());
    const found = await findServedLoop(world, loopId(loop));
    if (!found.ok) return found;
    loop = found.value;
  }
  return { ok: true, value: { loop, isTimedOut: loop.status === "running" } };
}

type Tell = (status: Readonly<Record<string, unknown>>) => void;

/** Takes any part of a loop's status. What is told has to grow. */
function tellOnce({ loop, progress }: LoopWait): Tell {
  let told = -1;
  return (status) => {
    const iteration = asNumber(status.iteration);
    if (iteration === undefined || iteration <= told) return;
    told = iteration;
    const story = asString(status.current_story);
    progress({ progress: iteration, total: loop.maxIterations, ...(story ? { message: `at ${story}` } : {}) });
  };
}

interface Listening {
  loop: RegisteredLoop;
  tell: Tell;
  signal: AbortSignal;
}

/** Resolves when the loop closes its socket, or after a while. */
async function news({ context }: McpWorld, { loop, tell, signal }: Listening, leftMs: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const { clock, paths } = context;
  const connected = await connectControl({
    directory: paths.sockets,
    name: loop.taskName,
    clock,
    onEvent: ({ data }) => tell(data),
    onClosed: () => over.resolve(),
  });
  const stopTimer = clock.timer(connected.ok ? leftMs : Math.min(LOOK_MS, leftMs), over.resolve);
  const stop = () => over.resolve();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  if (connected.ok) {
    await connected.connection.request("subscribe", { events: ["state_change"] });
    const status = await connected.connection.request("get_status", {});
    if (status.ok) tell(status.result);
  } else tell({ iteration: loop.iteration, current_story: loop.currentStory });
  await over.promise;
  stopTimer();
  signal.removeEventListener("abort", stop);
  if (connected.ok) connected.connection.close();
}
