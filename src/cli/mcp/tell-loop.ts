import { join } from "node:path";
import { connectControl } from "../../loop/control/connect-control.ts";
import { writeFileSignal } from "../../loop/control/file-signals.ts";
import type { RegisteredLoop } from "../../loop/state/registry.ts";
import type { RunContext } from "../run-context.ts";
import type { Found } from "./served-loops.ts";

export interface LoopOrder {
  method: "stop" | "checkpoint" | "inject_prompt" | "get_status";
  params?: Readonly<Record<string, unknown>>;
}

/** Says something to a running loop over its socket. One without a socket still sees a file that asks it to end. */
export async function tellLoop(
  { paths, clock }: RunContext,
  loop: RegisteredLoop,
  { method, params = {} }: LoopOrder,
): Promise<Found<Record<string, unknown>>> {
  if (loop.status !== "running")
    return {
      ok: false,
      message: `The loop ${loop.taskName} is ${loop.status}. Only a running one can be told anything.`,
    };
  const connected = await connectControl({ directory: paths.sockets, name: loop.taskName, clock });
  if (connected.ok) {
    const answer = await connected.connection.request(method, params);
    connected.connection.close();
    return answer.ok ? { ok: true, value: answer.result } : answer;
  }
  if (connected.reason !== "no-loop" || (method !== "stop" && method !== "checkpoint")) return connected;
  const place = { directory: join(paths.data, "signals"), name: loop.taskName, now: clock.now() };
  const written = await writeFileSignal(place, method);
  return written.ok ? { ok: true, value: { status: "signal_left" } } : written;
}
