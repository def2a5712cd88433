import { constants } from "node:fs";
import { mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "./clock.ts";
import { logValue } from "./log-value.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes on its own time: a call costs no waiting and never throws. What cannot be written is dropped and counted. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Resolves when everything logged so far is written or dropped. */
  flush(): Promise<void>;
  /** How many lines were dropped. */
  dropped(): number;
}

export interface LogOptions {
  /** Made on the first line. */
  directory: string;
  /** The newest lines are in `<name>.log`, older ones in `<name>.1.log` and so on. */
  name: string;
  maxBytes: number;
  /** How many files there are at most, the newest included. */
  maxFiles: number;
  /** Takes secrets out of every text before it is stored. */
  redact: (text: string) => string;
  clock?: Pick<Clock, "now">;
}

/** Lines that wait for a slow disk; above this they are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

export function createLog(options: LogOptions): Log {
  const { redact, clock = systemClock } = options;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let dropped = 0;
  let reported = 0;

  const writeAll = async () => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      waitingBytes = 0;
      const missing = dropped - reported;
      const notice = missing > 0 ? [format("warn", "Log lines were dropped.", { count: missing })] : [];
      if (await writeLines(options, [...notice, ...lines].join(""))) reported += missing;
      else dropped += lines.length;
    }
    writing = undefined;
  };
  const format = (level: LogLevel, message: string, fields?: LogFields) => {
    const time = new Date(clock.now()).toISOString();
    return `${JSON.stringify({ time, level, message: logValue(message, redact), ...(fields && { fields: logValue(fields, redact) }) })}\n`;
  };
  const write = (level: LogLevel, message: string, fields?: LogFields) => {
    const line = orUndefined(() => format(level, message, fields));
    if (line === undefined || waitingBytes + line.length > MAX_WAITING_BYTES) {
      dropped++;
      return;
    }
    waiting.push(line);
    waitingBytes += line.length;
    writing ??= Promise.resolve().then(writeAll);
  };

  return {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
    flush: async () => writing,
    dropped: () => dropped,
  };
}

/** Objects can be made so that looking at them throws. */
function orUndefined(make: () => string): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Opened anew each time, so that several processes may share the file and rotate it under one another. */
async function writeLines({ directory, name, maxBytes, maxFiles }: LogOptions, text: string): Promise<boolean> {
  const pathOf = (age: number) => join(directory, age === 0 ? `${name}.log` : `${name}.${age}.log`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const size = await sizeOf(pathOf(0));
    if (size > 0 && size + Buffer.byteLength(text) > maxBytes) await rotate(pathOf, maxFiles);
    // Neither a pipe nor a link somebody put there is followed.
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = await open(pathOf(0), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    return true;
  } catch {
    return false;
  }
}

async function rotate(pathOf: (age: number) => string, maxFiles: number): Promise<void> {
  await unlink(pathOf(maxFiles - 1)).catch(() => undefined);
  for (let age = maxFiles - 2; age >= 0; age--) await rename(pathOf(age), pathOf(age + 1)).catch(() => undefined);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
