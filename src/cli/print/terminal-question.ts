import { read } from "node:fs";
import { dropTypedAhead } from "../../system/typed-ahead.ts";
import { visible } from "../printable.ts";

const STANDARD_INPUT = 0;

/**
 * Asks the person at the terminal and gives back the line they type then: what was typed before the question was there does not
 * answer it. Undefined when the terminal was closed. Only for a standard input that is a terminal.
 */
export async function askInTerminal(text: string): Promise<string | undefined> {
  dropTypedAhead(STANDARD_INPUT);
  process.stderr.write(visible(text));
  const bytes = Buffer.alloc(4096);
  try {
    const bytesRead = await readInto(bytes);
    if (bytesRead === 0) return undefined;
    // A line and nothing behind it: what was pasted along answers no other question.
    return bytes.toString("utf8", 0, bytesRead).split("\n", 1)[0]?.trim() ?? "";
  } catch {
    return undefined;
  }
}

function readInto(bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    read(STANDARD_INPUT, bytes, 0, bytes.length, null, (error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** True only for a yes. */
export async function confirmInTerminal(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askInTerminal(`${question} [y/N] `)) ?? "");
}
