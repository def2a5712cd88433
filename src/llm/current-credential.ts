import type { Credential } from "../protocol/models.ts";
import type { Attempt } from "./attempt.ts";
import { ABORTED } from "./errors.ts";

/** The credential of this moment: a login may have been renewed or ended since the model was chosen. */
export type CurrentCredential = () => Promise<{ ok: true; credential: Credential } | { ok: false; message: string }>;

/** Every attempt is made with the credential of its own moment. */
export function withCurrentCredential(
  current: CurrentCredential,
  attemptWith: (credential: Credential) => Attempt,
): Attempt {
  return async (context) => {
    const found = await unlessAborted(current(), context.signal);
    if (found === undefined) return { end: { type: "error", error: ABORTED }, begun: false };
    if (found.ok) return attemptWith(found.credential)(context);
    const error = { kind: "credentials" as const, message: found.message, retryable: false };
    return { end: { type: "error", error }, begun: false };
  };
}

async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = () => aborted.resolve(undefined);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([value, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
