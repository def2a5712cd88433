import type { ModelEnd, ModelEvent } from "../protocol/model-events.ts";
import type { StreamModel } from "../protocol/model-request.ts";
import type { Api, Credential, Model } from "../protocol/models.ts";
import type { Clock } from "../system/clock.ts";
import type { Attempt } from "./attempt.ts";
import type { Timeouts } from "./attempt-watch.ts";
import type { CurrentCredential } from "./current-credential.ts";
import { ABORTED } from "./errors.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy, retryDelay } from "./retry.ts";
import type { RetrySwitch } from "./retry-switch.ts";
import type { WireProtocol } from "./wire-protocol.ts";

export interface StreamModelOptions {
  model: Model;
  credential: Credential;
  /** Asked before every attempt, in place of `credential`. */
  currentCredential?: CurrentCredential;
  clock: Clock;
  /** In [0, 1), for the jitter of waits. */
  random: () => number;
  userAgent: string;
  timeouts?: Partial<Timeouts>;
  retries?: Partial<RetryPolicy>;
  /** Where it is missing, requests are always made again. */
  retrySwitch?: RetrySwitch;
  proxy?: string;
  trace?: (line: string) => void;
}

/** A model that can be asked, as `StreamModel` promises: requests, retries and broken answers are handled here. */
export function createStreamModel(options: StreamModelOptions): StreamModel {
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.retries };
  let attempt: Promise<Attempt> | undefined;

  return async (request, { signal, emit, mayRestart = () => true }) => {
    attempt ??= createAttempt(options);
    const tryOnce = await attempt;
    const failures = { before: 0, after: 0 };
    for (let number = 1; ; number++) {
      if (signal.aborted) return last({ type: "error", error: ABORTED }, emit);
      const { end, begun } = await tryOnce({ request, number, signal, emit });
      if (end.type === "done") return last(end, emit);
      const failed = {
        error: end.error,
        begun,
        failures: ++failures[begun ? "after" : "before"],
        mayRestart: mayRestart(),
      };
      const isOn = options.retrySwitch?.isOn() ?? true;
      const delayMs = isOn ? retryDelay(failed, policy, options.random()) : undefined;
      if (delayMs === undefined) return last(end, emit);
      emit({ type: "attempt-retry", attempt: number, delayMs: Math.round(delayMs), error: end.error });
      if (!(await waited(options, delayMs, signal))) return last(end, emit);
    }
  };
}

/** Whether the next attempt is wanted after the wait. */
async function waited(
  { clock, retrySwitch }: StreamModelOptions,
  delayMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (retrySwitch !== undefined) return retrySwitch.wait((stop) => clock.sleep(delayMs, stop), signal);
  await clock.sleep(delayMs, signal);
  return true;
}

function last(end: ModelEnd, emit: (event: ModelEvent) => void): ModelEnd {
  const message = end.type === "done" ? end.message : end.partial;
  if (message !== undefined && Object.values(message.usage).some((count) => count > 0)) {
    emit({ type: "usage", usage: message.usage });
  }
  emit(end);
  return end;
}

/** Only the protocol that is used is loaded. */
async function createAttempt(options: StreamModelOptions): Promise<Attempt> {
  const { model } = options;
  if (model.api === "scripted") {
    const { createScriptedAttempt } = await import("./scripted.ts");
    return createScriptedAttempt(model, options.clock);
  }
  const { createHttpAttempt } = await import("./http-attempt.ts");
  const { DEFAULT_TIMEOUTS } = await import("./attempt-watch.ts");
  const protocol = await PROTOCOLS[model.api]();
  const http = { ...options, protocol, timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts } };
  if (options.currentCredential === undefined) return createHttpAttempt(http);
  const { withCurrentCredential } = await import("./current-credential.ts");
  return withCurrentCredential(options.currentCredential, (credential) => createHttpAttempt({ ...http, credential }));
}

/** The wire formats Ralph speaks. */
export const PROTOCOLS: Record<Exclude<Api, "scripted">, () => Promise<WireProtocol>> = {
  "anthropic-messages": async () => (await import("./protocols/anthropic-messages.ts")).anthropicMessages,
  "bedrock-converse-stream": async () => (await import("./protocols/bedrock-converse-stream.ts")).bedrockConverseStream,
  "openai-completions": async () => (await import("./protocols/openai-completions.ts")).openaiCompletions,
  "openai-responses": async () => (await import("./protocols/openai-responses.ts")).openaiResponses,
  "openai-codex-responses": async () => (await import("./protocols/openai-responses.ts")).openaiCodexResponses,
  "azure-openai-responses": async () => (await import("./protocols/openai-responses.ts")).azureOpenaiResponses,
  "google-generative-ai": async () => (await import("./protocols/google-generative-ai.ts")).googleGenerativeAi,
  "google-vertex": async () => (await import("./protocols/google-generative-ai.ts")).googleVertex,
  "ollama-chat": async () => (await import("./protocols/ollama-chat.ts")).ollamaChat,
};
