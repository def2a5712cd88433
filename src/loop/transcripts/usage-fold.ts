import type { TranscriptEvent } from "../../protocol/transcript-events.ts";

// Several usage events make one number. Those of a turn, and those that do not say, add up; a total takes the place of everything
// before it.

export interface UsageFold {
  inputTokens: number;
  outputTokens: number;
  /** The part of the input that came from a cache. */
  cachedTokens: number;
  /** What the agent itself says it cost. */
  costUsd?: number;
  /** Undefined where several models were used or none was named. */
  model?: string;
  hasSeveralModels: boolean;
}

export type UsageEvent = Extract<TranscriptEvent, { type: "usage" }>;

export function foldUsage(before: UsageFold | undefined, { usage }: UsageEvent): UsageFold {
  const counted = countsOf(usage);
  if (before === undefined || usage.scope === "total") {
    const model = usage.model ?? before?.model;
    return {
      ...counted,
      ...(model === undefined ? {} : { model }),
      hasSeveralModels: before?.hasSeveralModels ?? false,
    };
  }
  const { costUsd, model } = counted;
  const hasSeveralModels =
    before.hasSeveralModels || (before.model !== undefined && model !== undefined && model !== before.model);
  const named = hasSeveralModels ? undefined : (before.model ?? model);
  const cost =
    before.costUsd === undefined && costUsd === undefined ? undefined : (before.costUsd ?? 0) + (costUsd ?? 0);
  return {
    inputTokens: bounded(before.inputTokens + counted.inputTokens),
    outputTokens: bounded(before.outputTokens + counted.outputTokens),
    cachedTokens: bounded(before.cachedTokens + counted.cachedTokens),
    ...(cost === undefined ? {} : { costUsd: cost }),
    ...(named === undefined ? {} : { model: named }),
    hasSeveralModels,
  };
}

/** Where only a total is given it counts as input; a part that is missing is what the total leaves. */
function countsOf(usage: UsageEvent["usage"]): Omit<UsageFold, "hasSeveralModels"> {
  const total = bounded(usage.total_tokens);
  const [prompt, completion] = [usage.prompt_tokens, usage.completion_tokens];
  const outputTokens = completion === undefined && prompt !== undefined ? total - bounded(prompt) : bounded(completion);
  const inputTokens = prompt === undefined ? total - bounded(completion) : bounded(prompt);
  return {
    inputTokens: Math.max(0, inputTokens),
    outputTokens: Math.max(0, outputTokens),
    cachedTokens: bounded(usage.cached_tokens),
    ...(typeof usage.cost_usd === "number" && usage.cost_usd >= 0 ? { costUsd: usage.cost_usd } : {}),
    ...(usage.model === undefined ? {} : { model: usage.model }),
  };
}

function bounded(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}
