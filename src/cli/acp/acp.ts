import { EXIT } from "../exit-codes.ts";
import { descriptorOutput, type Output } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";
import { createAcpHost } from "./create-acp-host.ts";

/**
 * `ralph acp`: an editor drives agents over standard input and output until it closes its side. Standard output carries nothing
 * but messages of the protocol; what is meant for people goes to standard error.
 */
export async function acp(context: RunContext, version: string): Promise<number> {
  if (context.arguments.words.length > 0) {
    context.note("ralph acp takes its prompts from the editor: leave everything behind it out.");
    return EXIT.usage;
  }
  const { isatty } = await import("node:tty");
  if (isatty(0))
    context.note("An editor starts this and speaks to it. Here it waits for messages of the protocol; Ctrl-C ends it.");
  const { serveAcp } = await import("../../rpc/acp/serve-acp.ts");
  let isSignalled = false;
  const output = descriptorOutput(1, () => served.stop());
  const served = serveAcp(createAcpHost(context, version), {
    input: Bun.stdin.stream() as ReadableStream<Uint8Array>,
    output: writableOutput(output),
  });
  const stopListening = onStopSignal(() => {
    isSignalled = true;
    served.stop();
  });
  const hungUp = await served.ended;
  await Promise.race([output.drained(), context.clock.sleep(LAST_WORDS_MS)]);
  stopListening();
  const problem = hungUp ?? output.problem;
  if (problem !== undefined) context.note(problem);
  if (problem !== undefined) return EXIT.failed;
  return isSignalled ? EXIT.interrupted : EXIT.done;
}

/** How long an editor that has hung up, or is hung up on, is given to read the rest. */
const LAST_WORDS_MS = 2000;

/** With more than this waiting, whoever writes waits too. */
const HELD_CHARACTERS = 64 * 1024;

function writableOutput(output: Output): WritableStream<Uint8Array> {
  const decoder = new TextDecoder();
  return new WritableStream({
    write(bytes) {
      output.write(decoder.decode(bytes, { stream: true }));
      return output.held > HELD_CHARACTERS ? output.drained() : undefined;
    },
  });
}
