import type { RunContext } from "../../run-context.ts";

const HELPER_MS = 10_000;

/** A bell, a notification of the terminal, and the program of `notify.command`. */
export function notify(context: RunContext, text: string, write: (sequence: string) => void): void {
  const plain = text.replaceAll(/\p{Cc}/gu, " ");
  write("\x07");
  if (isKnownToNotify(context.environment)) write(`\x1b]9;Ralph: ${plain}\x07`);
  const command = context.settings.values["notify.command"];
  if (command !== undefined) void run(context, [...command, plain]);
}

/** Others would print the sequence, or take it for something else. */
function isKnownToNotify({ TERM = "", TERM_PROGRAM = "", WT_SESSION }: RunContext["environment"]): boolean {
  return (
    /kitty|ghostty|foot/.test(TERM) || /^(iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || WT_SESSION !== undefined
  );
}

async function run({ cwd, environment }: RunContext, argv: readonly string[]): Promise<void> {
  const { runProcess } = await import("../../../system/run-process.ts");
  await runProcess({ argv, cwd, environment, deadlineMs: HELPER_MS }).result;
}
