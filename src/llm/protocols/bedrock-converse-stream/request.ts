import type { JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { CacheRetention, Model } from "../../../protocol/models.ts";
import { claudeThinking, claudeToolChoice, outputLimit } from "../../claude-thinking.ts";
import { mergeExtraBody } from "../../extra-body.ts";
import { isBlank, replaceBlocks, type Turn, toTurns, withContext } from "../../turns.ts";
import type { WireRequest } from "../../wire-protocol.ts";
import { createBlockForms, textBlock, withTextBesideDocuments } from "./blocks.ts";
import { type Family, familyOf } from "./families.ts";
import { hasToolHistory, toolChoice, toolDefinitions } from "./tools.ts";

export function buildRequest(request: ModelRequest, model: Model): WireRequest {
  const family = familyOf(model);
  const points = cachePoints(request.cacheRetention ?? model.cacheRetention ?? "short", family);
  const thinking: JsonObject = family.isClaude ? { ...claudeThinking(request, model) } : {};
  const body: JsonObject = {
    ...tools(request, model, family.cachesTools ? points.stable : []),
    ...system(request, points.stable),
    messages: messages(request, family, points),
    inferenceConfig: { maxTokens: outputLimit(request, model) },
    ...(Object.keys(thinking).length === 0 ? {} : { additionalModelRequestFields: thinking }),
  };
  const id = encodeURIComponent(model.wireModelId ?? model.id);
  return {
    path: `/model/${id}/${request.stream ? "converse-stream" : "converse"}`,
    headers: { accept: request.stream ? "application/vnd.amazon.eventstream" : "application/json" },
    body: mergeExtraBody(body, model.compat?.extraBody),
  };
}

function system(request: ModelRequest, point: JsonObject[]): JsonObject {
  const { base } = request.system;
  return isBlank(base) ? {} : { system: [textBlock(base), ...point] };
}

function messages(request: ModelRequest, family: Family, points: CachePoints): Turn[] {
  const { turns, anchor, rolling } = toTurns(request.messages, createBlockForms(family));
  const marked = replaceBlocks(turns, [
    { placed: rolling, by: (block) => [block, ...points.rolling] },
    { placed: anchor, by: (block) => [block, ...points.stable] },
  ]);
  return withContext(marked.map(withTextBesideDocuments), request.system.dynamic, textBlock);
}

function tools(request: ModelRequest, model: Model, point: JsonObject[]): JsonObject {
  const definitions = toolDefinitions(request);
  // There is no way to forbid tools but to leave them out, which is refused once the conversation holds a call.
  const isForbidden = request.toolChoice === "none" && !hasToolHistory(request);
  if (definitions.length === 0 || isForbidden) return {};
  return { toolConfig: { tools: [...definitions, ...point], ...toolChoice(claudeToolChoice(request, model)) } };
}

// The same four places as in Anthropic's own API: behind the tools, the system prompt and the last message of the person (all
// stable while the model works), and behind the rolling end.

interface CachePoints {
  /** No or one block. */
  stable: JsonObject[];
  rolling: JsonObject[];
}

function cachePoints(retention: CacheRetention, family: Family): CachePoints {
  if (retention === "none" || !family.cachesPrompt) return { stable: [], rolling: [] };
  const rolling: JsonObject[] = [{ cachePoint: { type: "default" } }];
  if (retention === "short" || !family.cachesForAnHour) return { stable: rolling, rolling };
  return { stable: [{ cachePoint: { type: "default", ttl: "1h" } }], rolling };
}
