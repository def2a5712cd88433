import type { AssistantMessage, AssistantPart, Message, ToolResultMessage } from "../../src/protocol/messages.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";
import type { ToolDefinition } from "../../src/protocol/tools.ts";

// Conversations for tests of wire formats.

export const READ_FILE = {
  name: "read_file",
  description: "Reads a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: { base: "You are Ralph." },
    messages: [user("Hello")],
    tools: [],
    effort: "medium",
    stream: true,
    ...fields,
  };
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function assistant(model: Model, content: AssistantPart[]): AssistantMessage {
  const { provider, api, id } = model;
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  return { role: "assistant", content, provider, api, model: id, stopReason: "stop", usage };
}

export function call(id: string, path: string, signature?: string): AssistantPart {
  return {
    type: "tool-call",
    id,
    name: "read_file",
    input: { path },
    ...(signature === undefined ? {} : { signature }),
  };
}

export function result(id: string, text: string, fields: Partial<ToolResultMessage> = {}): ToolResultMessage {
  const content: ToolResultMessage["content"] = [{ type: "text", text }];
  return { role: "tool-result", toolCallId: id, toolName: "read_file", content, isError: false, ...fields };
}

/** Ten requests of one session, each longer than the one before, each with another changing part. */
export function growingSession(model: Model): ModelRequest[] {
  const messages: Message[] = [];
  return Array.from({ length: 10 }, (_, turn) => {
    messages.push(turn % 3 === 2 ? result(`call-${turn}`, `contents ${turn}`) : user(`question ${turn}`));
    const session = request({
      system: { base: "You are Ralph.", ...(turn % 4 === 3 ? {} : { dynamic: `turn ${turn}` }) },
      messages: [...messages],
      tools: [READ_FILE],
      sessionId: "session-1",
    });
    messages.push(
      assistant(
        model,
        turn % 3 === 1 ? [call(`call-${turn + 1}`, "a.txt")] : [{ type: "text", text: `answer ${turn}` }],
      ),
    );
    return session;
  });
}
