import { asNumber, asObject, asString } from "../../protocol/json.ts";
import type { FailureCause, KnownMeta } from "./adapter.ts";
import { isoTime } from "./unix-time.ts";

// Why Codex gave up, from the error it states. In JSON lines that error is usually one message of the program itself (never of the
// model): a status number, an error object of the provider inside of it, or one of a few fixed beginnings.

export interface CodexFailure {
  message: string;
  cause: FailureCause;
  /** Present where a quota is used up. */
  quota?: KnownMeta & { kind: "quota" };
}

/** `retried`: it had lost the connection and tried again before it gave up. */
export function codexFailure(error: unknown, retried: boolean): CodexFailure {
  const message = asString(asObject(error)?.message) ?? asString(error) ?? "Codex gave up without saying why.";
  const facts = factsOf(error, message);
  const cause = causeOf(facts, message, retried);
  return cause === "quota" ? { message, cause, quota: quotaOf(facts, message) } : { message, cause };
}

/** "Reconnecting... 2/5": the same event as a fatal error, and no failure. */
export function isReconnecting(error: Record<string, unknown>, message: string): boolean {
  return error.will_retry === true || RECONNECTING.test(message);
}

const RECONNECTING = /^Reconnecting\.\.\. \d+\/\d+/;

interface ErrorFacts {
  status?: number;
  type?: string;
  /** Unix seconds. */
  resetsAt?: number;
  resetsInSeconds?: number;
}

/** The provider's error object stands beside the message, below `error`, or as JSON inside the message. */
function factsOf(error: unknown, message: string): ErrorFacts {
  const outer = asObject(error) ?? {};
  const inner = objectWithin(message) ?? {};
  const places = [outer, asObject(outer.error), inner, asObject(inner.error)].filter((place) => place !== undefined);
  const first = <Value>(read: (place: Record<string, unknown>) => Value | undefined): Value | undefined =>
    places.map(read).find((value) => value !== undefined);
  const stated = STATUS.exec(message)?.[1];
  return {
    status: first(({ status_code, status }) => asNumber(status_code) ?? asNumber(status)) ?? asNumber(Number(stated)),
    type: first(({ code, type, codex_error_info }) =>
      [code, codex_error_info, type].map(asString).find((name) => name !== undefined && QUOTA_TYPES.has(name)),
    ),
    resetsAt: first(({ resets_at }) => asNumber(resets_at)),
    resetsInSeconds: first(({ resets_in_seconds }) => asNumber(resets_in_seconds)),
  };
}

const STATUS = /\b(?:unexpected status|last status:) (\d{3})\b/;

const QUOTA_TYPES: ReadonlySet<string> = new Set([
  "usage_limit_reached",
  "usage_limit_exceeded",
  "usage_not_included",
  "insufficient_quota",
  "rate_limit_exceeded",
]);

/** How the program begins its own sentence when the account has nothing left. */
const QUOTA_BEGINNINGS = ["You've hit your usage limit", "You’ve hit your usage limit", "Quota exceeded."];
const OWN_BUDGET = "shared rollout token budget exhausted";

function causeOf({ status, type }: ErrorFacts, message: string, retried: boolean): FailureCause {
  if (type !== undefined || status === 429 || QUOTA_BEGINNINGS.some((text) => message.startsWith(text))) return "quota";
  if (status === 401 || status === 403) return "credentials";
  if (message === OWN_BUDGET) return "limit";
  return retried || (status ?? 0) >= 500 ? "provider" : "other";
}

function quotaOf({ resetsAt, resetsInSeconds }: ErrorFacts, message: string): KnownMeta & { kind: "quota" } {
  const until = resetsAt === undefined ? undefined : isoTime(resetsAt);
  return {
    kind: "quota",
    message,
    ...(until === undefined ? {} : { until }),
    ...(until !== undefined || resetsInSeconds === undefined ? {} : { waitMs: Math.max(0, resetsInSeconds * 1000) }),
  };
}

const MAX_ERROR_CHARACTERS = 16_384;

function objectWithin(message: string): Record<string, unknown> | undefined {
  const start = message.indexOf("{");
  const end = message.lastIndexOf("}");
  if (start === -1 || end < start || end - start > MAX_ERROR_CHARACTERS) return undefined;
  try {
    return asObject(JSON.parse(message.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}
