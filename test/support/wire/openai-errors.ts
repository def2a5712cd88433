import type { JsonObject } from "../../../src/protocol/json.ts";
import type { ErrorReason } from "../fake-answer.ts";
import type { VendorError } from "./wire-renderer.ts";

const TYPES: Record<number, string> = {
  401: "invalid_request_error",
  429: "requests",
  500: "server_error",
  502: "server_error",
  503: "server_error",
};

const CODES: Record<number, string> = { 401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded" };

const REASONS: Record<ErrorReason, { type: string; code: string; message: string }> = {
  "context-overflow": {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message:
      "Your input exceeds the context window of this model. Please adjust your input and try again. This model's maximum context length is 128000 tokens.",
  },
  quota: {
    type: "insufficient_quota",
    code: "insufficient_quota",
    message: "You exceeded your current quota, please check your plan and billing details.",
  },
  overloaded: {
    type: "server_error",
    code: "server_is_overloaded",
    message: "The server is currently overloaded with other requests. Please try again later.",
  },
  "rate-limit": {
    type: "tokens",
    code: "rate_limit_exceeded",
    message: "Rate limit reached for the fake model on tokens per min (TPM): Limit 30000. Please try again in 1s.",
  },
};

/** The error object of OpenAI and of most servers that imitate it. */
export function openAiError(status: number, reason?: ErrorReason): VendorError {
  const error: JsonObject =
    reason === undefined
      ? {
          message: `The fake provider answers with status ${status}`,
          type: TYPES[status] ?? "invalid_request_error",
          param: null,
          code: CODES[status] ?? null,
        }
      : { param: null, ...REASONS[reason] };
  return { status, headers: { "x-request-id": "req_fake" }, body: { error } };
}
