import type { Message } from "../../src/protocol/messages.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";
import type { ToolDefinition } from "../../src/protocol/tools.ts";

// Requests and models for the tests of the chat formats.

export function chatModel(changes: Partial<Model> = {}): Model {
  return {
    provider: "custom",
    id: "some-model",
    name: "Some Model",
    api: "openai-completions",
    baseUrl: "https://api.example.com/v1",
    auth: "apiKey",
    reasoning: false,
    tools: true,
    input: ["text", "image", "pdf"],
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...changes,
  };
}

export function chatRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return { system: { base: "Base." }, messages: [said("Hello")], tools: [], effort: "off", stream: true, ...changes };
}

export function said(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function answered(content: Extract<Message, { role: "assistant" }>["content"]): Message {
  return {
    role: "assistant",
    content,
    provider: "custom",
    api: "openai-completions",
    model: "some-model",
    stopReason: "stop",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  };
}

export function called(id: string, name = "read", input: Record<string, unknown> = { path: "a.ts" }) {
  return { type: "tool-call", id, name, input } as const;
}

export function returned(toolCallId: string, text: string, toolName = "read"): Message {
  return { role: "tool-result", toolCallId, toolName, content: [{ type: "text", text }], isError: false };
}

export const READ_TOOL: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer" } },
    required: ["path"],
  },
};

/** Its schema has no strict form. */
export const OPEN_TOOL: ToolDefinition = {
  name: "run",
  description: "Runs a program.",
  parameters: { type: "object", properties: { env: { type: "object", additionalProperties: { type: "string" } } } },
};
