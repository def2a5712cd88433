import type { Compat, Model } from "../protocol/models.ts";

// What is known of the endpoints that speak OpenAI's chat format. One row per endpoint; a row says only where it differs from
// the defaults.

/** `Compat` and what only an address decides. */
export interface EndpointTraits extends Compat {
  takesCacheKey?: boolean;
  takesCacheMarkers?: boolean;
  takesPdf?: boolean;
  needsOutputLimit?: boolean;
}

interface Endpoint {
  /** Matched with all their subdomains. */
  hosts: readonly string[];
  providers: readonly string[];
  traits: EndpointTraits;
  /** Models that differ from their neighbours; all rows that match count, the last one most. */
  models?: readonly { id: RegExp; traits: EndpointTraits }[];
}

/** Three levels where Ralph has six. */
const LOW_TO_HIGH = { minimal: "low", xhigh: "high", max: "high" } as const;
const ON_OR_OFF = {
  off: "none",
  minimal: "default",
  low: "default",
  medium: "default",
  high: "default",
  xhigh: "default",
  max: "default",
} as const;
const LOW_HIGH_MAX = { minimal: "low", medium: "high", xhigh: "max" } as const;
/** Gateways hand a request on to vendors that hoist every system message to the top, which would change the cached prefix. */
const ONE_SYSTEM_MESSAGE = { supportsMultipleSystemMessages: false } as const;

