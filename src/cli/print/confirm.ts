import type { AskDraft } from "../../protocol/tool-runs.ts";
import { printable } from "../printable.ts";

/** Asks the person at the terminal, one question after the other; undefined where nobody sits there. */
export function confirmInTerminal(): (ask: AskDraft) => Promise<boolean | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  return async (ask) => {
    if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
    const answer = last.then(() => question(`Allow: ${ask.summary}? [y/N] `));
    last = answer;
    return answer;
  };
}

async function question(text: string): Promise<boolean> {
  process.stderr.write(printable(text));
  for await (const line of console) return /^y(es)?$/i.test(line.trim());
  return false;
}
