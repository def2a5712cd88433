import { asNumber, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { FailureCause } from "./adapter.ts";
import { metaEvent, usageEvent } from "./make-event.ts";
import { ralphTokens } from "./ralph-messages.ts";

// How Ralph's own agent ended, in the words of the loop.

/** The totals of the agent stand for the whole run. */
export function totalsEvents(totals: unknown): TranscriptEvent[] {
  const { usage, cost } = asObject(totals) ?? {};
  const { prompt, completion, cached } = ralphTokens(usage);
  const costUsd = asNumber(cost);
  if (prompt + completion === 0) return [];
  return [usageEvent("total", { prompt, completion, cached, ...(costUsd === undefined ? {} : { costUsd }) })];
}

export function failureEvents(outcome: unknown): TranscriptEvent[] {
  const fields = asObject(outcome) ?? {};
  if (fields.type === "done") return [];
  const { message, cause, waitMs } = failureOf(fields);
  const failed = metaEvent({ kind: "failed", message, cause });
  if (cause !== "quota") return [failed];
  return [metaEvent({ kind: "quota", message, ...(waitMs === undefined ? {} : { waitMs }) }), failed];
}

interface Failure {
  message: string;
  cause: FailureCause;
  waitMs?: number;
}

function failureOf(outcome: Record<string, unknown>): Failure {
  switch (outcome.type) {
    case "failed":
      return errorFailure(asObject(outcome.error) ?? {});
    case "interrupted":
      return { message: "The agent was interrupted.", cause: "interrupted" };
    case "limit-reached":
      return {
        message: `The agent's limit of ${asNumber(outcome.allowed) ?? "its"} ${asString(outcome.limit) ?? ""} is reached.`,
        cause: "limit",
      };
    case "refused":
      return { message: "The model refused to answer.", cause: "other" };
    case "truncated":
      return { message: "The answer was longer than the model may write.", cause: "other" };
    case "repeating":
      return { message: `The agent did the same over and over: ${asString(outcome.what) ?? ""}`, cause: "other" };
    case "not-stored":
      return { message: asString(outcome.message) ?? "The session could not be written.", cause: "other" };
    default:
      return { message: "The agent ended in a way that is not known.", cause: "other" };
  }
}

const CAUSES = new Map<unknown, FailureCause>([
  ["aborted", "interrupted"],
  ["credentials", "credentials"],
  ["rate-limit", "quota"],
  ["quota", "quota"],
  ["server", "provider"],
  ["network", "provider"],
  ["timeout", "provider"],
  ["stream-cut", "provider"],
  ["bad-answer", "provider"],
]);

function errorFailure({ kind, message, retryAfterMs }: Record<string, unknown>): Failure {
  const waitMs = asNumber(retryAfterMs);
  return {
    message: asString(message) ?? "The model request failed.",
    cause: CAUSES.get(kind) ?? "other",
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}
