import type { Json, JsonObject } from "../protocol/json.ts";

/** What Ralph alone decides in a request, in the words of all wire formats. */
const PROTECTED = new Set([
  ...["model", "modelId", "messages", "input", "contents", "system", "instructions", "systemInstruction", "stream"],
  ...["tools", "tool_choice", "toolConfig", "toolChoice"],
]);

/** The body with a user's extra top-level fields over it; fields Ralph decides are ignored. */
export function mergeExtraBody(body: JsonObject, extra: Record<string, unknown> | undefined): JsonObject {
  if (extra === undefined) return body;
  const allowed = Object.entries(extra).filter(([key, value]) => !PROTECTED.has(key) && value !== undefined);
  return { ...body, ...(Object.fromEntries(allowed) as Record<string, Json>) };
}
