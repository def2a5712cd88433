import { newId } from "../../sessions/session-name.ts";
import { openAgentPort } from "../agents/agent-port.ts";
import { EXIT } from "../exit-codes.ts";
import { descriptorOutput } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";

const RUN_ID_LENGTH = 8;
const TITLE_WISHES = ["RALPH_RPC_EMIT_TITLE", "GJC_RPC_EMIT_TITLE"] as const;

/**
 * `ralph --mode rpc`: a program drives the agent over standard input and output until it closes its side. Standard output carries
 * nothing but frames; what is meant for people goes to standard error.
 */
export async function openRpc(context: RunContext, version: string): Promise<number> {
  const refusal = refusalOf(context);
  if (refusal !== undefined) return refused(context, { message: refusal, code: EXIT.usage });
  const serving = import("../../rpc/serve-rpc.ts");
  const opened = await openAgentPort(context, { version });
  if (!opened.ok) return refused(context, opened);
  const { serveRpc } = await serving;
  const stop = new AbortController();
  let isSignalled = false;
  const stopListening = onStopSignal(() => {
    isSignalled = true;
    stop.abort();
  });
  const output = descriptorOutput(1, () => stop.abort());
  const end = await serveRpc({
    agent: opened.port,
    input: Bun.stdin.stream(),
    output,
    clock: context.clock,
    run: newId(RUN_ID_LENGTH),
    emitsTitle: TITLE_WISHES.some((name) => context.environment[name] === "1"),
    signal: stop.signal,
  });
  stopListening();
  const problem = end.type === "output-stuck" ? end.message : output.problem;
  if (problem !== undefined) return refused(context, { message: problem, code: EXIT.failed });
  return isSignalled ? EXIT.interrupted : EXIT.done;
}

function refusalOf(context: RunContext): string | undefined {
  if (context.arguments.words.length > 0)
    return "--mode rpc takes prompts and files from standard input alone: leave them out of the command line.";
  const flag = ["print", "json", "plain", "default"].find((name) => hasFlag(context, name));
  return flag === undefined ? undefined : `--${flag} means nothing together with --mode rpc. Give one of them.`;
}

function refused(context: RunContext, { message, code }: { message: string; code: number }): number {
  context.note(message);
  return code;
}
