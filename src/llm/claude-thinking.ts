import type { Effort } from "../protocol/effort.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { ModelRequest } from "../protocol/model-request.ts";
import type { Model } from "../protocol/models.ts";
import type { ToolChoice } from "../protocol/tools.ts";
import { clampEffort, thinkingBudget } from "./thinking.ts";

// How Claude is asked to think. Anthropic and Bedrock take the same fields and have the same exceptions.

export interface ClaudeThinking {
  thinking?: JsonObject;
  output_config?: JsonObject;
}

/** Models that think whatever they are told: they refuse both `disabled` and a forced tool. */
const ALWAYS_THINKING = /\b(?:fable|mythos)\b/i;

const EFFORT_NAMES: Record<Exclude<Effort, "off">, string> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

export function claudeThinking(request: ModelRequest, model: Model): ClaudeThinking {
  if (!model.reasoning) return {};
  // Thinking and a forced tool exclude each other. The choice is the harder wish: the caller counts on the call.
  const effort = isForced(claudeToolChoice(request, model)) ? "off" : clampEffort(model, request.effort);
  const mode = model.thinking?.mode;
  if (effort === "off") return thinkingOff(model);
  const named = { output_config: { effort: EFFORT_NAMES[effort] } };
  if (mode === "effort") return named;
  if (mode === "anthropic-adaptive") return { thinking: { type: "adaptive", display: "summarized" }, ...named };
  const limit = outputLimit(request, model);
  const budget = thinkingBudget(effort, limit);
  // The limit is the caller's word: where it leaves no room to think and answer, the model answers.
  const enabled = budget < limit ? { thinking: { type: "enabled", budget_tokens: budget } } : {};
  return mode === "anthropic-budget-effort" ? { ...enabled, ...named } : enabled;
}

/** Adaptive models may think by default and must be told not to; the others think only when asked. */
function thinkingOff(model: Model): ClaudeThinking {
  if (alwaysThinks(model)) return { output_config: { effort: "low" } };
  return model.thinking?.mode === "anthropic-adaptive" ? { thinking: { type: "disabled" } } : {};
}

export function outputLimit(request: ModelRequest, model: Model): number {
  return request.maxOutputTokens ?? model.maxTokens;
}

/** The choice the model can keep: one that always thinks cannot be forced to call a tool. */
export function claudeToolChoice(request: ModelRequest, model: Model): ToolChoice | undefined {
  return isForced(request.toolChoice) && alwaysThinks(model) ? "auto" : request.toolChoice;
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice === "required" || typeof choice === "object";
}

function alwaysThinks(model: Model): boolean {
  return ALWAYS_THINKING.test(model.wireModelId ?? model.id);
}
