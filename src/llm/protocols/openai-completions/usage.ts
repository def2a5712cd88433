import { asNumber, asObject, at } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/messages.ts";

/** Token counts of a chat completion; undefined where there are none. */
export function chatUsage(value: unknown): Partial<Usage> | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const prompt = asNumber(usage.prompt_tokens);
  const completion = asNumber(usage.completion_tokens);
  const reasoning = asNumber(at(usage, "completion_tokens_details", "reasoning_tokens"));
  const cacheRead = cachedTokens(usage);
  const cacheWrite = asNumber(at(usage, "prompt_tokens_details", "cache_write_tokens")) ?? 0;
  const counts: Partial<Usage> = {
    ...(prompt === undefined ? {} : { input: Math.max(0, prompt - cacheRead - cacheWrite), cacheRead, cacheWrite }),
    ...(completion === undefined ? {} : { output: completion + uncountedReasoning(usage) }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
  return Object.keys(counts).length === 0 ? undefined : counts;
}

/** OpenAI's place for it, DeepSeek's and Moonshot's. */
function cachedTokens(usage: Record<string, unknown>): number {
  const details = at(usage, "prompt_tokens_details", "cached_tokens");
  return asNumber(details) ?? asNumber(usage.prompt_cache_hit_tokens) ?? asNumber(usage.cached_tokens) ?? 0;
}

/** xAI leaves thinking out of `completion_tokens` but not out of the total. */
function uncountedReasoning(usage: Record<string, unknown>): number {
  const reasoning = asNumber(at(usage, "completion_tokens_details", "reasoning_tokens")) ?? 0;
  const counted = (asNumber(usage.prompt_tokens) ?? 0) + (asNumber(usage.completion_tokens) ?? 0);
  return asNumber(usage.total_tokens) === counted + reasoning ? reasoning : 0;
}
