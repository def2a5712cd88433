import { describeCompaction } from "../../coder/compaction/describe-compaction.ts";
import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { AssistantMessage, ToolCallPart, ToolResultMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelFailure } from "../../protocol/model-events.ts";
import { inOneLine, printable } from "../printable.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { describeRules } from "./describe-rules.ts";
import {
  type Face,
  type FaceName,
  type FaceOptions,
  type StructuredResult,
  structuredFields,
  unfitLines,
} from "./face.ts";

// The ways print mode shows a run. A face gets every event and writes lines; it decides nothing.

export const FACES: Record<FaceName, (options: FaceOptions) => Face> = {
  text: (options) => new TextFace(options),
  json: jsonFace,
  events: eventsFace,
  "stream-json": (options) => lazyStreamJson(options, false),
  "result-json": (options) => lazyStreamJson(options, true),
};

/** Loaded where it is asked for. */
function lazyStreamJson(options: FaceOptions, isOnlyResult: boolean): Face {
  const { StreamJsonFace }: typeof import("./stream-json-face.ts") = require("./stream-json-face.ts");
  return new StreamJsonFace(options, isOnlyResult);
}

/**
 * The text of the answers as it comes, and in a terminal what was done between them. What was printed into a pipe cannot be
 * taken back, so there a broken answer is an error.
 */
class TextFace implements Face {
  readonly #options: FaceOptions;
  /** Something of the answer that is being written is out. */
  #printed = false;
  #endsWithNewline = true;
  readonly #calls = new Map<string, ToolCallPart>();
  /** Why things were not allowed; said once each, at the end. */
  readonly #denials = new Set<string>();

  constructor(options: FaceOptions) {
    this.#options = options;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "message-update":
        return this.#update(event.event);
      case "message-end":
        this.#printed = false;
        return this.#finishLine();
      case "tool-start":
        return void this.#calls.set(event.call.id, event.call);
      case "tool-end":
        return this.#tellTool(event);
      case "notice":
        return this.#tell(event.text);
      case "decided":
        return event.decision.effect === "deny" ? void this.#denials.add(event.decision.reason) : undefined;
      case "compaction-start":
        return this.#tell(`Compacting: ${event.reason}`);
      case "compaction-end":
        return this.#tell(describeCompaction(event.result));
      case "rules-triggered":
        this.#finishLine();
        this.#printed = false;
        return this.#tell(describeRules(event));
      case "agent-end": {
        this.#finishLine();
        for (const reason of this.#denials) this.#tell(`Not allowed: ${reason}`);
        const problem = describeOutcome(event.outcome);
        return problem === undefined ? undefined : this.#tell(problem);
      }
    }
  }

  mayRestart(): boolean {
    return !this.#printed || this.#options.isTerminal();
  }

  structured(result: StructuredResult): void {
    if (result.ok) return this.#options.output.write(`${JSON.stringify(result.value)}\n`);
    for (const line of unfitLines(result.problems)) this.#tell(line);
  }

  #update(update: ModelEvent): void {
    if (update.type === "text-delta") {
      if (this.#options.isStructured === true) return;
      // A pipe gets the answer as it is; a terminal would obey what stands in it.
      const text = this.#options.isTerminal() ? printable(update.text) : update.text;
      this.#printed = true;
      if (text !== "") this.#endsWithNewline = text.endsWith("\n");
      this.#options.output.write(text);
    } else if (update.type === "attempt-retry") {
      this.#finishLine();
      this.#tell(retryLine(update));
      this.#printed = false;
    }
  }

  #tellTool({ toolCallId, result, durationMs }: Extract<AgentEvent, { type: "tool-end" }>): void {
    if (!this.#options.isTerminal()) return;
    const call = this.#calls.get(toolCallId);
    const about = Object.values(call?.input ?? {}).find((value) => typeof value === "string") ?? "";
    const how = result.isError ? "failed" : `${(durationMs / 1000).toFixed(1)} s`;
    this.#tell(`${result.toolName} ${String(about).split("\n", 1)[0]?.slice(0, 80) ?? ""} (${how})`);
  }

  #finishLine(): void {
    if (!this.#endsWithNewline) this.#options.output.write("\n");
    this.#endsWithNewline = true;
  }

  /** Behind the text that came before it, and not at all to somebody who has gone away. */
  #tell(line: string): void {
    const { output, note } = this.#options;
    void output.drained().then(() => output.isClosed || note(inOneLine(line)));
  }
}

