import type { Compat, Model } from "../protocol/models.ts";
import { detectEndpoint, type EndpointTraits, hostOf, isAt } from "./compat-endpoints.ts";

// How a compatible endpoint wants its requests: what models.yml says, else what is known of the address, the provider and the
// model, else the defaults. Every question a protocol asks has its answer here.

export type ToolChoiceLevel = NonNullable<Compat["toolChoiceSupport"]>;
export type ReasoningField = NonNullable<Compat["reasoningContentField"]>;
type Routing = NonNullable<Compat["openRouterRouting"]>;

export interface ResolvedCompat {
  supportsStore: boolean;
  supportsDeveloperRole: boolean;
  supportsMultipleSystemMessages: boolean;
  supportsUsageInStreaming: boolean;
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** The most a request may ask for; each level includes the ones before it. */
  toolChoiceSupport: ToolChoiceLevel;
  disableReasoningOnForcedToolChoice: boolean;
  disableReasoningOnToolChoice: boolean;
  extraBody: Record<string, unknown>;
  supportsReasoningEffort: boolean;
  reasoningEffortMap: NonNullable<Compat["reasoningEffortMap"]>;
  thinkingFormat: NonNullable<Compat["thinkingFormat"]>;
  /** Absent where thoughts are not sent back. */
  reasoningContentField?: ReasoningField;
  requiresReasoningContentForToolCalls: boolean;
  allowsSyntheticReasoningContentForToolCalls: boolean;
  requiresAssistantContentForToolCalls: boolean;
  requiresToolResultName: boolean;
  requiresAssistantAfterToolResult: boolean;
  requiresThinkingAsText: boolean;
  requiresMistralToolIds: boolean;
  /** `mixed` makes each tool strict whose schema allows it; `all_strict` makes all of them so, or none. */
  toolStrictMode: "all_strict" | "mixed" | "none";
  /** Present only when the base URL is the gateway's own. */
  openRouterRouting?: Routing;
  vercelGatewayRouting?: Routing;
  takesCacheKey: boolean;
  takesCacheMarkers: boolean;
  takesPdf: boolean;
  compaction: NonNullable<Compat["compaction"]>;
  /** The endpoint cuts answers short unless it is told a limit. */
  needsOutputLimit: boolean;
}

const DEFAULTS = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsMultipleSystemMessages: true,
  supportsUsageInStreaming: true,
  disableReasoningOnForcedToolChoice: false,
  disableReasoningOnToolChoice: false,
  supportsReasoningEffort: true,
  thinkingFormat: "openai",
  requiresReasoningContentForToolCalls: false,
  allowsSyntheticReasoningContentForToolCalls: true,
  requiresAssistantContentForToolCalls: false,
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  requiresThinkingAsText: false,
  requiresMistralToolIds: false,
  takesCacheKey: false,
  takesCacheMarkers: false,
  takesPdf: false,
  needsOutputLimit: false,
  compaction: "none",
} as const;

export function resolveCompat(model: Model): ResolvedCompat {
  const detected = detectEndpoint(model);
  const explicit = model.compat ?? {};
  const {
    supportsToolChoice: _choice,
    supportsForcedToolChoice: _forced,
    supportsStrictMode,
    toolStrictMode,
    openRouterRouting,
    vercelGatewayRouting,
    reasoningContentField,
    ...merged
  } = { ...DEFAULTS, ...detected, ...explicit };
  const needsThoughts = merged.requiresReasoningContentForToolCalls && model.reasoning;
  const field = reasoningContentField ?? (needsThoughts ? "reasoning_content" : undefined);
  const host = hostOf(model.baseUrl);
  return {
    ...merged,
    maxTokensField: merged.maxTokensField ?? usualMaxTokensField(model),
    toolChoiceSupport: toolChoiceLevel(explicit, detected),
    extraBody: { ...detected.extraBody, ...explicit.extraBody },
    reasoningEffortMap: { ...detected.reasoningEffortMap, ...explicit.reasoningEffortMap },
    ...(field === undefined ? {} : { reasoningContentField: field }),
    requiresReasoningContentForToolCalls: needsThoughts,
    toolStrictMode: model.disableStrictTools ? "none" : (toolStrictMode ?? (supportsStrictMode ? "mixed" : "none")),
    ...(openRouterRouting !== undefined && isAt(host, "openrouter.ai") ? { openRouterRouting } : {}),
    ...(vercelGatewayRouting !== undefined && isAt(host, "ai-gateway.vercel.sh") ? { vercelGatewayRouting } : {}),
  };
}

/** OpenAI's own reasoning models refuse the old name wherever they are served; most other servers know only that one. */
function usualMaxTokensField(model: Model): ResolvedCompat["maxTokensField"] {
  return /^(openai\/)?(gpt-[5-9]|o[1-9])/.test(model.id) ? "max_completion_tokens" : "max_tokens";
}

function toolChoiceLevel(explicit: Compat, detected: EndpointTraits): ToolChoiceLevel {
  if (explicit.supportsToolChoice === false) return "none";
  if (explicit.toolChoiceSupport !== undefined) return explicit.toolChoiceSupport;
  if (explicit.supportsForcedToolChoice === false) return "auto";
  if (explicit.supportsToolChoice === true || explicit.supportsForcedToolChoice === true) return "named";
  return detected.toolChoiceSupport ?? "named";
}
