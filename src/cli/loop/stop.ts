import { join } from "node:path";
import { type FileSignal, writeFileSignal } from "../../loop/control/file-signals.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import { type Reached, reachLoop, sendWish, whatNow } from "./send-wish.ts";

/** `ralph stop TASK`. */
export function stop(context: RunContext): Promise<number> {
  return requestEnd(
    context,
    "stop",
    (name) => `${name} ends its agent and stops; what was done stays. Go on later: ralph run`,
  );
}

/** `ralph checkpoint TASK`. */
export function checkpoint(context: RunContext): Promise<number> {
  const what = (name: string) => `${name} finishes this iteration and pauses. Go on later: ralph run`;
  return requestEnd(context, "checkpoint", what);
}

async function requestEnd(context: RunContext, signal: FileSignal, promise: (name: string) => string): Promise<number> {
  const reached = await reachLoop(context, context.arguments.words[0], { quietly: true });
  if (!reached.ok) return withoutSocket(context, reached, signal);
  const result = await sendWish(context, reached, { method: signal });
  if (result.ok) print(`${promise(reached.loop.name)}\n`);
  return result.ok ? EXIT.done : EXIT.failed;
}

/** A loop that runs without a socket, for instance because its path would be too long, still sees the file. */
async function withoutSocket(
  context: RunContext,
  { code, loop }: Reached & { ok: false },
  signal: FileSignal,
): Promise<number> {
  if (loop === undefined) return code;
  if (loop.row?.status !== "running") {
    context.note(`No loop named ${loop.name} is running. ${whatNow(loop)}`);
    return code;
  }
  const place = { directory: join(context.paths.data, "signals"), name: loop.name, now: context.clock.now() };
  const written = await writeFileSignal(place, signal);
  if (!written.ok) {
    context.note(written.message);
    return EXIT.failed;
  }
  print(`${loop.name} has no socket; it was left a ${signal} signal, which it obeys when it sees it.\n`);
  return EXIT.done;
}
