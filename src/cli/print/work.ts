import { openCoder } from "../../coder/open-coder.ts";
import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { RunContext } from "../run-context.ts";
import { answerInTerminal, hasPerson } from "./answer-in-terminal.ts";
import { cleanArtifacts } from "./clean-artifacts.ts";
import { type AgentParts, coderOptions } from "./coder-options.ts";

export interface Work extends Omit<AgentParts, "hasPerson"> {
  message: UserMessage;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  /** Everything the face wrote so far is out. */
  printed: () => Promise<unknown>;
}

/** One prompt, worked on with tools until there is nothing more to do. */
export async function work(context: RunContext, task: Work): Promise<AgentOutcome> {
  const coder = await openCoder(coderOptions(context, { ...task, hasPerson }));
  const stopCleaning = cleanArtifacts(context);
  const stopAnswering = answerInTerminal(coder, task.printed);
  const ended = Promise.withResolvers<AgentOutcome>();
  coder.subscribe((event) => {
    task.emit(event);
    if (event.type === "agent-end") ended.resolve(event.outcome);
  });
  const abort = () => void coder.call("abort", {});
  task.signal.addEventListener("abort", abort, { once: true });
  const accepted = await coder.call("prompt", { message: task.message });
  if (!accepted.ok) task.emit(notBegun(accepted.error.message));
  if (task.signal.aborted) abort();
  const outcome = accepted.ok ? await ended.promise : notBegun(accepted.error.message).outcome;
  task.signal.removeEventListener("abort", abort);
  stopAnswering();
  stopCleaning();
  await coder.close();
  return outcome;
}

function notBegun(message: string): Extract<AgentEvent, { type: "agent-end" }> {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { type: "agent-end", outcome: { type: "not-stored", message }, totals: { turns: 0, usage } };
}
