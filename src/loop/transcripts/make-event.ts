import type { TranscriptEvent, TranscriptTag } from "../../protocol/transcript-events.ts";
import type { KnownMeta } from "./adapter.ts";

// The events of a transcript, made in one place so that every adapter spells them the same way.

export const NO_EVENTS: readonly TranscriptEvent[] = [];

export function textEvent(tag: TranscriptTag, text: string): TranscriptEvent {
  return { type: "text", tag, text };
}

export function metaEvent(meta: KnownMeta): TranscriptEvent {
  return { type: "meta", meta };
}

export function outputEvent(id: string, text: string): TranscriptEvent {
  return { type: "tool_output", tool: { id }, text };
}

export interface UsageNumbers {
  /** Everything that was read, from a cache or not. */
  prompt: number;
  completion: number;
  /** The part of `prompt` that came from a cache. */
  cached?: number;
  model?: string;
  /** What the agent says it cost. */
  costUsd?: number;
}

/**
 * `scope` says how several usage events go together: those of a `turn` add up, a `total` stands for the whole run and takes the
 * place of everything before it.
 */
export function usageEvent(
  scope: "turn" | "total",
  { prompt, completion, cached = 0, model, costUsd }: UsageNumbers,
): TranscriptEvent {
  return {
    type: "usage",
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      ...(cached === 0 ? {} : { cached_tokens: cached }),
      ...(model === undefined ? {} : { model }),
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
      scope,
    },
  };
}
