import * as z from "zod";
import { EFFORTS } from "./effort.ts";

// What Ralph knows of a model, after the built-in catalogue, models.yml and discovery were merged.

export const APIS = [
  "openai-completions",
  "openai-responses",
  "openai-codex-responses",
  "azure-openai-responses",
  "anthropic-messages",
  "bedrock-converse-stream",
  "google-generative-ai",
  "google-vertex",
  "ollama-chat",
  "scripted",
] as const;
export const api = z.enum(APIS);

export const cacheRetention = z.enum(["none", "short", "long"]);

/** US dollars per million tokens. */
const prices = {
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
};
export const cost = z.strictObject({
  ...prices,
  /** Prices for a whole request whose prompt is longer than `above` tokens. */
  tiers: z.array(z.strictObject({ above: z.number().positive(), ...prices })).optional(),
});

export const thinking = z.strictObject({
  minLevel: z.enum(EFFORTS).optional(),
  maxLevel: z.enum(EFFORTS).optional(),
  /**
   * How the level is put on the wire: a named effort, a token budget, Google's thinkingLevel, Anthropic's adaptive thinking,
   * or Anthropic's budget together with a named effort.
   */
  mode: z.enum(["effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"]).optional(),
  defaultLevel: z.enum(EFFORTS).optional(),
  levels: z.array(z.enum(EFFORTS)).nonempty().optional(),
});

const routing = z.strictObject({
  only: z.array(z.string()).optional(),
  order: z.array(z.string()).optional(),
});

/** The ways in which compatible endpoints differ. An absent key is decided by the provider's row or its address. */
export const compat = z.strictObject({
  supportsStore: z.boolean().optional(),
  supportsDeveloperRole: z.boolean().optional(),
  supportsMultipleSystemMessages: z.boolean().optional(),
  supportsUsageInStreaming: z.boolean().optional(),
  maxTokensField: z.enum(["max_completion_tokens", "max_tokens"]).optional(),
  supportsToolChoice: z.boolean().optional(),
  supportsForcedToolChoice: z.boolean().optional(),
  toolChoiceSupport: z.enum(["none", "auto", "required", "named"]).optional(),
  disableReasoningOnForcedToolChoice: z.boolean().optional(),
  disableReasoningOnToolChoice: z.boolean().optional(),
  extraBody: z.record(z.string(), z.unknown()).optional(),
  supportsReasoningEffort: z.boolean().optional(),
  reasoningEffortMap: z.partialRecord(z.enum(EFFORTS), z.string()).optional(),
  thinkingFormat: z.enum(["openai", "openrouter", "zai", "qwen", "qwen-chat-template"]).optional(),
  reasoningContentField: z.enum(["reasoning_content", "reasoning", "reasoning_text"]).optional(),
  requiresReasoningContentForToolCalls: z.boolean().optional(),
  allowsSyntheticReasoningContentForToolCalls: z.boolean().optional(),
  requiresAssistantContentForToolCalls: z.boolean().optional(),
  requiresToolResultName: z.boolean().optional(),
  requiresAssistantAfterToolResult: z.boolean().optional(),
  requiresThinkingAsText: z.boolean().optional(),
  requiresMistralToolIds: z.boolean().optional(),
  supportsStrictMode: z.boolean().optional(),
  toolStrictMode: z.enum(["all_strict", "none"]).optional(),
  openRouterRouting: routing.optional(),
  vercelGatewayRouting: routing.optional(),
  /** Whether the endpoint shortens conversations itself, and how it is asked: `responses` is OpenAI's POST /responses/compact. */
  compaction: z.enum(["responses", "none"]).optional(),
});

export const requestTransform = z.strictObject({
  profile: z.enum(["openai-proxy"]).optional(),
  stripHeaders: z.array(z.string()).optional(),
  setHeaders: z.record(z.string(), z.string().nullable()).optional(),
  extraBody: z.record(z.string(), z.unknown()).optional(),
});

export const auth = z.enum(["apiKey", "none", "oauth"]);
export const modelInput = z.enum(["text", "image", "pdf"]);

export const model = z.strictObject({
  provider: z.string(),
  id: z.string(),
  /** The id the provider is sent, where it differs. */
  wireModelId: z.string().optional(),
  name: z.string(),
  api,
  baseUrl: z.string(),
  auth,
  /** Adds `Authorization: Bearer` beside the protocol's own key header. */
  authHeader: z.boolean().optional(),
  reasoning: z.boolean(),
  /** The model writes its thinking into the text between <think> tags. */
  thinkingTags: z.boolean().optional(),
  tools: z.boolean(),
  input: z.array(modelInput),
  /** Absent where no price is known: then tokens are shown, never a guess. */
  cost: cost.optional(),
  contextWindow: z.number().positive(),
  maxTokens: z.number().positive(),
  headers: z.record(z.string(), z.string()).optional(),
  cacheRetention: cacheRetention.optional(),
  thinking: thinking.optional(),
  compat: compat.optional(),
  contextPromotionTarget: z.string().optional(),
  requestTransform: requestTransform.optional(),
  disableStrictTools: z.boolean().optional(),
});

export type Api = z.infer<typeof api>;
export type CacheRetention = z.infer<typeof cacheRetention>;
export type Cost = z.infer<typeof cost>;
export type Thinking = z.infer<typeof thinking>;
export type Compat = z.infer<typeof compat>;
export type RequestTransform = z.infer<typeof requestTransform>;
export type Auth = z.infer<typeof auth>;
export type ModelInput = z.infer<typeof modelInput>;
/** `provider/id` names a model everywhere. */
export type Model = z.infer<typeof model>;

/** What opens a provider's door, found by `models/credentials` and put on the wire by `llm/auth`. */
export type Credential =
  | { type: "none" }
  | { type: "key"; key: string }
  | { type: "bearer"; token: string; accountId?: string }
  | { type: "aws"; accessKeyId: string; secretAccessKey: string; sessionToken?: string; region: string };
