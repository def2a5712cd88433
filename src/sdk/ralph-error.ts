/** Why something a program asked for is not done. `message` is for people, `code` for programs. */
export class RalphError extends Error {
  override readonly name = "RalphError";

  constructor(
    readonly code: RalphErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** `invalid`: the program has to ask differently. `disposed`: the session is closed. */
export type RalphErrorCode =
  | "invalid"
  | "busy"
  | "not-found"
  | "unavailable"
  | "not-stored"
  | "failed"
  | "already-answered"
  | "disposed";

/** A fault in a function of the program becomes a fault of the program, and the agent goes on undisturbed. */
export function surface(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
