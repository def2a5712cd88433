import type { JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { CacheRetention, Model } from "../../../protocol/models.ts";
import { type ClaudeThinking, claudeThinking, claudeToolChoice, outputLimit } from "../../claude-thinking.ts";
import { mergeExtraBody } from "../../extra-body.ts";
import { isBlank, replaceBlocks, type Turn, toTurns, withContext } from "../../turns.ts";
import type { WireRequest } from "../../wire-protocol.ts";
import { blockForms, textBlock } from "./blocks.ts";
import { toolChoice, toolDefinitions } from "./tools.ts";

export function buildRequest(request: ModelRequest, model: Model): WireRequest {
  const retention = request.cacheRetention ?? model.cacheRetention ?? "short";
  const thinking = claudeThinking(request, model);
  const body: JsonObject = {
    model: model.wireModelId ?? model.id,
    max_tokens: outputLimit(request, model),
    ...tools(request, model, retention),
    ...system(request, retention),
    messages: messages(request, retention),
    ...thinking,
    stream: request.stream,
  };
  return {
    // Anthropic's own address ends before the version; compatible servers are often written with it.
    path: /\/v1\/*$/.test(model.baseUrl) ? "/messages" : "/v1/messages",
    headers: { "anthropic-version": "2023-06-01", "anthropic-beta": betas(request, retention, thinking).join(",") },
    body: mergeExtraBody(body, model.compat?.extraBody),
  };
}

function betas(request: ModelRequest, retention: CacheRetention, { thinking }: ClaudeThinking): string[] {
  return [
    "prompt-caching-2024-07-31",
    ...(retention === "long" ? ["extended-cache-ttl-2025-04-11"] : []),
    // Adaptive thinking goes on between calls by itself; with a budget it has to be asked for.
    ...(thinking?.type === "enabled" && request.tools.length > 0 ? ["interleaved-thinking-2025-05-14"] : []),
  ];
}

function system(request: ModelRequest, retention: CacheRetention): JsonObject {
  const { base } = request.system;
  return isBlank(base) ? {} : { system: [{ ...textBlock(base), ...stableMark(retention) }] };
}

function messages(request: ModelRequest, retention: CacheRetention): Turn[] {
  const { turns, anchor, rolling } = toTurns(request.messages, blockForms);
  const marked = replaceBlocks(turns, [
    { placed: rolling, by: (block) => [{ ...block, ...rollingMark(retention) }] },
    { placed: anchor, by: (block) => [{ ...block, ...stableMark(retention) }] },
  ]);
  return withContext(marked, request.system.dynamic, textBlock);
}

function tools(request: ModelRequest, model: Model, retention: CacheRetention): JsonObject {
  const definitions = toolDefinitions(request.tools, model);
  const last = definitions.at(-1);
  if (last === undefined) return {};
  const choice = claudeToolChoice(request, model);
  return {
    tools: [...definitions.slice(0, -1), { ...last, ...stableMark(retention) }],
    ...(choice === undefined ? {} : { tool_choice: toolChoice(choice) }),
  };
}

// At most four marks are allowed and a longer one may not follow a shorter one. There are four places, in this order: the last
// tool, the system prompt, the last message of the person (all stable while the model works), and the rolling end.

function stableMark(retention: CacheRetention): JsonObject {
  if (retention === "none") return {};
  return { cache_control: retention === "long" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
}

/** The end is moved on by the next request, so it is never worth the price of an hour. */
function rollingMark(retention: CacheRetention): JsonObject {
  return retention === "none" ? {} : { cache_control: { type: "ephemeral" } };
}
