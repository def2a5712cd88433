import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import { EXIT } from "../exit-codes.ts";
import type { ProcessTerminal } from "./terminal.ts";

export interface GivingBack {
  run: InteractiveRun;
  terminal: ProcessTerminal;
  isPlain: boolean;
  /** What was written is on disk. */
  settled(): Promise<void>;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How long the last frame and what was written may take when the process dies. */
const LAST_WORDS_MS = 500;

/**
 * However the process ends, the terminal is usable again before it does, and what was written is kept. A second signal does not
 * wait, but for a second hang-up: a window that is closed sends two. Returns how to stop listening; that tells whether a signal
 * ended the conversation.
 */
export function giveBackOnEnd({ run, terminal, isPlain, settled }: GivingBack): () => boolean {
  let isSignalled = false;
  const stop = (signal: NodeJS.Signals) => {
    // In lines mode Ctrl+C comes as a signal, and means what the key means.
    if (signal === "SIGINT" && isPlain) return run.interrupt();
    if (isSignalled && signal === "SIGHUP") return;
    if (isSignalled) {
      run.abandon();
      process.exit(EXIT.interrupted);
    }
    isSignalled = true;
    run.stop();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const crashed = async (error: unknown) => {
    run.abandon();
    await Promise.race([Promise.all([terminal.drained(), settled()]), Bun.sleep(LAST_WORDS_MS)]);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`ralph: This is a bug in Ralph: ${text}\n`);
    process.exit(EXIT.failed);
  };
  process.on("uncaughtException", crashed);
  process.on("unhandledRejection", crashed);
  return () => {
    for (const signal of SIGNALS) process.off(signal, stop);
    process.off("uncaughtException", crashed);
    process.off("unhandledRejection", crashed);
    return isSignalled;
  };
}
