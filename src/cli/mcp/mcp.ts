import { EXIT } from "../exit-codes.ts";
import { descriptorOutput } from "../output.ts";
import { flagText, type RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";
import { openRoots } from "./served-roots.ts";

/** With more than this waiting, nobody reads. */
const MOST_HELD = 64 * 1024 * 1024;
const STUCK = `The program that started Ralph does not read what it is sent: more than ${MOST_HELD} characters wait. Ralph ends; loops go on.`;
/** How long a client that has closed its side, or is hung up on, is given to read the rest. */
const LAST_WORDS_MS = 2000;

/**
 * `ralph mcp serve`: other agents start and watch loops and read sessions, over standard input and output. Standard output carries
 * nothing but messages of the protocol.
 */
export async function mcp(context: RunContext, version: string): Promise<number> {
  const opened = openRoots(flagText(context, "root")?.split("\n") ?? [], context.cwd);
  const problem = context.arguments.words.length === 1 ? undefined : "Say what to do with it: ralph mcp serve";
  const refusal = problem ?? (opened.ok ? undefined : opened.message);
  if (!opened.ok || refusal !== undefined) {
    context.note(refusal ?? "");
    return EXIT.usage;
  }
  const { isatty } = await import("node:tty");
  if (isatty(0))
    context.note("Another agent starts this and speaks to it. Here it waits for messages; Ctrl-C ends it.");
  const { serveMcp } = await import("../../mcp/server/serve-mcp.ts");
  const { servedTools, INSTRUCTIONS } = await import("./served-tools.ts");
  const { taskResources } = await import("./task-resources.ts");
  const stop = new AbortController();
  let isStuck = false;
  const stopListening = onStopSignal(() => stop.abort());
  const output = descriptorOutput(1, () => stop.abort());
  await serveMcp({
    version,
    instructions: INSTRUCTIONS,
    tools: servedTools({ context, roots: opened.roots }),
    resources: taskResources(opened.roots),
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
