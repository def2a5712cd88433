import { createStreamModel, type StreamModelOptions } from "../../src/llm/stream.ts";
import type { AssistantMessage, AssistantPart } from "../../src/protocol/messages.ts";
import type { ModelEnd, ModelEvent } from "../../src/protocol/model-events.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { ToolDefinition } from "../../src/protocol/tools.ts";
import { systemClock } from "../../src/system/clock.ts";
import { callInput, type FakeAnswer, type FakePart, NO_USAGE } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { checkEventOrder } from "./event-order.ts";
import { modelOf, type WireProtocolRow } from "./wire-protocols.ts";

// One request through the real code path: request, HTTP on loopback, bytes, events, message.

export const TOOLS: ToolDefinition[] = [
  {
    name: "read",
    description: "Reads a file.",
    parameters: {
      type: "object",
      properties: { path: { type: "string", description: "The file" } },
      required: ["path"],
      additionalProperties: false,
    },
  },
  {
    name: "list",
    description: "Lists all files.",
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  },
];

export function requestOf(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: { base: "You are a test." },
    messages: [{ role: "user", content: [{ type: "text", text: "Say something." }] }],
    tools: TOOLS,
    effort: "medium",
    stream: true,
    ...more,
  };
}

export interface Asking {
  request?: Partial<ModelRequest>;
  options?: Partial<StreamModelOptions>;
  signal?: AbortSignal;
  onEvent?: (event: ModelEvent) => void;
}

export interface Asked {
  events: ModelEvent[];
  end: ModelEnd;
}

/** Asks once, without retries, and checks the rules all events keep. */
export async function ask(row: WireProtocolRow, provider: FakeProvider, asking: Asking = {}): Promise<Asked> {
  const streamModel = createStreamModel({
    model: modelOf(row, provider.origin),
    credential: row.credential,
    clock: systemClock,
    random: () => 0,
    userAgent: "ralph-test",
    retries: { beforeFirstByte: 0, afterFirstByte: 0 },
    ...asking.options,
  });
  const events: ModelEvent[] = [];
  const emit = (event: ModelEvent) => {
    events.push(event);
    asking.onEvent?.(event);
  };
  const signal = asking.signal ?? new AbortController().signal;
  const end = await streamModel(requestOf(asking.request), { signal, emit });
  checkEventOrder(events);
  if (events.at(-1) !== end) throw new Error("the returned end is not the last event");
  return { events, end };
}

/** Asks a fresh provider that gives this answer. */
export async function answered(row: WireProtocolRow, answer: FakeAnswer, asking: Asking = {}): Promise<Asked> {
  using provider = await startFakeProvider({ answers: [answer] });
  return await ask(row, provider, asking);
}

export function answerOf(parts: FakePart[], more: Partial<FakeAnswer> = {}): FakeAnswer {
  const stopReason = parts.some((part) => part.type === "tool-call") ? "tool-use" : "stop";
  return { parts, stopReason, usage: { ...NO_USAGE, input: 50, output: 5 }, ...more };
}

/** The message a complete answer must become. */
export function messageOf(row: WireProtocolRow, answer: FakeAnswer): AssistantMessage {
  return {
    role: "assistant",
    content: answer.parts.map((part, index) => {
      const plain = assistantPart(part);
      return { ...plain, ...row.tokens(plain, index) } as AssistantPart;
    }),
    provider: "fake",
    api: row.api,
    model: row.modelId,
    ...(row.responseId === undefined ? {} : { responseId: row.responseId }),
    stopReason: answer.stopReason,
    usage: { ...row.alwaysCounted, ...answer.usage },
  };
}

function assistantPart(part: FakePart): AssistantPart {
  if (part.type === "text") return { type: "text", text: part.deltas.join("") };
  if (part.type === "thinking") return { type: "thinking", text: part.text };
  return { type: "tool-call", id: part.id, name: part.name, input: callInput(part) };
}
