import { printable } from "../printable.ts";

// Questions between two iterations, for a person who wants to be there.

/** Asked before every iteration until the person has had enough of it. */
export function askBeforeIteration(): (signal: AbortSignal) => Promise<"continue" | "quit"> {
  let asks = true;
  return async (signal) => {
    if (!asks) return "continue";
    const answer = await ask("Next iteration? [c]ontinue, [s]kip these questions, [q]uit: ", ["c", "s", "q"], signal);
    if (answer === "s") asks = false;
    return answer === "q" ? "quit" : "continue";
  };
}

export async function askOnViolation(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<"quit" | "revert" | "continue"> {
  process.stderr.write(
    `Changed outside of the allowed paths:\n${paths.map((path) => `  ${printable(path)}\n`).join("")}`,
  );
  const answer = await ask("[q]uit, [r]evert them, [c]ontinue: ", ["q", "r", "c"], signal);
  return answer === "r" ? "revert" : answer === "c" ? "continue" : "quit";
}

/** One of the letters; the end of the input or the signal means the last resort: quit. */
async function ask(question: string, letters: readonly string[], signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await new Promise<string | undefined>((resolve) => {
        lines.once("close", () => resolve(undefined));
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
        // The terminal is raw while a question stands: Ctrl-C comes as a key and has to become the signal it means.
        lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
        lines.question(question, resolve);
      });
      const letter = answer?.trim().toLowerCase().slice(0, 1);
      if (letter === undefined) return "q";
      if (letters.includes(letter)) return letter;
    }
  } finally {
    lines.close();
  }
}
