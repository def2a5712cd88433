import type { Effort } from "../../../protocol/effort.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model-request.ts";
import type { Model } from "../../../protocol/models.ts";
import type { ToolChoice, ToolDefinition } from "../../../protocol/tools.ts";
import { mergeExtraBody } from "../../extra-body.ts";
import { clampEffort, supportedEfforts, thinkingBudget } from "../../thinking.ts";
import type { WireRequest } from "../../wire-protocol.ts";
import { contentsOf } from "./contents.ts";

/** `contents` is the last field, so that the bytes of a growing conversation are a growing prefix. */
export function buildGoogleRequest(request: ModelRequest, model: Model): WireRequest {
  const { base } = request.system;
  const body: JsonObject = {
    ...(base === "" ? {} : { systemInstruction: { parts: [{ text: base }] } }),
    ...tools(request, model),
    ...generationConfig(request, model),
    contents: contentsOf(request, model),
  };
  const name = encodeURIComponent(model.wireModelId ?? model.id);
  return {
    path: `/models/${name}:${request.stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    headers: {},
    body: mergeExtraBody(body, model.compat?.extraBody),
  };
}

function tools(request: ModelRequest, model: Model): JsonObject {
  if (request.tools.length === 0) return {};
  const choice = functionCalling(request.toolChoice ?? "auto", model);
  return {
    tools: [{ functionDeclarations: request.tools.map(declaration) }],
    ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: choice } }),
  };
}

/** Both APIs take plain JSON Schema in this field. */
function declaration({ name, description, parameters }: ToolDefinition): JsonObject {
  return { name, description, parametersJsonSchema: parameters as JsonObject };
}

/** Undefined for the API's own default, which is to let the model choose. */
function functionCalling(choice: ToolChoice, { compat }: Model): JsonObject | undefined {
  if (choice === "auto" || compat?.supportsToolChoice === false) return undefined;
  if (choice === "none") return { mode: "NONE" };
  if (compat?.supportsForcedToolChoice === false) return undefined;
  return choice === "required" ? { mode: "ANY" } : { mode: "ANY", allowedFunctionNames: [choice.name] };
}

function generationConfig(request: ModelRequest, model: Model): JsonObject {
  const config: JsonObject = {
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(model.reasoning ? { thinkingConfig: thinkingConfig(request, model) } : {}),
  };
  return Object.keys(config).length === 0 ? {} : { generationConfig: config };
}

/** Gemini 3 takes a level, its forerunners a number of tokens. Both refuse a request that has the two. */
function thinkingConfig(request: ModelRequest, model: Model): JsonObject {
  const effort = clampEffort(model, request.effort);
  const includeThoughts = effort !== "off";
  if (model.thinking?.mode === "google-level")
    return { includeThoughts, thinkingLevel: LEVELS[weakened(effort, model)] };
  const outputLimit = request.maxOutputTokens ?? model.maxTokens;
  const asked = canStopThinking(model) ? effort : weakened(effort, model);
  return { includeThoughts, thinkingBudget: thinkingBudget(asked, outputLimit) };
}

const LEVELS: Readonly<Record<Effort, string>> = {
  off: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** Where thinking cannot be turned off, `off` asks for the least of it. */
function weakened(effort: Effort, model: Model): Effort {
  if (effort !== "off") return effort;
  return supportedEfforts(model).find((candidate) => candidate !== "off") ?? "minimal";
}

/** A model whose entry lists its levels without `off` refuses a budget of nothing. */
function canStopThinking({ thinking }: Model): boolean {
  return thinking?.levels === undefined || thinking.levels.includes("off");
}
