// What to assume of a model nobody described: one that was discovered or configured by name only. Windows are on the safe
// side, because a prompt that is too long fails while one that is too short only forgets.

export interface ModelFamily {
  name: string;
  contextWindow: number;
  maxTokens: number;
  tools: boolean;
  thinkingTags: boolean;
}

/** The first family, in the order of the table, whose pattern is in the model's name; otherwise the smallest assumption. */
export function familyOf(modelId: string): ModelFamily {
  const row = FAMILIES.find(({ pattern }) => pattern.test(modelId)) ?? UNKNOWN;
  const { name, contextWindow, tools = true, thinkingTags = false } = row;
  return { name, contextWindow, maxTokens: outputLimit(contextWindow), tools, thinkingTags };
}

const LARGEST_OUTPUT = 16_384;

/** A quarter of the window, so that the conversation keeps the larger part. */
function outputLimit(contextWindow: number): number {
  return Math.min(LARGEST_OUTPUT, Math.floor(contextWindow / 4));
}

interface FamilyRow {
  name: string;
  pattern: RegExp;
  contextWindow: number;
  tools?: boolean;
  thinkingTags?: boolean;
}

const UNKNOWN: Omit<FamilyRow, "pattern"> = { name: "unknown", contextWindow: 4096, tools: false };

const FAMILIES: readonly FamilyRow[] = [
  { name: "gpt", pattern: /gpt/i, contextWindow: 128_000 },
  // The o series, as a whole word: "o1-mini" and "openai/o4", but not "demo1".
  { name: "o-series", pattern: /(?<![a-z0-9])o[134](?![a-z0-9])/i, contextWindow: 128_000 },
  { name: "qwen", pattern: /qw(?:en|q)/i, contextWindow: 32_768, thinkingTags: true },
  { name: "deepseek", pattern: /deepseek/i, contextWindow: 128_000, thinkingTags: true },
  { name: "claude", pattern: /claude/i, contextWindow: 200_000 },
  { name: "gemini", pattern: /gemini/i, contextWindow: 1_000_000 },
  { name: "grok", pattern: /grok/i, contextWindow: 128_000 },
  { name: "glm", pattern: /(?<![a-z])glm/i, contextWindow: 128_000, thinkingTags: true },
  { name: "kimi", pattern: /kimi/i, contextWindow: 128_000, thinkingTags: true },
  { name: "minimax", pattern: /minimax/i, contextWindow: 128_000, thinkingTags: true },
  { name: "mimo", pattern: /(?<![a-z])mimo/i, contextWindow: 128_000, thinkingTags: true },
  { name: "devstral", pattern: /devstral/i, contextWindow: 128_000 },
  { name: "mistral", pattern: /(?:mis|mix|codes|magis|minis)tral/i, contextWindow: 32_768 },
  { name: "llama", pattern: /llama-?[34]/i, contextWindow: 32_768 },
  { name: "gemma", pattern: /gemma/i, contextWindow: 32_768 },
  { name: "nemotron", pattern: /nemotron/i, contextWindow: 32_768, thinkingTags: true },
];
