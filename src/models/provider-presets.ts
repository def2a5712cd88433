import type { Api, Compat, Model } from "../protocol/models.ts";

// Ready-made providers for models.yml. They name the environment variable that holds the key and never the key itself.

export interface ProviderPreset {
  name: string;
  aliases: readonly string[];
  /** The id the provider gets in models.yml. */
  provider: string;
  entry: PresetEntry;
}

/** A provider as models.yml spells it. */
export interface PresetEntry {
  baseUrl: string;
  apiKeyEnv: string;
  api: Api;
  compat: Compat;
  models: PresetModel[];
}

export type PresetModel = Pick<
  Model,
  "id" | "name" | "reasoning" | "input" | "contextWindow" | "maxTokens" | "thinking" | "cost"
>;

/** By name or alias, whatever the case. */
export function providerPreset(nameOrAlias: string): ProviderPreset | undefined {
  const wanted = nameOrAlias.toLowerCase();
  return PROVIDER_PRESETS.find((preset) => preset.name === wanted || preset.aliases.includes(wanted));
}

/** One level: these models either think or do not. */
const SWITCHED: Model["thinking"] = { mode: "effort", levels: ["high"] };

const MINIMAX_COMPAT: Compat = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsMultipleSystemMessages: false,
  supportsReasoningEffort: false,
  reasoningContentField: "reasoning_content",
};

const MINIMAX_MODELS: PresetModel[] = [
  {
    id: "MiniMax-M3",
    name: "MiniMax M3",
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 1_048_576,
    maxTokens: 512_000,
    thinking: SWITCHED,
  },
  {
    id: "MiniMax-M2.7",
    name: "MiniMax M2.7",
    reasoning: true,
    input: ["text"],
    contextWindow: 204_800,
    maxTokens: 131_072,
    thinking: SWITCHED,
  },
];

const GLM_COMPAT: Compat = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsReasoningEffort: false,
  thinkingFormat: "zai",
};

const GLM_MODELS: PresetModel[] = [
  {
    id: "glm-5.3",
    name: "GLM-5.3",
    reasoning: true,
    input: ["text"],
    contextWindow: 1_000_000,
    maxTokens: 131_072,
    thinking: SWITCHED,
    cost: { input: 1.4, output: 4.4, cacheRead: 0.26, cacheWrite: 1.4 },
  },
  {
    id: "glm-5.3-flash",
    name: "GLM-5.3-Flash",
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 1_000_000,
    maxTokens: 131_072,
    thinking: SWITCHED,
    cost: { input: 0.15, output: 0.5, cacheRead: 0.03, cacheWrite: 0.15 },
  },
];

export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    name: "minimax",
    aliases: [],
    provider: "minimax-code",
    entry: {
      baseUrl: "https://api.minimax.io/v1",
      apiKeyEnv: "MINIMAX_CODE_API_KEY",
      api: "openai-completions",
      compat: MINIMAX_COMPAT,
      models: MINIMAX_MODELS,
    },
  },
  {
    name: "minimax-cn",
    aliases: [],
    provider: "minimax-code-cn",
    entry: {
      baseUrl: "https://api.minimaxi.com/v1",
      apiKeyEnv: "MINIMAX_CODE_CN_API_KEY",
      api: "openai-completions",
      compat: MINIMAX_COMPAT,
      models: MINIMAX_MODELS,
    },
  },
  {
    name: "glm",
    aliases: ["zai", "z-ai"],
    provider: "glm-proxy",
    entry: {
      baseUrl: "https://api.z.ai/api/paas/v4",
      apiKeyEnv: "ZAI_API_KEY",
      api: "openai-completions",
      compat: GLM_COMPAT,
      models: GLM_MODELS,
    },
  },
];
