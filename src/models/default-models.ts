/**
 * The model a person gets who has credentials and has chosen nothing, by provider. Providers are tried in this order.
 * Providers that list their own models have no default: what is loaded there is what there is.
 */
export const DEFAULT_MODELS: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-5",
  "openai-codex": "gpt-6-sol",
  openai: "gpt-6-sol",
  google: "gemini-3.8-flash",
  xai: "grok-4.7",
  "kimi-code": "k3",
  zai: "glm-5.3",
  "minimax-code": "MiniMax-M3",
  "minimax-code-cn": "MiniMax-M3",
  "opencode-go": "kimi-k2.7-code",
  deepseek: "deepseek-v4-pro",
  moonshot: "kimi-k3",
  qwen: "qwen3.8-max",
  mistral: "mistral-medium-latest",
  minimax: "MiniMax-M3",
  "minimax-cn": "MiniMax-M3",
  xiaomi: "mimo-v2.6-pro",
  "amazon-bedrock": "global.anthropic.claude-sonnet-5",
  "azure-openai": "gpt-6-sol",
  "google-vertex": "gemini-3.8-flash",
  openrouter: "anthropic/claude-sonnet-5",
  "vercel-ai-gateway": "anthropic/claude-sonnet-5",
  together: "zai-org/GLM-5.3",
  fireworks: "accounts/fireworks/models/glm-5p3",
  huggingface: "zai-org/GLM-5.3",
  nvidia: "z-ai/glm-5.3",
  groq: "openai/gpt-oss-120b",
  cerebras: "gpt-oss-120b",
};

export function defaultModelOf(providerId: string): string | undefined {
  return Object.hasOwn(DEFAULT_MODELS, providerId) ? DEFAULT_MODELS[providerId] : undefined;
}
