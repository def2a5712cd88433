import type { JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { Compat, Model } from "../../../protocol/models.ts";
import type { ToolChoice, ToolDefinition } from "../../../protocol/tools.ts";
import { type ResolvedCompat, resolveCompat } from "../../compat.ts";
import { detectEndpoint } from "../../compat-endpoints.ts";
import { mergeExtraBody } from "../../extra-body.ts";
import { answerFormat } from "../../output-schema.ts";
import { clampEffort, supportedEfforts } from "../../thinking.ts";
import { requireAll } from "../../tool-schema.ts";
import type { WireRequest } from "../../wire-protocol.ts";
import type { ForeignCalls } from "./call-forms.ts";
import { inputItems } from "./input.ts";

/** How one home of the Responses API differs from the others. */
export interface Variant {
  path(baseUrl: string): string;
  wireModel(model: Model): string;
  headers(request: ModelRequest): Record<string, string>;
  /** A request that is not streamed is refused. */
  streamsAlways: boolean;
  /** Whether `max_output_tokens` is accepted. */
  limitsOutput: boolean;
  /** Whether `prompt_cache_retention` is accepted. */
  takesCacheRetention: boolean;
  foreignCalls: ForeignCalls;
  /** Whether a request to shorten a conversation names the tools, too. */
  compactsWithTools: boolean;
}

/** The smallest `max_output_tokens` the API accepts. */
const MIN_OUTPUT_TOKENS = 16;
/** The longest `prompt_cache_key` the API accepts. */
const MAX_CACHE_KEY = 64;

/** `input` is the last field, so that the bytes of a growing conversation are a growing prefix. */
export function buildResponsesRequest(request: ModelRequest, model: Model, variant: Variant): WireRequest {
  const compat = resolveCompat(model);
  const body: JsonObject = {
    model: variant.wireModel(model),
    stream: request.stream || variant.streamsAlways,
    ...(knows("supportsStore", model) ? { store: false } : {}),
    ...outputLimit(request, variant),
    ...reasoning(request, model, compat),
    ...caching(request, model, variant),
    ...tools(request, model, compat),
    ...textFormat(request, model),
    ...(request.system.base === "" ? {} : { instructions: request.system.base }),
    input: inputItems(request, model, variant.foreignCalls),
  };
  return {
    path: variant.path(model.baseUrl),
    headers: variant.headers(request),
    body: mergeExtraBody(body, compat.extraBody),
  };
}

/** Servers without a key are local ones: they speak a small part of the API and keep nothing for us. */
function isHosted(model: Model): boolean {
  return model.auth !== "none";
}

/** A part of the API that every hosted endpoint has unless the model's entry or its address says otherwise. */
function knows(key: "supportsStore" | "supportsStrictMode", model: Model): boolean {
  const said: Compat = { ...detectEndpoint(model), ...model.compat };
  return said[key] ?? isHosted(model);
}

function outputLimit(request: ModelRequest, variant: Variant): JsonObject {
  if (request.maxOutputTokens === undefined || !variant.limitsOutput) return {};
  return { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, request.maxOutputTokens) };
}

function reasoning(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject {
  if (!model.reasoning) return {};
  const include: JsonObject = isHosted(model) ? { include: ["reasoning.encrypted_content"] } : {};
  if (!compat.supportsReasoningEffort || isForbiddenBesideToolChoice(request, compat)) return include;
  const effort = clampEffort(model, request.effort);
  const name = compat.reasoningEffortMap[effort] ?? (effort === "off" ? weakestEffort(model) : effort);
  const summary: JsonObject = effort === "off" || !isHosted(model) ? {} : { summary: "auto" };
  return { reasoning: { effort: name, ...summary }, ...include };
}

/** Hosted models that cannot stop thinking are asked for the least of it; `none` exists where the model lists `off`. */
function weakestEffort(model: Model): string {
  if (model.thinking?.levels?.includes("off") || !isHosted(model)) return "none";
  return supportedEfforts(model).find((effort) => effort !== "off") ?? "minimal";
}

function isForbiddenBesideToolChoice(request: ModelRequest, compat: ResolvedCompat): boolean {
  const choice = request.toolChoice ?? "auto";
  if (choice === "auto" || request.tools.length === 0) return false;
  return compat.disableReasoningOnToolChoice || (compat.disableReasoningOnForcedToolChoice && choice !== "none");
}

function textFormat(request: ModelRequest, model: Model): JsonObject {
  const format = isHosted(model) ? answerFormat(request) : undefined;
  return format === undefined ? {} : { text: { format: { type: "json_schema", ...format } } };
}

export function caching(request: ModelRequest, model: Model, variant: Variant): JsonObject {
  if (!isHosted(model)) return {};
  const isLong = (request.cacheRetention ?? model.cacheRetention) === "long";
  return {
    ...(request.sessionId === undefined ? {} : { prompt_cache_key: request.sessionId.slice(0, MAX_CACHE_KEY) }),
    ...(isLong && variant.takesCacheRetention ? { prompt_cache_retention: "24h" } : {}),
  };
}

function tools(request: ModelRequest, model: Model, compat: ResolvedCompat): JsonObject {
  if (request.tools.length === 0) return {};
  return {
    tools: wireTools(request.tools, model),
    ...toolChoice(request.toolChoice ?? "auto", compat),
    parallel_tool_calls: true,
  };
}

/** The API takes a tool without the flag for a strict one, so the flag is always said where the server knows it. */
export function wireTools(definitions: ToolDefinition[], model: Model): JsonObject[] {
  const knowsStrict = knows("supportsStrictMode", model);
  const mode = model.disableStrictTools || !knowsStrict ? "none" : model.compat?.toolStrictMode;
  const strict = definitions.map(({ parameters }) => (mode === "none" ? undefined : requireAll(parameters)));
  const allOrNone = mode === "all_strict" && strict.includes(undefined);
  return definitions.map(({ name, description, parameters }, index) => {
    const form = allOrNone ? undefined : strict[index];
    const flag = knowsStrict ? { strict: form !== undefined } : {};
    return { type: "function", name, description, parameters: form ?? (parameters as JsonObject), ...flag };
  });
}

/** A choice the endpoint does not know becomes the strongest one it knows. */
function toolChoice(choice: ToolChoice, { toolChoiceSupport }: ResolvedCompat): JsonObject {
  if (toolChoiceSupport === "none") return {};
  if (choice === "auto" || choice === "none") return { tool_choice: choice };
  if (toolChoiceSupport === "auto") return { tool_choice: "auto" };
  if (choice === "required" || toolChoiceSupport === "required") return { tool_choice: "required" };
  return { tool_choice: { type: "function", name: choice.name } };
}
