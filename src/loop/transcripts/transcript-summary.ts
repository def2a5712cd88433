import { asNumber, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { FAILURE_CAUSES, type FailureCause } from "./adapter.ts";
import { lastLine } from "./last-line.ts";
import { MAX_ID_CHARACTERS } from "./open-tools.ts";
import { shortened } from "./shortened.ts";
import { foldUsage, type UsageFold } from "./usage-fold.ts";

// What the loop needs to know of one run of an agent, folded from its events and bounded whatever the agent prints.

/** Questions and refusals after these are counted by nobody: the first ones say what is needed. */
export const MAX_QUESTIONS = 16;
export const MAX_DENIED = 32;
const MAX_REPORT_CHARACTERS = 2000;

export interface TranscriptSummary {
  /** The whole last message, where the agent states it and said nothing after it. */
  finalMessage: string | undefined;
  /** The last line that was the assistant's and not empty. */
  lastAssistantLine: string | undefined;
  usage: UsageFold | undefined;
  session: string | undefined;
  /** Why it gave up; forgotten when a final message comes after it. */
  failure: { message: string; cause: FailureCause } | undefined;
  /** The newest quota that was used up; forgotten when a final message comes after it. */
  quota: { message: string; until?: string; waitMs?: number } | undefined;
  /** Nobody answered these. */
  questions: readonly string[];
  denied: readonly string[];
  tools: { started: number; failed: number };
}

export const EMPTY_SUMMARY: TranscriptSummary = {
  finalMessage: undefined,
  lastAssistantLine: undefined,
  usage: undefined,
  session: undefined,
  failure: undefined,
  quota: undefined,
  questions: [],
  denied: [],
  tools: { started: 0, failed: 0 },
};

export function foldSummary(summary: TranscriptSummary, event: TranscriptEvent): TranscriptSummary {
  switch (event.type) {
    case "text":
      return event.tag === "AI" ? foldAssistantText(summary, event.text) : summary;
    case "tool_start":
      return { ...summary, tools: { ...summary.tools, started: summary.tools.started + 1 } };
    case "tool_end":
      if (event.tool.status !== "fail") return summary;
      return { ...summary, tools: { ...summary.tools, failed: summary.tools.failed + 1 } };
    case "usage":
      return { ...summary, usage: foldUsage(summary.usage, event) };
    case "meta":
      return foldMeta(summary, event.meta);
    case "tool_output":
      return summary;
  }
}

function foldAssistantText(summary: TranscriptSummary, text: string): TranscriptSummary {
  const lastAssistantLine = lastLine(text);
  return lastAssistantLine === undefined ? summary : { ...summary, lastAssistantLine, finalMessage: undefined };
}

/** Other programs write meta events too, so nothing about their shape is taken for granted. */
function foldMeta(summary: TranscriptSummary, meta: Record<string, unknown>): TranscriptSummary {
  const text = asString(meta.text);
  const message = shortened(asString(meta.message) ?? "", MAX_REPORT_CHARACTERS);
  switch (meta.kind) {
    case "session":
      return typeof meta.id === "string" && meta.id.length <= MAX_ID_CHARACTERS
        ? { ...summary, session: meta.id }
        : summary;
    case "final":
      return text === undefined
        ? summary
        : { ...summary, finalMessage: shortened(text), failure: undefined, quota: undefined };
    case "failed":
      return {
        ...summary,
        failure: { message, cause: FAILURE_CAUSES.find((cause) => cause === meta.cause) ?? "other" },
      };
    case "quota":
      return { ...summary, quota: { message, ...whenFree(meta) } };
    case "question":
      return { ...summary, questions: withText(summary.questions, text, MAX_QUESTIONS) };
    case "denied":
      return { ...summary, denied: withText(summary.denied, text, MAX_DENIED) };
    default:
      return summary;
  }
}

function whenFree({ until, waitMs }: Record<string, unknown>): { until?: string; waitMs?: number } {
  const date = new Date(asString(until) ?? Number.NaN);
  const wait = asNumber(waitMs);
  return {
    ...(Number.isNaN(date.getTime()) ? {} : { until: date.toISOString() }),
    ...(wait === undefined || wait < 0 ? {} : { waitMs: wait }),
  };
}

function withText(texts: readonly string[], text: string | undefined, most: number): readonly string[] {
  if (text === undefined || texts.length >= most) return texts;
  const kept = shortened(text, MAX_REPORT_CHARACTERS);
  return texts.includes(kept) ? texts : [...texts, kept];
}