const GATEWAY_MODELS = [
  {
    id: /kimi|^moonshot/i,
    traits: { disableReasoningOnForcedToolChoice: true, requiresAssistantContentForToolCalls: true },
  },
  { id: /^anthropic\//, traits: { disableReasoningOnForcedToolChoice: true } },
];

const ENDPOINTS: readonly Endpoint[] = [
  {
    hosts: ["api.openai.com", "openai.azure.com"],
    providers: ["openai", "azure-openai"],
    traits: {
      supportsStore: true,
      supportsDeveloperRole: true,
      maxTokensField: "max_completion_tokens",
      supportsStrictMode: true,
      takesCacheKey: true,
      takesPdf: true,
      compaction: "responses",
    },
  },
  {
    hosts: ["openrouter.ai"],
    providers: ["openrouter"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      thinkingFormat: "openrouter",
      reasoningEffortMap: { max: "xhigh" },
      reasoningContentField: "reasoning",
      takesPdf: true,
    },
    models: [...GATEWAY_MODELS, { id: /^anthropic\//, traits: { takesCacheMarkers: true } }],
  },
  {
    hosts: ["ai-gateway.vercel.sh"],
    providers: ["vercel", "vercel-ai-gateway"],
    traits: { ...ONE_SYSTEM_MESSAGE, thinkingFormat: "openrouter", reasoningContentField: "reasoning" },
    models: GATEWAY_MODELS,
  },
  {
    hosts: ["api.x.ai"],
    providers: ["xai"],
    traits: { supportsReasoningEffort: false },
  },
  {
    hosts: ["api.deepseek.com"],
    providers: ["deepseek"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      thinkingFormat: "zai",
      reasoningEffortMap: LOW_HIGH_MAX,
      reasoningContentField: "reasoning_content",
      requiresReasoningContentForToolCalls: true,
      disableReasoningOnToolChoice: true,
    },
  },
  {
    hosts: ["api.mistral.ai"],
    providers: ["mistral"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      supportsUsageInStreaming: false,
      reasoningEffortMap: { off: "none", minimal: "high", low: "high", medium: "high", xhigh: "high", max: "high" },
      requiresToolResultName: true,
      requiresAssistantAfterToolResult: true,
      requiresThinkingAsText: true,
      requiresMistralToolIds: true,
    },
    // These always think and know no parameter for it.
    models: [
      { id: /magistral/, traits: { supportsReasoningEffort: false } },
      { id: /mistral-large-4/, traits: { reasoningEffortMap: { ...LOW_TO_HIGH, off: "none" } } },
    ],
  },
  {
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    providers: ["zai"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      thinkingFormat: "zai",
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
      toolChoiceSupport: "none",
      // Without it the arguments of a call arrive in one piece after minutes of silence.
      extraBody: { tool_stream: true },
    },
    models: [{ id: /glm-5\.[2-9]/i, traits: { supportsReasoningEffort: true, reasoningEffortMap: LOW_HIGH_MAX } }],
  },
  {
    hosts: ["moonshot.ai", "moonshot.cn", "kimi.com"],
    providers: ["moonshot", "moonshotai", "kimi-code"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      thinkingFormat: "zai",
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
      requiresReasoningContentForToolCalls: true,
      requiresAssistantContentForToolCalls: true,
      disableReasoningOnForcedToolChoice: true,
    },
    models: [
      {
        id: /kimi-k[3-9]/,
        traits: { thinkingFormat: "openai", supportsReasoningEffort: true, reasoningEffortMap: LOW_HIGH_MAX },
      },
    ],
  },
  {
    hosts: ["minimax.io", "minimaxi.com", "minimax.chat"],
    providers: ["minimax", "minimax-code", "minimax-code-cn"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
    },
  },
  {
    hosts: ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
    providers: ["qwen", "dashscope", "alibaba"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      thinkingFormat: "qwen",
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
      toolChoiceSupport: "auto",
    },
  },
  {
    hosts: ["api.groq.com"],
    providers: ["groq"],
    traits: { ...ONE_SYSTEM_MESSAGE, reasoningEffortMap: LOW_TO_HIGH, reasoningContentField: "reasoning" },
    models: [
      {
        id: /qwen/,
        traits: { reasoningEffortMap: ON_OR_OFF },
      },
    ],
  },
  {
    hosts: ["api.cerebras.ai"],
    providers: ["cerebras"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      reasoningEffortMap: LOW_TO_HIGH,
      reasoningContentField: "reasoning",
      toolStrictMode: "all_strict",
    },
  },
  {
    hosts: ["api.together.xyz", "api.together.ai"],
    providers: ["together"],
    traits: { ...ONE_SYSTEM_MESSAGE, reasoningEffortMap: LOW_TO_HIGH, reasoningContentField: "reasoning" },
  },
  {
    hosts: ["api.fireworks.ai"],
    providers: ["fireworks"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      reasoningEffortMap: LOW_TO_HIGH,
      reasoningContentField: "reasoning_content",
      needsOutputLimit: true,
    },
  },
  {
    hosts: ["xiaomimimo.com"],
    providers: ["xiaomi"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      thinkingFormat: "zai",
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
      requiresReasoningContentForToolCalls: true,
    },
  },
  {
    hosts: ["opencode.ai", "router.huggingface.co"],
    providers: ["opencode-go", "huggingface"],
    traits: { ...ONE_SYSTEM_MESSAGE, reasoningContentField: "reasoning_content" },
  },
  {
    hosts: ["integrate.api.nvidia.com"],
    providers: ["nvidia"],
    traits: {
      ...ONE_SYSTEM_MESSAGE,
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
      needsOutputLimit: true,
    },
    models: [{ id: /qwen3/i, traits: { thinkingFormat: "qwen-chat-template" } }],
  },
];

/** llama.cpp, LM Studio, vLLM and the like: many chat templates raise an error on a system message that is not the first. */
const LOCAL_SERVER: Endpoint = {
  hosts: ["localhost", "local", "internal", "0.0.0.0", "[::1]"],
  providers: ["lm-studio", "llama.cpp", "ollama", "vllm"],
  traits: { ...ONE_SYSTEM_MESSAGE, reasoningEffortMap: LOW_TO_HIGH, reasoningContentField: "reasoning_content" },
  models: [{ id: /qwen3/i, traits: { thinkingFormat: "qwen-chat-template" } }],
};

/** A known address wins over the provider's name, and that over a local address, where a proxy of anything may listen. */
export function detectEndpoint(model: Model): EndpointTraits {
  const host = hostOf(model.baseUrl);
  const endpoint =
    ENDPOINTS.find(({ hosts }) => hosts.some((known) => isAt(host, known))) ??
    [...ENDPOINTS, LOCAL_SERVER].find(({ providers }) => providers.includes(model.provider)) ??
    (isLocal(host) ? LOCAL_SERVER : undefined);
  if (endpoint === undefined) return {};
  const special = endpoint.models?.filter(({ id }) => id.test(model.id)).map(({ traits }) => traits) ?? [];
  return Object.assign({}, endpoint.traits, ...special);
}

const PRIVATE_ADDRESS = /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/;

function isLocal(host: string): boolean {
  return PRIVATE_ADDRESS.test(host) || LOCAL_SERVER.hosts.some((known) => isAt(host, known));
}

export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
}

export function isAt(host: string, known: string): boolean {
  return host === known || host.endsWith(`.${known}`);
}
