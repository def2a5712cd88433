import type { JsonObject } from "../../protocol/json.ts";
import type { ModelRequest } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import type { ToolChoice, ToolDefinition } from "../../protocol/tools.ts";
import { type ResolvedCompat, resolveCompat } from "../compat.ts";
import { mergeExtraBody } from "../extra-body.ts";
import { answerFormat } from "../output-schema.ts";
import { clampEffort } from "../thinking.ts";
import { requireAll } from "../tool-schema.ts";
import type { WireProtocol, WireRequest } from "../wire-protocol.ts";
import { chatMessages } from "./openai-completions/messages.ts";
import { reasoningFields } from "./openai-completions/reasoning.ts";
import { type ChatState, readBody, start, step } from "./openai-completions/stream.ts";

/** OpenAI's chat completions and the many endpoints that imitate them, each with the differences of `compat`. */
export const openaiCompletions: WireProtocol<ChatState> = { framing: "sse", buildRequest, start, step, readBody };

function buildRequest(request: ModelRequest, model: Model): WireRequest {
  const compat = resolveCompat(model);
  const body: JsonObject = {
    model: model.wireModelId ?? model.id,
    stream: request.stream,
    ...(request.stream && compat.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    ...(compat.supportsStore ? { store: false } : {}),
    ...outputLimit(request, model, compat),
    ...caching(request, model, compat),
    ...routing(compat),
    ...toolFields(request, model, compat),
    ...responseFormat(request, compat),
    // Last, so that the bytes of a request are a prefix of the next one's for as long as the conversation only grows.
    messages: chatMessages(request, model, compat),
  };
  return { path: "/chat/completions", headers: {}, body: mergeExtraBody(body, compat.extraBody) };
}

function outputLimit(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject {
  const limit = request.maxOutputTokens ?? (compat.needsOutputLimit ? model.maxTokens : undefined);
  return limit === undefined ? {} : { [compat.maxTokensField]: limit };
}

/** Only for endpoints that are as complete as OpenAI's own; the others read the schema in the prompt. */
function responseFormat(request: ModelRequest, { supportsStore }: ResolvedCompat): JsonObject {
  const format = supportsStore ? answerFormat(request) : undefined;
  return format === undefined ? {} : { response_format: { type: "json_schema", json_schema: format } };
}

function caching(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject {
  if (!compat.takesCacheKey) return {};
  const retention = request.cacheRetention ?? model.cacheRetention;
  return {
    ...(request.sessionId === undefined ? {} : { prompt_cache_key: request.sessionId }),
    ...(retention === "long" ? { prompt_cache_retention: "24h" } : {}),
  };
}

function routing({ openRouterRouting, vercelGatewayRouting }: ResolvedCompat): JsonObject {
  return {
    ...(openRouterRouting === undefined ? {} : { provider: { ...openRouterRouting } as JsonObject }),
    ...(vercelGatewayRouting === undefined
      ? {}
      : { providerOptions: { gateway: { ...vercelGatewayRouting } as JsonObject } }),
  };
}

// Tools, and the reasoning that some endpoints refuse beside a tool choice.

function toolFields(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject {
  const forbidden = request.toolChoice === "none" && compat.toolChoiceSupport === "none";
  const tools = model.tools && !forbidden ? request.tools : [];
  const choice = tools.length === 0 ? undefined : toolChoice(request.toolChoice, compat);
  const isForced = choice !== undefined && choice !== "none";
  const silenced =
    (isForced && compat.disableReasoningOnForcedToolChoice) ||
    (choice !== undefined && compat.disableReasoningOnToolChoice);
  return {
    ...reasoningFields(silenced ? "off" : clampEffort(model, request.effort), model, compat),
    ...(tools.length === 0 ? {} : { tools: wireTools(tools, compat) }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** The nearest choice the endpoint takes. `auto` is what every endpoint does unasked, so it is never sent. */
function toolChoice(choice: ToolChoice | undefined, compat: ResolvedCompat): JsonObject | string | undefined {
  const level = compat.toolChoiceSupport;
  if (choice === undefined || choice === "auto" || level === "none") return undefined;
  if (choice === "none") return "none";
  if (level === "auto") return undefined;
  if (choice === "required" || level === "required") return "required";
  return { type: "function", function: { name: choice.name } };
}

function wireTools(tools: ToolDefinition[], compat: ResolvedCompat): JsonObject[] {
  const strict = tools.map((tool) => (compat.toolStrictMode === "none" ? undefined : requireAll(tool.parameters)));
  const mayBeStrict = compat.toolStrictMode === "mixed" || strict.every((schema) => schema !== undefined);
  return tools.map((tool, index) => wireTool(tool, mayBeStrict ? strict[index] : undefined));
}

function wireTool({ name, description, parameters }: ToolDefinition, strict: JsonObject | undefined): JsonObject {
  if (strict !== undefined) {
    return { type: "function", function: { name, description, parameters: strict, strict: true } };
  }
  // OpenAI refuses an object schema that names no properties.
  const schema = { properties: {}, ...parameters } as JsonObject;
  return { type: "function", function: { name, description, parameters: schema } };
}
