import { asNumber, asObject, asString } from "../../../protocol/json.ts";
import type { ModelError, ModelErrorKind } from "../../../protocol/model-errors.ts";
import { reportedError } from "../../errors.ts";
import { retryHintMs } from "../../retry-hint.ts";

/** Codes whose meaning is this API's own. */
const KINDS: Readonly<Record<string, ModelErrorKind>> = {
  usage_not_included: "quota",
  token_expired: "credentials",
  model_not_found: "not-found",
  deployment_not_found: "not-found",
  cyber_policy: "invalid-request",
  unsupported_value: "invalid-request",
  unsupported_parameter: "invalid-request",
  invalid_value: "invalid-request",
};
/** The many codes for a picture that cannot be used. */
const PICTURE = /image/;

/** The error object of a failed answer: `code`, `message`, sometimes `type`. */
export function responsesError(value: unknown): ModelError {
  const error = asObject(value) ?? {};
  const code = asString(error.code) ?? asString(error.type) ?? "";
  const message = asString(error.message) ?? "";
  const reported = reportedError(code, message);
  const own = Object.hasOwn(KINDS, code) ? KINDS[code] : PICTURE.test(code) ? "invalid-request" : undefined;
  const retryAfterMs = resetMs(error) ?? retryHintMs(message);
  return {
    ...reported,
    ...(own === undefined ? {} : { kind: own, retryable: false }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Subscriptions say when a used-up limit comes back. */
function resetMs(error: Record<string, unknown>): number | undefined {
  const seconds = asNumber(error.resets_in_seconds);
  return seconds === undefined || seconds <= 0 ? undefined : Math.ceil(seconds * 1000);
}
