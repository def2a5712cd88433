import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { AssistantMessage, StopReason, ToolCallPart, ToolResultMessage } from "../../protocol/messages.ts";
import type { ModelError } from "../../protocol/model-errors.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { describeRules } from "./describe-rules.ts";
import { type Face, type FaceOptions, type StructuredResult, structuredFields } from "./face.ts";

type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/**
 * The lines of Claude Code's `-p --output-format stream-json`, so that whatever reads those can read Ralph: `system`, `assistant`,
 * `user`, and a `result` at the end. With `isOnlyResult` the result alone.
 */
export class StreamJsonFace implements Face {
  readonly #options: FaceOptions;
  readonly #isOnlyResult: boolean;
  readonly #began: number;
  readonly #calls = new Map<string, ToolCallPart>();
  readonly #denials: Denial[] = [];
  #tools: readonly string[] = [];
  #sessionId = "";
  #model = "";
  #text = "";
  #stopReason: StopReason | undefined;
  #requestBegan: number | undefined;
  #requestMs = 0;
  #structured: StructuredResult | undefined;

  constructor(options: FaceOptions, isOnlyResult: boolean) {
    this.#options = options;
    this.#isOnlyResult = isOnlyResult;
    this.#began = options.run.now();
  }

  begin({ tools }: { tools: readonly string[] }): void {
    this.#tools = tools;
  }

  mayRestart(): boolean {
    return true;
  }

