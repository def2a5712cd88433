import { printable } from "../printable.ts";

// Questions between two iterations, for a person who wants to be there.

/** Asked before every iteration until the person has had enough of it. */
export function askBeforeIteration(): () => Promise<"continue" | "quit"> {
  let asks = true;
  return async () => {
    if (!asks) return "continue";
    const answer = await ask("Next iteration? [c]ontinue, [s]kip these questions, [q]uit: ", ["c", "s", "q"]);
    if (answer === "s") asks = false;
    return answer === "q" ? "quit" : "continue";
  };
}

export async function askOnViolation(paths: readonly string[]): Promise<"quit" | "revert" | "continue"> {
  process.stderr.write(
    `Changed outside of the allowed paths:\n${paths.map((path) => `  ${printable(path)}\n`).join("")}`,
  );
  const answer = await ask("[q]uit, [r]evert them, [c]ontinue: ", ["q", "r", "c"]);
  return answer === "r" ? "revert" : answer === "c" ? "continue" : "quit";
}

/** One of the letters; the end of the input means the last resort: quit. */
async function ask(question: string, letters: readonly string[]): Promise<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await new Promise<string | undefined>((resolve) => {
        lines.once("close", () => resolve(undefined));
        lines.once("SIGINT", () => resolve(undefined));
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