/** Lines in the form other tools already read: assistant, user, system, result. */
function jsonFace({ output }: FaceOptions): Face {
  const line = (value: unknown) => output.write(`${JSON.stringify(value)}\n`);
  let text = "";
  let answer: AssistantMessage | undefined;
  const denials: Denial[] = [];
  let structured: StructuredResult | undefined;
  return {
    structured(result) {
      structured = result;
    },
    show(event) {
      if (event.type === "decided" && event.decision.effect === "deny") {
        denials.push({ tool_name: event.tool, summary: event.summary, reason: event.decision.reason });
      } else if (event.type === "message-update" && event.event.type === "attempt-retry") {
        line({ type: "system", subtype: "retry", message: retryLine(event.event) });
      } else if (event.type === "message-update" && event.event.type === "error") {
        text = partialText(event.event);
      } else if (event.type === "notice") {
        line({ type: "system", subtype: "notice", message: event.text });
      } else if (event.type === "compaction-end") {
        line({ type: "system", subtype: "compaction", message: describeCompaction(event.result) });
      } else if (event.type === "rules-triggered") {
        line({ type: "system", subtype: "rules", message: describeRules(event) });
      } else if (event.type === "message-end" && event.message.role === "assistant") {
        answer = event.message;
        text = textOf(answer);
        line(assistantLine(answer));
      } else if (event.type === "tool-end") {
        line(toolResultLine(event.result));
      } else if (event.type === "agent-end") {
        const denied = denials.length === 0 ? {} : { permission_denials: denials };
        line({ ...resultLine(event, text, answer), ...denied, ...structuredFields(structured) });
      }
    },
    mayRestart: () => true,
  };
}

/** Something a tool was not allowed to do. */
interface Denial {
  tool_name: string;
  summary: string;
  reason: string;
}

/** Every event as it is, then one `result` line. */
function eventsFace({ output }: FaceOptions): Face {
  let text = "";
  let structured: StructuredResult | undefined;
  return {
    structured(result) {
      structured = result;
    },
    show(event) {
      output.write(`${JSON.stringify(event)}\n`);
      if (event.type === "message-end" && event.message.role === "assistant") text = textOf(event.message);
      if (event.type === "message-update" && event.event.type === "error") text = partialText(event.event);
      if (event.type !== "agent-end") return;
      const { outcome, totals } = event;
      output.write(`${JSON.stringify({ type: "result", outcome, totals, text, ...structuredFields(structured) })}\n`);
    },
    mayRestart: () => true,
  };
}

function retryLine(retry: { attempt: number; delayMs: number; error: { message: string } }): string {
  return `${retry.error.message}; trying again in ${(retry.delayMs / 1000).toFixed(1)} s (attempt ${retry.attempt + 1})`;
}

function assistantLine(message: AssistantMessage): unknown {
  const content = message.content.flatMap((part): unknown[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "tool-call") return [{ type: "tool_use", id: part.id, name: part.name, input: part.input }];
    return [];
  });
  return {
    type: "assistant",
    message: { role: "assistant", model: message.model, content, usage: usageLine(message.usage) },
  };
}

function toolResultLine({ toolCallId, content, isError }: ToolResultMessage): unknown {
  const text = content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
  const result = { type: "tool_result", tool_use_id: toolCallId, content: text, is_error: isError };
  return { type: "user", message: { role: "user", content: [result] } };
}

function usageLine(usage: AssistantMessage["usage"]): unknown {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}

function resultLine(
  end: Extract<AgentEvent, { type: "agent-end" }>,
  text: string,
  answer: AssistantMessage | undefined,
): object {
  const problem = describeOutcome(end.outcome);
  return {
    type: "result",
    subtype: subtypeOf(end.outcome),
    is_error: problem !== undefined,
    result: text,
    ...(problem === undefined ? {} : { error: problem }),
    ...(answer === undefined ? {} : { stop_reason: answer.stopReason }),
    num_turns: end.totals.turns,
    usage: usageLine(end.totals.usage),
    ...(end.totals.cost === undefined ? {} : { total_cost_usd: end.totals.cost }),
  };
}

function subtypeOf(outcome: AgentOutcome): string {
  if (outcome.type === "done") return "success";
  return outcome.type === "failed" ? `error_${outcome.error.kind}` : outcome.type;
}

/** What had arrived of an answer that broke off. */
function partialText({ partial }: ModelFailure): string {
  return partial === undefined ? "" : textOf(partial);
}

export function textOf(message: AssistantMessage): string {
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
