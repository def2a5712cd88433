import type { ModelError } from "../protocol/model-errors.ts";

/** How often and how patiently a failed request is made again. The two budgets are separate and never refilled. */
export interface RetryPolicy {
  /** Retries while no byte of an answer had arrived. */
  beforeFirstByte: number;
  /** Retries of an answer that broke off after it had begun. */
  afterFirstByte: number;
  baseDelayMs: number;
  factor: number;
  maxDelayMs: number;
  /** A provider that asks for a longer wait than this is not waited for: the caller decides. */
  maxRetryAfterMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  beforeFirstByte: 3,
  afterFirstByte: 2,
  baseDelayMs: 1000,
  factor: 2,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 60_000,
};

export interface FailedAttempt {
  error: ModelError;
  /** Bytes of the answer had arrived. */
  begun: boolean;
  /** Failures of the same kind so far (before or after the first byte), this one included. */
  failures: number;
  /** What had been emitted may still be taken back. */
  mayRestart: boolean;
}

/** The wait before the next attempt, or undefined when there is none. `random` is in [0, 1). */
export function retryDelay(attempt: FailedAttempt, policy: RetryPolicy, random: number): number | undefined {
  const { error, begun, failures } = attempt;
  if (!error.retryable || (begun && !attempt.mayRestart)) return undefined;
  if (failures > (begun ? policy.afterFirstByte : policy.beforeFirstByte)) return undefined;
  const backoff = Math.min(policy.maxDelayMs, policy.baseDelayMs * policy.factor ** (failures - 1));
  const jittered = backoff * (1 - JITTER / 2 + JITTER * random);
  if (error.retryAfterMs === undefined) return jittered;
  if (error.retryAfterMs > policy.maxRetryAfterMs) return undefined;
  // Never earlier than asked; the jitter on top keeps many clients from coming back in the same instant.
  return error.retryAfterMs + backoff * JITTER * random;
}

const JITTER = 0.3;
