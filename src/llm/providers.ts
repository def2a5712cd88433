import type { Api, Auth, Compat } from "../protocol/models.ts";

// The providers Ralph knows without configuration. A compatible provider is one more row; models.yml can override any of them.

export interface ProviderRow {
  id: string;
  name: string;
  api: Api;
  /** Where requests go. A part in braces is filled from `addressParts`. Empty where there is no network. */
  baseUrl: string;
  /** Environment variables that may hold the key, first one set wins. */
  keyVariables: readonly string[];
  /** `apiKey` where absent. */
  auth?: Auth;
  /** An environment variable that replaces `baseUrl`. */
  baseUrlVariable?: string;
  addressParts?: Readonly<Record<string, AddressPart>>;
  /** Hosts (with the beginning of a path) that mean this provider when a bare address is configured. */
  apiUrlMatch?: readonly string[];
  /** `plan`: a flat subscription, so a token has no price. */
  billing?: "plan";
  /** How the provider lists the models it has loaded. */
  discovery?: "ollama" | "llama.cpp" | "lm-studio";
  headers?: Readonly<Record<string, string>>;
  /** Only what the provider's address does not tell. */
  compat?: Compat;
  disableStrictTools?: boolean;
  /** What a person has to know before choosing it. */
  note?: string;
  /** Where a key comes from. */
  signUpHint?: string;
}

export interface AddressPart {
  variables: readonly string[];
  fallback?: string;
}

export function providerRow(id: string): ProviderRow | undefined {
  return PROVIDERS.find((row) => row.id === id);
}

/**
 * The provider a bare address means: the first row, in the order of the table, whose host and path begin the address.
 * Host and path are compared as such, so an address that merely mentions a provider never receives its key.
 */
export function providerForUrl(url: string): ProviderRow | undefined {
  const address = hostAndPath(url);
  if (address === undefined) return undefined;
  return PROVIDERS.find((row) => addressesOf(row).some((pattern) => begins(address, pattern)));
}

/** Why Ralph cannot talk to a provider that other programs know; undefined for every other id. */
export function unsupportedProvider(id: string): string | undefined {
  return Object.hasOwn(UNSUPPORTED, id) ? UNSUPPORTED[id] : undefined;
}

