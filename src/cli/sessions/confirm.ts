import { printable } from "../printable.ts";

/** Asks the person at the terminal. True only for a yes. */
export async function confirm(question: string): Promise<boolean> {
  process.stderr.write(printable(`${question} [y/N] `));
  for await (const line of console) return /^y(es)?$/i.test(line.trim());
  return false;
}
