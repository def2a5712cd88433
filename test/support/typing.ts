import type { ConversationTerminal } from "./conversation-terminal.ts";

// Somebody types while Ralph works: when each key was pressed, and when what it typed was on the screen.

export interface Typing {
  text: string;
  /** Milliseconds from a key to its character on the emulator's screen, in the order of the keys. */
  echoes: number[];
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** A text in which no piece of four characters comes twice, so that a lost or swapped key is seen. */
export function unmistakable(length: number): string {
  return Array.from({ length }, (_, at) =>
    at % 4 === 3 ? LETTERS[Math.floor(at / 4 / 26) % 26] : LETTERS[(at * 7 + Math.floor(at / 4)) % 26],
  ).join("");
}

/** Types a key every `everyMs`, whatever the screen shows meanwhile, and waits until all of it is there. */
export async function typeWatching(
  ralph: ConversationTerminal,
  { text, everyMs }: { text: string; everyMs: number },
): Promise<Typing> {
  const pressedAt: number[] = [];
  const echoes: number[] = [];
  const all = Promise.withResolvers<void>();
  const stop = ralph.onOutput(async () => {
    const shown = shownInput(await ralph.emulator.screen());
    const now = performance.now();
    while (echoes.length < shown.length) echoes.push(now - (pressedAt[echoes.length] ?? now));
    if (echoes.length >= text.length) all.resolve();
  });
  const begun = performance.now();
  for (const [at, key] of [...text].entries()) {
    await Bun.sleep(Math.max(0, begun + at * everyMs - performance.now()));
    pressedAt.push(performance.now());
    ralph.type(key);
  }
  await Promise.race([all.promise, Bun.sleep(PATIENCE_MS)]);
  stop();
  return { text: shownInput(await ralph.emulator.screen()), echoes };
}

const PATIENCE_MS = 10_000;

/** What stands in the input: the rows between the rule and the status. Nothing in the middle of a frame, before they are there. */
export function shownInput(screen: readonly string[]): string {
  const rows = screen.join("\n").trimEnd().split("\n");
  const rule = rows.findLastIndex((row) => /^─+$/.test(row));
  if (rule < 0) return "";
  return rows
    .slice(rule + 1, -1)
    .map((row) => row.slice(2))
    .join("");
}

export function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
