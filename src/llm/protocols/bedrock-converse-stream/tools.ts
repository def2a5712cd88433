import type { JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { ToolChoice, ToolDefinition } from "../../../protocol/tools.ts";

export function toolDefinitions(request: ModelRequest): JsonObject[] {
  return (request.tools.length > 0 ? request.tools : pastTools(request)).map(({ name, description, parameters }) => ({
    toolSpec: {
      name,
      ...(description === "" ? {} : { description }),
      inputSchema: { json: parameters as JsonObject },
    },
  }));
}

/** The tools of earlier calls: a conversation that holds calls is refused without definitions. */
function pastTools({ messages }: ModelRequest): ToolDefinition[] {
  const names = messages.flatMap((message) => {
    if (message.role === "tool-result") return [message.toolName];
    return message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" ? part.name : []))
      : [];
  });
  const description = "No longer available; it was used earlier in this conversation.";
  return [...new Set(names)].map((name) => ({ name, description, parameters: { type: "object" } }));
}

export function hasToolHistory(request: ModelRequest): boolean {
  return pastTools(request).length > 0;
}

export function toolChoice(choice: ToolChoice | undefined): JsonObject {
  if (typeof choice === "object") return { toolChoice: { tool: { name: choice.name } } };
  if (choice === "required") return { toolChoice: { any: {} } };
  return choice === "auto" ? { toolChoice: { auto: {} } } : {};
}
