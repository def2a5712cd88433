import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { ModelError, ModelErrorKind } from "../../../protocol/model-errors.ts";
import { reportedError } from "../../errors.ts";
import { retryHintMs } from "../../retry-hint.ts";

/** Statuses whose meaning is Google's own: it says "quota" and "billing" of limits that pass within a minute. */
const KINDS: Readonly<Record<string, ModelErrorKind>> = {
  RESOURCE_EXHAUSTED: "rate-limit",
  FAILED_PRECONDITION: "invalid-request",
  OUT_OF_RANGE: "invalid-request",
};

/** The `error` object of an answer: `code`, `message`, `status`, `details`. */
export function googleError(value: unknown): ModelError {
  const error = asObject(value) ?? {};
  const message = asString(error.message) ?? "";
  const name = asString(error.status) ?? "";
  const status = asNumber(error.code);
  const own = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const retryAfterMs = retryInfoMs(error.details) ?? retryHintMs(message);
  return {
    ...reportedError(name, message),
    ...(own === undefined ? {} : { kind: own, retryable: own === "rate-limit" }),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}` */
function retryInfoMs(details: unknown): number | undefined {
  for (const detail of asArray(details)) {
    const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(asString(at(detail, "retryDelay")) ?? "")?.[1]);
    if (seconds > 0) return Math.ceil(seconds * 1000);
  }
  return undefined;
}
