import type { McpOffer } from "../../mcp/server/mcp-session.ts";
import { serveLines } from "../../mcp/server/serve-lines.ts";
import { EXIT } from "../exit-codes.ts";
import { descriptorOutput } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";

/** With more than this waiting, nobody reads. */
const MOST_HELD = 64 * 1024 * 1024;
const STUCK = `The program that started Ralph does not read what it is sent: more than ${MOST_HELD} characters wait. Ralph ends; loops go on.`;
/** How long a client that has closed its side, or is hung up on, is given to read the rest. */
const LAST_WORDS_MS = 2000;

/** Serves one client over standard input and output. Standard output carries nothing but messages of the protocol. */
export async function overStdio(context: RunContext, offer: McpOffer): Promise<number> {
  const { isatty } = await import("node:tty");
  if (isatty(0))
    context.note("Another agent starts this and speaks to it. Here it waits for messages; Ctrl-C ends it.");
  const stop = new AbortController();
  let isStuck = false;
  const stopListening = onStopSignal(() => stop.abort());
  const output = descriptorOutput(1, () => stop.abort());
  await serveLines({
    offer,
    input: Bun.stdin.stream(),
    write(line) {
      if (isStuck) return;
      output.write(`${line}\n`);
      isStuck = output.held > MOST_HELD;
      if (isStuck) stop.abort();
    },
    clock: context.clock,
    signal: stop.signal,
  });
  if (!isStuck) await Promise.race([output.drained(), context.clock.sleep(LAST_WORDS_MS)]);
  stopListening();
  if (isStuck) context.note(STUCK);
  if (isStuck) return EXIT.failed;
  return stop.signal.aborted ? EXIT.interrupted : EXIT.done;
}
