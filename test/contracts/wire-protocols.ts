import { at } from "../../src/protocol/json.ts";
import type { AssistantPart, FinishReason, Usage } from "../../src/protocol/messages.ts";
import type { ModelErrorKind } from "../../src/protocol/model-errors.ts";
import type { Api, Credential, Model } from "../../src/protocol/models.ts";
import type { ErrorReason } from "../support/fake-answer.ts";
import { anthropicMessages } from "../support/wire/anthropic-messages.ts";
import { bedrockConverseStream } from "../support/wire/bedrock-converse-stream.ts";
import { googleGenerativeAi } from "../support/wire/google-generative-ai.ts";
import { ollamaChat } from "../support/wire/ollama-chat.ts";
import { openAiCompletions } from "../support/wire/openai-completions.ts";
import { openAiResponses } from "../support/wire/openai-responses.ts";
import type { WireRenderer } from "../support/wire/wire-renderer.ts";

/** One wire format: how it is reached, and what it can and cannot say. */
export interface WireProtocolRow {
  api: Exclude<Api, "scripted">;
  renderer: WireRenderer;
  modelId: string;
  /** Appended to the origin of the fake provider. */
  basePath: string;
  credential: Credential;
  stopReasons: FinishReason[];
  /** Arguments of calls arrive in pieces, and those of several calls may be mixed. */
  streamsArguments: boolean;
  /** The id the renderer gives the first answer, where the format has one. */
  responseId?: string;
  /** Counters the format can express. */
  usage: Usage;
  /** Counters that are reported even when they are nothing. */
  alwaysCounted: Partial<Usage>;
  /** What the provider adds to a part and wants back; `index` is the part's place. */
  tokens(part: AssistantPart, index: number): Partial<AssistantPart>;
  /** Errors inside the stream and what they are. */
  streamErrors: [ErrorReason, ModelErrorKind][];
  /** Refusals of this vendor beside those all have in common. */
  refusals: [status: number, reason: ErrorReason, kind: ModelErrorKind][];
  /** Milliseconds the vendor asks to wait in the body of a 429, where it has no header for it. */
  waitInBody?: number;
  /** Where a forced choice of the tool `read` stands in the body; absent where the format has none. */
  forcedTool?: { at: string[]; value: unknown };
  /** The instructions and tools, which every request of a session begins with. */
  opening(body: unknown): unknown;
  /** The conversation, oldest first. */
  history(body: unknown): unknown;
}

const signed = (part: AssistantPart): Partial<AssistantPart> =>
  part.type === "thinking" ? { signature: "thinking-token" } : {};

const unsigned = (): Partial<AssistantPart> => ({});

const KEY: Credential = { type: "key", key: "fake-key-0123456789" };
const FOUR_REASONS: FinishReason[] = ["stop", "tool-use", "length", "refusal"];
const CACHED: Usage = { input: 100, output: 20, cacheRead: 30, cacheWrite: 0, reasoning: 7 };

const OPENAI_REFUSALS: WireProtocolRow["refusals"] = [
  [400, "context-overflow", "context-overflow"],
  [429, "quota", "quota"],
  [429, "rate-limit", "rate-limit"],
];

const responses = {
  renderer: openAiResponses,
  modelId: "gpt-5-codex",
  credential: KEY,
  stopReasons: FOUR_REASONS,
  streamsArguments: true,
  responseId: "resp_1",
  usage: CACHED,
  alwaysCounted: { reasoning: 0 },
  tokens: (part, index) => (part.type === "thinking" ? { id: `rs_${index + 1}`, encrypted: "thinking-token" } : {}),
  streamErrors: [
    ["overloaded", "server"],
    ["rate-limit", "rate-limit"],
    ["context-overflow", "context-overflow"],
  ],
  refusals: OPENAI_REFUSALS,
  forcedTool: { at: ["tool_choice"], value: { type: "function", name: "read" } },
  opening: (body) => [at(body, "instructions"), at(body, "tools")],
  history: (body) => at(body, "input"),
} satisfies Partial<WireProtocolRow>;

const google = {
  renderer: googleGenerativeAi,
  modelId: "gemini-2.5-pro",
  stopReasons: FOUR_REASONS,
  streamsArguments: false,
  responseId: "google_1",
  usage: CACHED,
  alwaysCounted: { reasoning: 0 },
  tokens: signed,
  streamErrors: [
    ["overloaded", "server"],
    ["rate-limit", "rate-limit"],
    ["context-overflow", "context-overflow"],
  ],
  refusals: [
    [400, "context-overflow", "context-overflow"],
    // Google says this of every limit, those per minute too, so that waiting may well help.
    [429, "quota", "rate-limit"],
    [429, "rate-limit", "rate-limit"],
  ],
  waitInBody: 34_500,
  forcedTool: {
    at: ["toolConfig", "functionCallingConfig"],
    value: { mode: "ANY", allowedFunctionNames: ["read"] },
  },
  opening: (body) => [at(body, "systemInstruction"), at(body, "tools")],
  history: (body) => at(body, "contents"),
} satisfies Partial<WireProtocolRow>;