  structured(result: StructuredResult): void {
    this.#structured = result;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "agent-start":
        return this.#init(event);
      case "message-start":
        if (event.role === "assistant") this.#requestBegan = this.#options.run.now();
        return;
      case "message-update":
        return this.#update(event);
      case "message-end":
        return event.message.role === "assistant" ? this.#answer(event.message) : undefined;
      case "tool-end":
        return this.#toolResult(event);
      case "decided":
        if (event.decision.effect === "deny") this.#denials.push({ tool_name: event.tool, tool_input: {} });
        return;
      case "notice":
        return this.#line({ type: "system", subtype: "notice", message: event.text });
      case "rules-triggered":
        return this.#line({ type: "system", subtype: "notice", message: describeRules(event) });
      case "compaction-end":
        return this.#compacted(event);
      case "agent-end":
        return this.#end(event);
    }
  }

  #init({ sessionId = "", model }: EventOf<"agent-start">): void {
    const { cwd, version, permissionMode } = this.#options.run;
    this.#sessionId = sessionId;
    this.#model = model;
    this.#line({
      type: "system",
      subtype: "init",
      cwd,
      session_id: sessionId,
      tools: this.#tools,
      mcp_servers: [],
      model,
      permissionMode,
      slash_commands: [],
      apiKeySource: "user",
      output_style: "default",
      agents: [],
      skills: [],
      plugins: [],
      ralph_version: version,
    });
  }

  #update({ event }: EventOf<"message-update">): void {
    if (event.type === "attempt-retry") {
      const { attempt, delayMs, error } = event;
      this.#line({
        type: "system",
        subtype: "api_retry",
        attempt,
        retry_delay_ms: delayMs,
        error_status: error.status ?? null,
        error: error.kind,
      });
    }
    if (event.type !== "done" && event.type !== "error") return;
    this.#requestMs += this.#options.run.now() - (this.#requestBegan ?? this.#began);
  }

  /** A line for each part, all with the id and the counts of the message, as Claude Code does it. */
  #answer(message: AssistantMessage): void {
    this.#stopReason = message.stopReason;
    this.#text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const id = message.responseId ?? `msg_${this.#options.run.randomId()}`;
    for (const part of message.content) {
      if (part.type === "tool-call") this.#calls.set(part.id, part);
      const content = [contentOf(part)];
      this.#spoken("assistant", {
        message: {
          id,
          type: "message",
          role: "assistant",
          model: message.model,
          content,
          stop_reason: null,
          stop_sequence: null,
          usage: usageOf(message.usage),
        },
      });
    }
  }

  #toolResult({ toolCallId, result, durationMs }: EventOf<"tool-end">): void {
    const call = this.#calls.get(toolCallId);
    const denial = this.#denials.find((open) => open.tool_name === result.toolName && open.tool_use_id === undefined);
    if (denial !== undefined && result.isError && call !== undefined) {
      denial.tool_use_id = toolCallId;
      denial.tool_input = call.input;
    }
    const content = [
      { tool_use_id: toolCallId, type: "tool_result", content: resultContent(result), is_error: result.isError },
    ];
    this.#spoken("user", { message: { role: "user", content } }, { tool_use_result: { durationMs } });
  }

  #compacted({ result }: EventOf<"compaction-end">): void {
    if (!("tokensBefore" in result)) return;
    const compact_metadata = { trigger: "auto", pre_tokens: result.tokensBefore };
    this.#line({ type: "system", subtype: "compact_boundary", compact_metadata });
  }

  #end({ outcome, totals }: EventOf<"agent-end">): void {
    if (outcome.type === "failed") this.#providerError(outcome.error);
    if (outcome.type === "interrupted")
      this.#spoken("user", {
        message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
      });
    const { turns, usage, cost } = totals;
    const line = {
      type: "result",
      ...resultOf(outcome, this.#text),
      duration_ms: Math.round(this.#options.run.now() - this.#began),
      duration_api_ms: Math.round(this.#requestMs),
      num_turns: turns,
      stop_reason: this.#stopReason === undefined ? null : STOP_REASONS[this.#stopReason],
      ...(cost === undefined ? {} : { total_cost_usd: cost }),
      usage: usageOf(usage),
      modelUsage: {
        [this.#model]: {
          inputTokens: usage.input,
          outputTokens: usage.output,
          cacheReadInputTokens: usage.cacheRead,
          cacheCreationInputTokens: usage.cacheWrite,
          ...(cost === undefined ? {} : { costUSD: cost }),
        },
      },
      permission_denials: this.#denials,
      ...structuredFields(this.#structured),
    };
    this.#write({ ...line, session_id: this.#sessionId, uuid: this.#options.run.randomId() });
    this.#denials.length = 0;
  }

  /** Claude Code says what a provider refused as if the assistant had said it. */
  #providerError(error: ModelError): void {
    this.#text = describeOutcome({ type: "failed", error }) ?? error.message;
    const message = {
      id: `msg_${this.#options.run.randomId()}`,
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: this.#text }],
      stop_reason: "stop_sequence",
      stop_sequence: "",
      usage: usageOf({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }),
    };
    const status = { api_error_status: error.status ?? null };
    this.#spoken("assistant", { message }, { error: error.kind, is_api_error_message: true, ...status });
  }

  #spoken(type: "assistant" | "user", said: object, more: object = {}): void {
    const { run } = this.#options;
    const timestamp = new Date(run.startedAt + Math.round(run.now() - this.#began)).toISOString();
    const place = { parent_tool_use_id: null, session_id: this.#sessionId, uuid: run.randomId(), timestamp };
    if (!this.#isOnlyResult) this.#write({ type, ...said, ...place, ...more });
  }

  #line(value: object): void {
    if (this.#isOnlyResult) return;
    this.#write({ ...value, session_id: this.#sessionId, uuid: this.#options.run.randomId() });
  }

  #write(value: object): void {
    this.#options.output.write(`${JSON.stringify(value)}\n`);
  }
}

interface Denial {
  tool_name: string;
  tool_use_id?: string;
  tool_input: Record<string, unknown>;
}

const STOP_REASONS: Record<StopReason, string | null> = {
  stop: "end_turn",
  "tool-use": "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
  cut: null,
};

/** A provider's error is a `success` with `is_error`, as Claude Code has it. */
function resultOf(outcome: AgentOutcome, text: string): object {
  if (outcome.type === "done") return { subtype: "success", is_error: false, result: text };
  if (outcome.type === "failed")
    return { subtype: "success", is_error: true, api_error_status: outcome.error.status ?? null, result: text };
  return { subtype: subtypeOf(outcome), is_error: true, errors: [describeOutcome(outcome) ?? ""] };
}

function subtypeOf(outcome: AgentOutcome): string {
  if (outcome.type !== "limit-reached") return "error_during_execution";
  if (outcome.limit === "turns") return "error_max_turns";
  return outcome.limit === "cost" ? "error_max_budget_usd" : "error_during_execution";
}

function contentOf(part: AssistantMessage["content"][number]): object {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "tool-call") return { type: "tool_use", id: part.id, name: part.name, input: part.input };
  return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
}

function resultContent({ content }: ToolResultMessage): string | object[] {
  if (content.every((part) => part.type === "text")) return content.map(({ text }) => text).join("\n");
  return content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } },
  );
}

function usageOf({ input, output, cacheRead, cacheWrite }: AssistantMessage["usage"]): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}
