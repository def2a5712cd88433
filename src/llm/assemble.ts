import type { AssistantMessage, AssistantPart, FinishReason, StopReason, Usage } from "../protocol/messages.ts";
import type { ModelError } from "../protocol/model-errors.ts";
import type { ModelEnd, ModelEvent } from "../protocol/model-events.ts";
import type { Model } from "../protocol/models.ts";
import type { ToolDefinition } from "../protocol/tools.ts";
import { parseToolInput, type ToolInput } from "./tool-input.ts";
import type { WireEvent } from "./wire-protocol.ts";

export interface AssemblerOptions {
  model: Model;
  tools: ToolDefinition[];
  emit: (event: ModelEvent) => void;
}

/**
 * Turns the part events of any protocol into model events and the finished message, and keeps the promises no protocol can
 * keep alone: parts begin and end in order, the answer ends once, and a tool call survives only in a complete answer.
 */
export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #slots: Slot[] = [];
  readonly #byPart = new Map<string, Slot>();
  /** The text or thinking part that grows now; there is at most one. */
  #prose: Slot | undefined;
  #usage: Partial<Usage> | undefined;
  #responseId: string | undefined;
  #reason: FinishReason | undefined;
  #failure: ModelError | undefined;

  constructor(options: AssemblerOptions) {
    this.#options = options;
  }

  accept(event: WireEvent): void {
    if (this.#failure !== undefined) return;
    switch (event.type) {
      case "text-delta":
        return this.#grow("text", event.part, event.text);
      case "thinking-delta":
        return this.#grow("thinking", event.part, event.text);
      case "text-end":
        return this.#endText(event);
      case "thinking-end":
        return this.#endThinking(event);
      case "tool-call-start":
        return this.#startCall(event);
      case "tool-call-delta":
        return this.#growCall(event.part, event.text);
      case "tool-call-end":
        return this.#close(this.#find("tool-call", event.part));
      case "usage":
        this.#usage = { ...this.#usage, ...counted(event.usage) };
        return;
      case "response":
        this.#responseId = event.id;
        return;
      case "finish":
        this.#reason = event.reason;
        return;
      case "fail":
        this.#failure = event.error;
        return;
    }
  }

  /** The provider said that the answer is complete, or that it failed. */
  get isSettled(): boolean {
    return this.#reason !== undefined || this.#failure !== undefined;
  }

  /** Nothing that follows can save the answer. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Ends the answer and returns its last event, which is left to the caller to emit: a failed attempt may be made again.
   * `problem` is what broke the transport, if anything did: it counts only where the provider had not said that the answer was
   * complete.
   */
  end(problem?: ModelError): ModelEnd {
    const error = this.#failure ?? (this.#reason === undefined ? (problem ?? CUT) : undefined);
    if (error !== undefined) {
      this.#close(this.#prose);
      return { type: "error", error, partial: this.#message(proseOf(this.#slots), "cut") };
    }
    const keepCalls = this.#reason === "stop" || this.#reason === "tool-use";
    for (const slot of this.#slots) if (slot.kind !== "tool-call" || keepCalls) this.#close(slot);
    const content = keepCalls ? this.#slots.flatMap(partsOf) : proseOf(this.#slots);
    return { type: "done", message: this.#message(content, settledReason(this.#reason ?? "stop", content)) };
  }

  #grow(kind: "text" | "thinking", part: string, text: string): void {
    if (text === "") return;
    const slot = this.#find(kind, part) ?? this.#openProse(kind, part);
    slot.pieces.push(text);
    this.#options.emit({ type: `${kind}-delta`, index: slot.index, text });
  }

  #endText(event: Extract<WireEvent, { type: "text-end" }>): void {
    const slot = this.#find("text", event.part);
    if (slot !== undefined) slot.signature = event.signature;
    this.#close(slot);
  }

  #endThinking({ part, id, signature, encrypted }: Extract<WireEvent, { type: "thinking-end" }>): void {
    const worthKeeping = signature !== undefined || encrypted !== undefined;
    const slot = this.#find("thinking", part) ?? (worthKeeping ? this.#openProse("thinking", part) : undefined);
    if (slot === undefined) return;
    Object.assign(slot, { id, signature, encrypted });
    this.#close(slot);
  }

  #startCall({ part, id, name, signature }: Extract<WireEvent, { type: "tool-call-start" }>): void {
    const slot = this.#open("tool-call", part);
    Object.assign(slot, { id, name, signature });
    this.#options.emit({ type: "tool-call-start", index: slot.index, id, name });
  }

  #growCall(part: string, text: string): void {
    const slot = this.#find("tool-call", part);
    if (slot === undefined || text === "") return;
    slot.pieces.push(text);
    this.#options.emit({ type: "tool-call-delta", index: slot.index, text });
  }

  #find(kind: Slot["kind"], part: string): Slot | undefined {
    const slot = this.#byPart.get(part);
    return slot?.open === true && slot.kind === kind ? slot : undefined;
  }

  #openProse(kind: "text" | "thinking", part: string): Slot {
    const slot = this.#open(kind, part);
    this.#prose = slot;
    this.#options.emit({ type: `${kind}-start`, index: slot.index });
    return slot;
  }

  #open(kind: Slot["kind"], part: string): Slot {
    this.#close(this.#prose);
    if (this.#slots.length === MAX_PARTS) this.#failure = TOO_MANY_PARTS;
    const slot: Slot = { index: this.#slots.length, kind, pieces: [], open: true };
    this.#slots.push(slot);
    this.#byPart.set(part, slot);
    return slot;
  }

  #close(slot: Slot | undefined): void {
    if (slot === undefined || !slot.open) return;
    slot.open = false;
    if (slot === this.#prose) this.#prose = undefined;
    if (slot.kind !== "tool-call") return this.#options.emit({ type: `${slot.kind}-end`, index: slot.index });
    const tool = this.#options.tools.find((candidate) => candidate.name === slot.name);
    slot.input = parseToolInput(slot.pieces.join(""), tool?.parameters);
    const { index, id = "", name = "" } = slot;
    this.#options.emit({ type: "tool-call-end", index, id, name, input: slot.input.input });
  }

  #message(content: AssistantPart[], stopReason: StopReason): AssistantMessage {
    const { provider, api, id: model } = this.#options.model;
    const responseId = this.#responseId === undefined ? {} : { responseId: this.#responseId };
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...this.#usage };
    return { role: "assistant", content, provider, api, model, ...responseId, stopReason, usage };
  }
}

