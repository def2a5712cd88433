import * as z from "zod";

// Why a model request ended without an answer. The kind decides what the caller does; the message is for a person.

export const MODEL_ERROR_KINDS = [
  /** The caller's signal was aborted. */
  "aborted",
  /** No key, a refused key, or no permission (401, 403). */
  "credentials",
  /** Too many requests (429); `retryAfterMs` when the provider said so. */
  "rate-limit",
  /** The account has no money or quota left: waiting does not help. */
  "quota",
  /** The provider is overloaded or broken (5xx, 529). */
  "server",
  /** The conversation does not fit into the model's window. */
  "context-overflow",
  /** The provider does not know this model or address (404). */
  "not-found",
  /** The provider refused the request's form (other 4xx). */
  "invalid-request",
  /** The host could not be reached, or the connection broke before an answer began. */
  "network",
  /** Connecting or waiting for the next byte took longer than allowed. */
  "timeout",
  /** The answer ended in the middle. */
  "stream-cut",
  /** The answer was not what the protocol promises (broken JSON, wrong frames). */
  "bad-answer",
] as const;

export const modelError = z.strictObject({
  kind: z.enum(MODEL_ERROR_KINDS),
  /** One line, without secrets, that names host and status where there is one. */
  message: z.string(),
  host: z.string().optional(),
  status: z.number().optional(),
  /** Whether the same request may succeed later. */
  retryable: z.boolean(),
  retryAfterMs: z.number().optional(),
  requestId: z.string().optional(),
});

export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];
export type ModelError = z.infer<typeof modelError>;