export const WIRE_PROTOCOLS: WireProtocolRow[] = [
  {
    api: "anthropic-messages",
    renderer: anthropicMessages,
    modelId: "claude-sonnet-4-5",
    basePath: "",
    credential: KEY,
    stopReasons: [...FOUR_REASONS, "pause"],
    streamsArguments: true,
    responseId: "msg_1",
    usage: { input: 100, output: 20, cacheRead: 30, cacheWrite: 40, cacheWriteLong: 10 },
    alwaysCounted: { cacheWriteLong: 0 },
    tokens: signed,
    streamErrors: [
      ["overloaded", "server"],
      ["rate-limit", "rate-limit"],
    ],
    refusals: [
      [400, "context-overflow", "context-overflow"],
      [400, "quota", "quota"],
      [529, "overloaded", "server"],
    ],
    forcedTool: { at: ["tool_choice"], value: { type: "tool", name: "read" } },
    opening: (body) => [at(body, "tools"), at(body, "system")],
    history: (body) => at(body, "messages"),
  },
  {
    api: "openai-completions",
    renderer: openAiCompletions,
    modelId: "gpt-4.1",
    basePath: "/v1",
    credential: KEY,
    stopReasons: FOUR_REASONS,
    streamsArguments: true,
    responseId: "chatcmpl-1",
    usage: CACHED,
    alwaysCounted: { reasoning: 0 },
    tokens: unsigned,
    streamErrors: [
      ["overloaded", "server"],
      ["rate-limit", "rate-limit"],
    ],
    refusals: OPENAI_REFUSALS,
    forcedTool: { at: ["tool_choice"], value: { type: "function", function: { name: "read" } } },
    opening: (body) => [at(body, "tools"), ...firstOf(at(body, "messages"))],
    history: (body) => at(body, "messages"),
  },
  { ...responses, api: "openai-responses", basePath: "/v1" },
  {
    ...responses,
    api: "openai-codex-responses",
    basePath: "/backend-api",
    credential: { type: "bearer", token: "fake-token-0123456789", accountId: "account" },
  },
  { ...responses, api: "azure-openai-responses", basePath: "/openai/v1" },
  { ...google, api: "google-generative-ai", basePath: "/v1beta", credential: KEY },
  {
    ...google,
    api: "google-vertex",
    basePath: "/v1/projects/p/locations/l/publishers/google",
    credential: { type: "bearer", token: "fake-token-0123456789" },
  },
  {
    api: "bedrock-converse-stream",
    renderer: bedrockConverseStream,
    modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    basePath: "",
    credential: {
      type: "aws",
      accessKeyId: "AKIDFAKE01",
      secretAccessKey: "fake-secret-0123456789",
      region: "eu-west-1",
    },
    stopReasons: FOUR_REASONS,
    streamsArguments: true,
    usage: { input: 100, output: 20, cacheRead: 30, cacheWrite: 40 },
    alwaysCounted: {},
    tokens: signed,
    streamErrors: [
      ["overloaded", "server"],
      ["rate-limit", "rate-limit"],
      ["context-overflow", "context-overflow"],
    ],
    refusals: [
      [400, "context-overflow", "context-overflow"],
      [429, "rate-limit", "rate-limit"],
      [400, "quota", "quota"],
    ],
    forcedTool: { at: ["toolConfig", "toolChoice"], value: { tool: { name: "read" } } },
    opening: (body) => [at(body, "system"), at(body, "toolConfig")],
    history: (body) => at(body, "messages"),
  },
  {
    api: "ollama-chat",
    renderer: ollamaChat,
    modelId: "qwen3:8b",
    basePath: "",
    credential: { type: "none" },
    stopReasons: ["stop", "tool-use", "length"],
    streamsArguments: false,
    usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 },
    alwaysCounted: {},
    tokens: unsigned,
    streamErrors: [["overloaded", "server"]],
    refusals: [
      [400, "context-overflow", "context-overflow"],
      [503, "overloaded", "server"],
    ],
    opening: (body) => [at(body, "tools"), ...firstOf(at(body, "messages"))],
    history: (body) => at(body, "messages"),
  },
];

function firstOf(messages: unknown): unknown[] {
  return Array.isArray(messages) ? messages.slice(0, 1) : [];
}

export function modelOf(row: WireProtocolRow, origin: string): Model {
  return {
    provider: "fake",
    id: row.modelId,
    name: row.modelId,
    api: row.api,
    baseUrl: origin + row.basePath,
    auth: row.credential.type === "none" ? "none" : "apiKey",
    reasoning: true,
    tools: true,
    input: ["text", "image"],
    contextWindow: 200_000,
    maxTokens: 8192,
  };
}

/** The bytes that must not change within a session: the opening and the first message, without moving cache marks. */
export function stablePrefix(row: WireProtocolRow, body: unknown): string {
  return JSON.stringify([row.opening(body), historyOf(row, body)[0]]);
}

/** The messages as text, without cache marks, which move and are no part of the prompt. */
export function historyOf(row: WireProtocolRow, body: unknown): string[] {
  const history = row.history(body);
  return (Array.isArray(history) ? history : []).map((message) => JSON.stringify(withoutMarks(message)));
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => at(item, "cachePoint") === undefined).map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutMarks(inner)]));
}
