import type { AssistantMessage, AssistantPart, Message, ToolResultMessage } from "../../src/protocol/messages.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";
import type { ToolDefinition } from "../../src/protocol/tools.ts";

// A model, a request and a conversation to vary in the tests of the protocols Claude is reached by.

export function claudeModel(more: Partial<Model> = {}): Model {
  return {
    provider: "anthropic",
    id: "claude-haiku-4-5",
    name: "Claude Haiku 4.5",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    auth: "apiKey",
    reasoning: true,
    tools: true,
    input: ["text", "image", "pdf"],
    contextWindow: 200_000,
    maxTokens: 64_000,
    ...more,
  };
}

export function bedrockModel(more: Partial<Model> = {}): Model {
  return claudeModel({
    provider: "amazon-bedrock",
    id: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    api: "bedrock-converse-stream",
    baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
    ...more,
  });
}

export function modelRequest(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: { base: "You are Ralph." },
    messages: [person("Hello")],
    tools: [],
    effort: "off",
    stream: true,
    ...more,
  };
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

/** An open map, which no strict form can express. */
export const ENVIRONMENT_TOOL: ToolDefinition = {
  name: "set_environment",
  description: "Sets variables.",
  parameters: {
    type: "object",
    properties: { variables: { type: "object", additionalProperties: { type: "string" } } },
    required: ["variables"],
  },
};

export function person(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function assistant(...content: AssistantPart[]): AssistantMessage {
  return {
    role: "assistant",
    content,
    provider: "anthropic",
    api: "anthropic-messages",
    model: "claude-haiku-4-5",
    stopReason: "stop",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

export function call(id: string, input: Record<string, unknown> = {}): AssistantPart {
  return { type: "tool-call", id, name: "read", input };
}

export function result(toolCallId: string, text: string, more: Partial<ToolResultMessage> = {}): ToolResultMessage {
  return {
    role: "tool-result",
    toolCallId,
    toolName: "read",
    content: [{ type: "text", text }],
    isError: false,
    ...more,
  };
}
