/** Ralph refused a command, or the client could not send it. `code` is for programs, `message` for people. */
export class RpcError extends Error {
  override readonly name = "RpcError";

  constructor(
    /** `command_failed` where Ralph gave words alone. */
    readonly code: string,
    message: string,
    /** What else belongs to that code. */
    readonly data: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** How the process ended. */
export interface ExitReport {
  exitCode: number | null;
  signal: string | null;
  stderr: string;
}

/** The process has ended, so nothing that waits for it will be answered. */
export class ProcessExited extends Error {
  override readonly name = "ProcessExited";

  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last it wrote to standard error. */
  readonly stderr: string;

  constructor(message: string, { exitCode, signal, stderr }: ExitReport) {
    super(message);
    this.exitCode = exitCode;
    this.signal = signal;
    this.stderr = stderr;
  }
}

/** A failure of whatever kind, as an error. */
export function asError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}

/** The error of an answer: words, or an object with a code. */
export function errorOf(error: string | ({ code: string; message: string } & Record<string, unknown>)): RpcError {
  if (typeof error === "string") return new RpcError("command_failed", error);
  const { code, message, ...data } = error;
  return new RpcError(code, message, data);
}
