import { type OpenCoder, type OpenCoderOptions, openCoder } from "../../coder/open-coder.ts";
import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { RunContext } from "../run-context.ts";
import { answerInTerminal, hasPerson } from "./answer-in-terminal.ts";
import { cleanArtifacts } from "./clean-artifacts.ts";
import { type AgentParts, coderOptions } from "./coder-options.ts";
import type { RunFace } from "./run-face.ts";

export interface Work extends Omit<AgentParts, "hasPerson" | "mayRestart"> {
  message: UserMessage;
  signal: AbortSignal;
  face: RunFace;
  /** Everything the face wrote so far is out. */
  printed: () => Promise<unknown>;
  deck?: Deck | undefined;
}

/** What records a run or plays one back: it stands between the agent, the world and the face. */
export interface Deck {
  /** The agent's parts as they are used. */
  adjust(options: OpenCoderOptions): OpenCoderOptions;
  /** Every event passes here on its way to the face. */
  pass(event: AgentEvent, deliver: (event: AgentEvent) => void): void;
  /** Answers instead of the person, where a run is played back; then nothing on the disk is looked after either. */
  answering?(coder: OpenCoder): () => void;
}

/** One prompt, and what follows from it, worked on with tools until there is nothing more to do. */
export async function work(context: RunContext, task: Work): Promise<AgentOutcome> {
  const { face, deck, signal } = task;
  const options = coderOptions(context, { ...task, hasPerson, mayRestart: () => face.mayRestart() });
  const coder = await openCoder(deck?.adjust(options) ?? options);
  const stopCaring = deck?.answering?.(coder) ?? takeCare(context, coder, task);
  let ended = Promise.withResolvers<AgentOutcome>();
  const deliver = (event: AgentEvent) => {
    face.emit(event);
    if (event.type === "agent-end") ended.resolve(event.outcome);
  };
  coder.subscribe((event) => (deck === undefined ? deliver(event) : deck.pass(event, deliver)));
  await introduce(coder, task);
  const abort = () => void coder.call("abort", {});
  signal.addEventListener("abort", abort, { once: true });
  let outcome: AgentOutcome | undefined;
  for (
    let message: UserMessage | undefined = task.message;
    message !== undefined;
    message = await next(outcome, task)
  ) {
    ended = Promise.withResolvers();
    const accepted = await coder.call("prompt", { message });
    if (!accepted.ok) deliver(notBegun(accepted.error.message));
    if (signal.aborted) abort();
    outcome = await ended.promise;
  }
  signal.removeEventListener("abort", abort);
  stopCaring();
  await coder.close();
  return outcome ?? { type: "done" };
}

/** A run that did not end well ends, whatever was to follow. */
async function next(outcome: AgentOutcome | undefined, { face, signal }: Work): Promise<UserMessage | undefined> {
  return outcome?.type === "done" && !signal.aborted ? face.followUp(signal) : undefined;
}

/** Asks the person, and removes what earlier runs left behind. */
function takeCare(context: RunContext, coder: OpenCoder, { printed }: Work): () => void {
  const stopCleaning = cleanArtifacts(context);
  const stopAnswering = answerInTerminal(coder, printed);
  return () => {
    stopAnswering();
    stopCleaning();
  };
}

async function introduce(coder: OpenCoder, { face, brokenOff }: Work): Promise<void> {
  const state = face.begin === undefined ? undefined : await coder.call("get_state", {});
  if (state?.ok === true) face.begin?.(state.result);
  if (brokenOff !== undefined) face.emit({ type: "notice", level: "warning", text: brokenOff.text });
}

function notBegun(message: string): Extract<AgentEvent, { type: "agent-end" }> {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { type: "agent-end", outcome: { type: "not-stored", message }, totals: { turns: 0, usage } };
}