interface Slot {
  index: number;
  kind: "text" | "thinking" | "tool-call";
  pieces: string[];
  open: boolean;
  id?: string;
  name?: string;
  signature?: string;
  encrypted?: string;
  input?: ToolInput;
}

/** More than any answer has; a list that grows without end is an attack or a defect. */
const MAX_PARTS = 1000;
const TOO_MANY_PARTS: ModelError = {
  kind: "bad-answer",
  message: `the answer has more than ${MAX_PARTS} parts`,
  retryable: false,
};

/** Counts decide about money, so only what can be a count is believed. */
function counted(usage: Partial<Usage>): Partial<Usage> {
  const counts = Object.entries(usage).filter(
    ([, count]) => Number.isFinite(count) && count >= 0 && count <= MAX_COUNT,
  );
  return Object.fromEntries(counts.map(([key, count]) => [key, Math.round(count)]));
}

const MAX_COUNT = 1e12;

const CUT: ModelError = { kind: "stream-cut", message: "the answer ended in the middle", retryable: true };

/** Providers disagree on what to call the end of an answer with calls; whether there are calls is what counts. */
function settledReason(reason: FinishReason, content: AssistantPart[]): FinishReason {
  if (reason !== "stop" && reason !== "tool-use") return reason;
  return content.some((part) => part.type === "tool-call") ? "tool-use" : "stop";
}

function proseOf(slots: Slot[]): AssistantPart[] {
  return slots.filter((slot) => slot.kind !== "tool-call").flatMap(partsOf);
}

function partsOf(slot: Slot): AssistantPart[] {
  const text = slot.pieces.join("");
  const signature = slot.signature === undefined ? {} : { signature: slot.signature };
  if (slot.kind === "text") return [{ type: "text", text, ...signature }];
  if (slot.kind === "thinking") {
    const id = slot.id === undefined ? {} : { id: slot.id };
    const encrypted = slot.encrypted === undefined ? {} : { encrypted: slot.encrypted };
    return [{ type: "thinking", text, ...id, ...signature, ...encrypted }];
  }
  const { id = "", name = "", input = { input: {} } } = slot;
  return [{ type: "tool-call", id, name, ...input, ...signature }];
}
