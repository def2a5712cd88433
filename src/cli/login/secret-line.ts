import { visible } from "../printable.ts";
import { onStopSignal } from "../stop-signals.ts";

const LONGEST = 16_384;

/**
 * One line from the person at the terminal, of which nothing is shown. Undefined where they gave up. Only for a standard input
 * that is a terminal.
 */
export async function askSecretInTerminal(question: string): Promise<string | undefined> {
  const input = process.stdin;
  const answer = Promise.withResolvers<string | undefined>();
  let text = "";
  const take = (bytes: Buffer) => {
    for (const character of bytes.toString("utf8")) {
      if (character === "\r" || character === "\n") return answer.resolve(text);
      if (GIVES_UP.includes(character)) return answer.resolve(undefined);
      if (ERASES.includes(character)) text = [...text].slice(0, -1).join("");
      else if (character === "\x15") text = "";
      else if (text.length < LONGEST) text += character;
    }
  };
  const closed = () => answer.resolve(undefined);
  const stopListening = onStopSignal(closed);
  // Before the question: whoever answers at once must not see the key either.
  input.setRawMode(true);
  input.on("data", take).once("end", closed);
  input.resume();
  process.stderr.write(visible(question));
  try {
    return withoutSequences(await answer.promise);
  } finally {
    input.off("data", take).off("end", closed);
    stopListening();
    input.setRawMode(false);
    input.pause();
    process.stderr.write("\n");
  }
}

/** Ctrl-C and Ctrl-D. */
const GIVES_UP = ["\x03", "\x04"];
const ERASES = ["\x7f", "\b"];

/** Arrow keys and the marks of a paste are no part of a key. */
function withoutSequences(text: string | undefined): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send these
  return text?.replace(/\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/g, "");
}
