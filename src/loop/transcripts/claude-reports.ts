import { asArray, asNumber, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { FailureCause, KnownMeta } from "./adapter.ts";
import { QUESTION_TOOL, questionText } from "./claude-questions.ts";
import { metaEvent, usageEvent } from "./make-event.ts";
import { shortened } from "./shortened.ts";
import { isoTime } from "./unix-time.ts";

// What Claude Code reports about the run itself: another attempt, a quota, and the result at the end.

type Fields = Record<string, unknown>;

/** `system/api_retry`. */
export function retryEvents({
  attempt,
  max_retries,
  retry_delay_ms,
  error_status,
  error,
  ...rest
}: Fields): TranscriptEvent[] {
  const waitMs = asNumber(retry_delay_ms);
  const message = [
    `Claude Code tries again (${asNumber(attempt) ?? "?"} of ${asNumber(max_retries) ?? "?"})`,
    [asNumber(error_status), asString(error)].filter((part) => part !== undefined).join(" "),
  ].filter((part) => part !== "");
  const retry = metaEvent({ kind: "retry", message: message.join(": "), ...(waitMs === undefined ? {} : { waitMs }) });
  const until = resetOf(rest);
  if (error_status !== 429 || until === undefined) return [retry];
  return [retry, metaEvent({ kind: "quota", message: "The provider's rate limit is reached.", until })];
}

/** When the limit that refused is free again; undefined for an event that only tells how much is used. */
export function rejectedUntil(event: Fields): { until?: string } | undefined {
  const info = asObject(event.rate_limit_info);
  if (info?.status !== "rejected" || info.isUsingOverage === true) return undefined;
  const until = resetOf(info);
  return until === undefined ? {} : { until };
}

/** `rate_limit_event`. It comes with every answer; only a rejected one is news. */
export function limitEvents(event: Fields): TranscriptEvent[] {
  const rejected = rejectedUntil(event);
  if (rejected === undefined) return [];
  const type = asString(asObject(event.rate_limit_info)?.rateLimitType);
  const message = `The usage limit${type === undefined ? "" : ` (${type.replaceAll("_", " ")})`} of the account is reached.`;
  return [metaEvent({ kind: "quota", message, ...rejected })];
}

function resetOf(fields: Fields): string | undefined {
  const stated = fields.resetsAt ?? fields.resets_at ?? fields.reset_at;
  const unix = asNumber(stated);
  if (unix !== undefined) return isoTime(unix);
  const date = new Date(asString(stated) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export interface ResultContext {
  /** When a limit that was reported before is free again. */
  limit: { until?: string } | undefined;
  /** Its questions were reported when it asked them. */
  hasAsked: boolean;
}

/** `result`: whether it failed is `is_error` and nothing else; a provider error is a "success" by its subtype. */
export function resultEvents(event: Fields, { limit, hasAsked }: ResultContext): TranscriptEvent[] {
  const denials = asArray(event.permission_denials).filter(
    (denial) => !(hasAsked && asObject(denial)?.tool_name === QUESTION_TOOL),
  );
  return [
    ...totalsOf(event),
    ...denials.slice(0, MAX_DENIALS).map(denialEvent),
    ...(event.is_error === true ? failureEvents(event, limit) : finalEvents(event)),
  ];
}

const MAX_DENIALS = 32;

/** The numbers of the result stand for the whole run. An interrupted run states zeros, which is not what it used. */
function totalsOf({ usage, modelUsage, total_cost_usd }: Fields): TranscriptEvent[] {
  const { prompt, completion, cached } = claudeTokens(usage);
  if (prompt + completion === 0) return [];
  const models = Object.keys(asObject(modelUsage) ?? {});
  const model = models.length === 1 ? models[0] : undefined;
  const costUsd = asNumber(total_cost_usd);
  return [
    usageEvent("total", {
      prompt,
      completion,
      cached,
      ...(model === undefined ? {} : { model }),
      ...(costUsd === undefined || costUsd < 0 ? {} : { costUsd }),
    }),
  ];
}

/** What was read from a cache or written to it was read, too. */
export function claudeTokens(usage: unknown): { prompt: number; completion: number; cached: number } {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = asObject(usage) ?? {};
  const count = (value: unknown) => Math.max(0, asNumber(value) ?? 0);
  return {
    prompt: count(input_tokens) + count(cache_creation_input_tokens) + count(cache_read_input_tokens),
    completion: count(output_tokens),
    cached: count(cache_read_input_tokens),
  };
}

function denialEvent(denial: unknown): TranscriptEvent {
  const { tool_name, tool_input } = asObject(denial) ?? {};
  const name = asString(tool_name) ?? "a tool";
  if (name === QUESTION_TOOL) return metaEvent({ kind: "question", text: questionText(tool_input) });
  const input = asObject(tool_input) ?? {};
  const what = [input.command, input.file_path, input.path, input.url, input.query]
    .map(asString)
    .find((text) => text !== undefined);
  return metaEvent({
    kind: "denied",
    text: shortened(what === undefined ? name : `${name}: ${what}`, MAX_DENIAL_CHARACTERS),
  });
}

const MAX_DENIAL_CHARACTERS = 1000;

function finalEvents({ result }: Fields): TranscriptEvent[] {
  return typeof result === "string" ? [metaEvent({ kind: "final", text: result })] : [];
}

function failureEvents(event: Fields, limit: ResultContext["limit"]): TranscriptEvent[] {
  const cause = causeOf(event);
  const message = asString(event.result) ?? (cause === "interrupted" ? INTERRUPTED : errorsOf(event));
  const failed = metaEvent({ kind: "failed", message, cause });
  const quota: KnownMeta = { kind: "quota", message, ...limit };
  return cause === "quota" ? [metaEvent(quota), failed] : [failed];
}

const INTERRUPTED = "Claude Code was interrupted.";

function errorsOf({ errors }: Fields): string {
  const texts = asArray(errors)
    .map(asString)
    .filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join("\n") : "Claude Code gave up without saying why.";
}

const LIMITS: ReadonlySet<unknown> = new Set([
  "error_max_turns",
  "error_max_budget_usd",
  "error_max_structured_output_retries",
]);

function causeOf({ terminal_reason, subtype, api_error_status, api_error_type }: Fields): FailureCause {
  if (asString(terminal_reason)?.startsWith("aborted")) return "interrupted";
  if (LIMITS.has(subtype)) return "limit";
  if (api_error_status === 401 || api_error_status === 403) return "credentials";
  if (api_error_status === 429 || api_error_type === "rate_limit_error" || api_error_type === "billing_error")
    return "quota";
  return terminal_reason === "api_error" || asNumber(api_error_status) !== undefined ? "provider" : "other";
}
