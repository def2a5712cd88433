import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { InboundLines } from "../inbound-lines.ts";
import { type ExitReport, ProcessExited } from "./client-errors.ts";
import { deferred } from "./deferred.ts";

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  cwd?: string;
  /** The whole environment; without it the process has that of this one. */
  env?: Record<string, string | undefined>;
  onLine(line: string): void;
  /** Called once, after the last line. */
  onEnd(reason: ProcessExited): void;
}

/** Of one line that is read. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const TOO_LONG = `Ralph sent a line of more than ${MAX_LINE_BYTES} bytes.`;
/** Of standard error, the newest. */
const STDERR_CHARACTERS = 8000;
/** What may wait to be taken from standard input by the process. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
/** When nothing more of an ended process has come for this long, somebody else holds its output. */
const LAST_LINES_MS = 1000;
/** A process that has closed its output is given this long to end. */
const SILENT_MS = 10_000;
const AFTER_TERMINATE_MS = 2000;

/** A Ralph that works: lines in, lines out, and exactly one end. */
export class RalphProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines = new InboundLines(MAX_LINE_BYTES);
  private stderr = "";
  private chunks = 0;
  private failure: string | undefined;
  private isEnded = false;
  private readonly end = deferred<ExitReport>();

  constructor(private readonly options: ProcessOptions) {
    const { command, args, cwd, env } = options;
    this.child = spawn(command, [...args], {
      stdio: "pipe",
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    });
    this.listen(this.child);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Its input is closed: it has ended, or will. */
  get isGone(): boolean {
    return this.isEnded || this.child.stdin.writableEnded || this.child.stdin.destroyed;
  }

  /** Resolves with how it ended; never rejects. */
  get ended(): Promise<ExitReport> {
    return this.end.promise;
  }

  /** Why the line cannot be sent; undefined where it was. */
  write(line: string): string | undefined {
    if (this.isGone) return "Ralph has been stopped.";
    if (this.child.stdin.writableLength > MAX_UNSENT_BYTES)
      return `Ralph does not take what is sent: more than ${MAX_UNSENT_BYTES} bytes wait. Send it again when some are answered.`;
    this.child.stdin.write(`${line}\n`);
    return undefined;
  }

  /** Closes standard input and waits; a process that stays is ended after `withinMs`. */
  async stop(withinMs: number): Promise<ExitReport> {
    this.child.stdin.end();
    const terminate = setTimeout(() => this.child.kill("SIGTERM"), withinMs);
    const kill = setTimeout(() => this.child.kill("SIGKILL"), withinMs + AFTER_TERMINATE_MS);
    const report = await this.ended;
    clearTimeout(terminate);
    clearTimeout(kill);
    return report;
  }

  /** What comes from the process makes no sense: nothing more is read. */
  fail(reason: string): void {
    this.failure ??= reason;
    this.child.stdout.destroy();
    this.child.kill("SIGKILL");
  }

  private listen(child: ChildProcessWithoutNullStreams): void {
    child.stdout.on("data", (bytes: Uint8Array) => this.read(bytes));
    // Without its output nothing it does can be seen.
    child.stdout.on("end", () => void setTimeout(() => child.kill("SIGKILL"), SILENT_MS).unref());
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = `${this.stderr}${text}`.slice(-STDERR_CHARACTERS);
    });
    // A pipe that breaks is told by the end of the process.
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      this.failure ??= `Ralph could not be started: ${error.message}`;
      if (child.pid === undefined) this.finish(null, null);
    });
    child.on("exit", (code, signal) => this.finishWhenSilent(code, signal));
    child.on("close", (code, signal) => this.finish(code, signal));
  }

  private finishWhenSilent(code: number | null, signal: string | null): void {
    const seen = this.chunks;
    // Behind the reading of this round: a round that took long would look like silence.
    const check = () => (this.chunks === seen ? this.finish(code, signal) : this.finishWhenSilent(code, signal));
    if (!this.isEnded) setTimeout(() => setImmediate(check), LAST_LINES_MS).unref();
  }

  private read(bytes: Uint8Array): void {
    this.chunks += 1;
    for (const line of this.lines.take(bytes)) {
      if (this.failure !== undefined) return;
      if (line.type === "text") this.options.onLine(line.text);
      else this.fail(line.type === "too-long" ? TOO_LONG : "Ralph sent a line that is not UTF-8.");
    }
  }

  private finish(exitCode: number | null, signal: string | null): void {
    if (this.isEnded) return;
    this.isEnded = true;
    // A launcher may leave the real Ralph behind: without its input it ends, and nothing of it keeps this program alive.
    for (const pipe of [this.child.stdin, this.child.stdout, this.child.stderr]) pipe.destroy();
    const report: ExitReport = { exitCode, signal, stderr: this.stderr };
    const how = signal === null ? `with code ${exitCode}` : `by ${signal}`;
    const said = this.stderr.trim() === "" ? "" : ` It said: ${this.stderr.trim()}`;
    this.options.onEnd(new ProcessExited(`${this.failure ?? `Ralph has ended ${how}.`}${said}`, report));
    this.end.resolve(report);
  }
}
