import type { Api, Model } from "../protocol/models.ts";
import { resolveCompat } from "./compat.ts";

/** Whether the model's endpoint shortens conversations when it is asked to (`ModelRequest.compact`). */
export function shortensConversations(model: Model): boolean {
  return RESPONSES.has(model.api) && resolveCompat(model).compaction === "responses";
}

const RESPONSES: ReadonlySet<Api> = new Set<Api>([
  "openai-responses",
  "openai-codex-responses",
  "azure-openai-responses",
]);