function addressesOf(row: ProviderRow): readonly string[] {
  if (row.apiUrlMatch !== undefined) return row.apiUrlMatch;
  return row.baseUrl === "" ? [] : [row.baseUrl.replace(/^https?:\/\//, "")];
}

function hostAndPath(url: string): string | undefined {
  const parsed = URL.parse(url.includes("://") ? url : `https://${url}`);
  return parsed === null ? undefined : `${parsed.host}${parsed.pathname}`.replace(/\/+$/, "");
}

/** `pattern` may hold `{part}` for one label of a host or one segment of a path. */
function begins(address: string, pattern: string): boolean {
  const source = pattern
    .split(/\{\w+\}/)
    .map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^./]+");
  return new RegExp(`^${source}(?:/|$)`).test(address);
}

const UNSUPPORTED: Readonly<Record<string, string>> = {
  cursor:
    "Ralph does not speak Cursor's own agent protocol. Choose another profile, or define a provider named cursor in models.yml that points to a compatible endpoint.",
  "google-gemini-cli":
    "Ralph does not speak the private protocol of the Gemini CLI. Use the provider google with a GEMINI_API_KEY instead.",
};

/** The first four stand in the order in which an address is tried: Codex, OpenAI, Anthropic, local. */
export const PROVIDERS: readonly ProviderRow[] = [
  {
    id: "openai-codex",
    name: "ChatGPT subscription",
    api: "openai-codex-responses",
    baseUrl: "https://chatgpt.com/backend-api/codex",
    keyVariables: ["CHATGPT_ACCESS_TOKEN"],
    auth: "oauth",
    billing: "plan",
    compat: { compaction: "responses" },
    note: "Uses a ChatGPT plan instead of an API key.",
  },
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariable: "OPENAI_BASE_URL",
    apiUrlMatch: ["api.openai.com"],
    signUpHint: "https://platform.openai.com/api-keys",
  },
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    signUpHint: "https://console.anthropic.com/settings/keys",
  },
  {
    id: "lm-studio",
    name: "LM Studio",
    api: "openai-completions",
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: [],
    auth: "none",
    baseUrlVariable: "LM_STUDIO_BASE_URL",
    apiUrlMatch: ["localhost:1234", "127.0.0.1:1234", "[::1]:1234"],
    discovery: "lm-studio",
  },
  {
    id: "google",
    name: "Google Gemini",
    api: "google-generative-ai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    signUpHint: "https://aistudio.google.com/apikey",
  },
  {
    id: "google-vertex",
    name: "Google Vertex AI",
    api: "google-vertex",
    baseUrl: "https://aiplatform.googleapis.com/v1/projects/{project}/locations/global/publishers/google",
    keyVariables: ["CLOUDSDK_AUTH_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN"],
    baseUrlVariable: "GOOGLE_VERTEX_BASE_URL",
    addressParts: { project: { variables: ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"] } },
    note: "Takes an access token, not a key: gcloud auth print-access-token. A region other than global needs its own baseUrl.",
  },
  {
    id: "azure-openai",
    name: "Azure OpenAI",
    api: "azure-openai-responses",
    baseUrl: "https://{resource}.openai.azure.com/openai/v1",
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    baseUrlVariable: "AZURE_OPENAI_BASE_URL",
    addressParts: { resource: { variables: ["AZURE_OPENAI_RESOURCE_NAME"] } },
    note: "Deployments whose name differs from the model id are listed in AZURE_OPENAI_DEPLOYMENT_NAME_MAP.",
  },
  {
    id: "amazon-bedrock",
    name: "Amazon Bedrock",
    api: "bedrock-converse-stream",
    baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    addressParts: { region: { variables: ["AWS_REGION", "AWS_DEFAULT_REGION"], fallback: "us-east-1" } },
    note: "Signs requests with the AWS credential chain where no bearer token is set.",
  },
  {
    id: "xai",
    name: "xAI",
    api: "openai-responses",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    signUpHint: "https://console.x.ai",
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    api: "openai-completions",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    signUpHint: "https://platform.deepseek.com/api_keys",
  },
  {
    id: "mistral",
    name: "Mistral",
    api: "openai-completions",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    signUpHint: "https://console.mistral.ai/api-keys",
  },
  {
    id: "qwen",
    name: "Qwen (Alibaba Model Studio)",
    api: "openai-completions",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    note: "The international endpoint; keys of the Chinese one need baseUrl https://dashscope.aliyuncs.com/compatible-mode/v1.",
    signUpHint: "https://modelstudio.console.alibabacloud.com",
  },
  {
    id: "zai",
    name: "Z.ai GLM Coding Plan",
    api: "openai-completions",
    baseUrl: "https://api.z.ai/api/coding/paas/v4",
    keyVariables: ["ZAI_API_KEY"],
    billing: "plan",
    note: "Needs a GLM Coding Plan; for a key billed per token add the preset glm.",
    signUpHint: "https://z.ai/manage-apikey/apikey-list",
  },
  {
    id: "moonshot",
    name: "Moonshot AI",
    api: "openai-completions",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    signUpHint: "https://platform.moonshot.ai/console/api-keys",
  },
  {
    id: "kimi-code",
    name: "Kimi Code plan",
    api: "anthropic-messages",
    baseUrl: "https://api.kimi.com/coding",
    keyVariables: ["KIMI_API_KEY"],
    billing: "plan",
    disableStrictTools: true,
    signUpHint: "https://www.kimi.com/code",
  },
  {
    id: "minimax",
    name: "MiniMax",
    api: "anthropic-messages",
    baseUrl: "https://api.minimax.io/anthropic",
    keyVariables: ["MINIMAX_API_KEY"],
    disableStrictTools: true,
    signUpHint: "https://platform.minimax.io",
  },
  {
    id: "minimax-cn",
    name: "MiniMax (China)",
    api: "anthropic-messages",
    baseUrl: "https://api.minimaxi.com/anthropic",
    keyVariables: ["MINIMAX_CN_API_KEY"],
    disableStrictTools: true,
    signUpHint: "https://platform.minimaxi.com",
  },
  {
    id: "minimax-code",
    name: "MiniMax coding plan",
    api: "openai-completions",
    baseUrl: "https://api.minimax.io/v1",
    keyVariables: ["MINIMAX_CODE_API_KEY"],
    billing: "plan",
    signUpHint: "https://platform.minimax.io",
  },
  {
    id: "minimax-code-cn",
    name: "MiniMax coding plan (China)",
    api: "openai-completions",
    baseUrl: "https://api.minimaxi.com/v1",
    keyVariables: ["MINIMAX_CODE_CN_API_KEY"],
    billing: "plan",
    signUpHint: "https://platform.minimaxi.com",
  },
  {
    id: "xiaomi",
    name: "Xiaomi MiMo",
    api: "openai-completions",
    baseUrl: "https://api.xiaomimimo.com/v1",
    keyVariables: ["XIAOMI_API_KEY", "MIMO_API_KEY"],
    signUpHint: "https://platform.xiaomimimo.com",
  },
  {
    id: "opencode-go",
    name: "OpenCode Go",
    api: "openai-completions",
    baseUrl: "https://opencode.ai/zen/go/v1",
    keyVariables: ["OPENCODE_API_KEY"],
    note: "A plan whose limits are counted in dollars at the listed prices.",
    signUpHint: "https://opencode.ai/go",
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    api: "openai-completions",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    signUpHint: "https://openrouter.ai/settings/keys",
  },
  {
    id: "vercel-ai-gateway",
    name: "Vercel AI Gateway",
    api: "openai-completions",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keyVariables: ["AI_GATEWAY_API_KEY"],
    signUpHint: "https://vercel.com/ai-gateway",
  },
  {
    id: "groq",
    name: "Groq",
    api: "openai-completions",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    signUpHint: "https://console.groq.com/keys",
  },
  {
    id: "cerebras",
    name: "Cerebras",
    api: "openai-completions",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariables: ["CEREBRAS_API_KEY"],
    signUpHint: "https://cloud.cerebras.ai",
  },
  {
    id: "together",
    name: "Together AI",
    api: "openai-completions",
    baseUrl: "https://api.together.ai/v1",
    keyVariables: ["TOGETHER_API_KEY"],
    signUpHint: "https://api.together.ai/settings/api-keys",
  },
  {
    id: "fireworks",
    name: "Fireworks AI",
    api: "openai-completions",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
    signUpHint: "https://app.fireworks.ai/settings/users/api-keys",
  },
  {
    id: "nvidia",
    name: "NVIDIA",
    api: "openai-completions",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyVariables: ["NVIDIA_API_KEY"],
    headers: { "NVCF-POLL-SECONDS": "3600" },
    signUpHint: "https://build.nvidia.com",
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    api: "openai-completions",
    baseUrl: "https://router.huggingface.co/v1",
    keyVariables: ["HF_TOKEN"],
    signUpHint: "https://huggingface.co/settings/tokens",
  },
  {
    id: "ollama",
    name: "Ollama",
    api: "openai-responses",
    baseUrl: "http://127.0.0.1:11434",
    keyVariables: [],
    auth: "none",
    baseUrlVariable: "OLLAMA_BASE_URL",
    apiUrlMatch: ["localhost:11434", "127.0.0.1:11434", "[::1]:11434"],
    discovery: "ollama",
  },
  {
    id: "llama.cpp",
    name: "llama.cpp",
    api: "openai-responses",
    baseUrl: "http://127.0.0.1:8080",
    keyVariables: [],
    auth: "none",
    baseUrlVariable: "LLAMA_CPP_BASE_URL",
    apiUrlMatch: ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"],
    discovery: "llama.cpp",
  },
  {
    id: "scripted",
    name: "Scripted answers",
    api: "scripted",
    baseUrl: "",
    keyVariables: [],
    auth: "none",
    note: "Plays a script instead of calling a model.",
  },
];
