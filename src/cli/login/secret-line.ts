import { dropTypedAhead } from "../../system/typed-ahead.ts";
import { visible } from "../printable.ts";
import { onStopSignal } from "../stop-signals.ts";
import { LONGEST_TYPED, typedAnswer } from "./typed-answer.ts";

/**
 * What the person at the terminal types up to Enter, of which nothing is shown; a paste of several lines comes whole. Undefined
 * where they gave up. Only for a standard input that is a terminal.
 */
export async function askSecretInTerminal(question: string): Promise<string | undefined> {
  const input = process.stdin;
  const answer = Promise.withResolvers<string | undefined>();
  const decoder = new TextDecoder();
  let typed = "";
  const take = (bytes: Buffer) => {
    typed = (typed + decoder.decode(bytes, { stream: true })).slice(0, LONGEST_TYPED);
    const found = typedAnswer(typed);
    if (found !== undefined) answer.resolve(found.text);
  };
  const closed = () => answer.resolve(undefined);
  const stopListening = onStopSignal(closed);
  // Before the question: whoever answers at once must not see the key either.
  input.setRawMode(true);
  input.on("data", take).once("end", closed);
  input.resume();
  process.stderr.write(`${MARK_PASTES}${visible(question)}`);
  try {
    return await answer.promise;
  } finally {
    input.off("data", take).off("end", closed);
    stopListening();
    // The rest of a paste must not become the next command of the shell.
    dropTypedAhead(input.fd);
    input.setRawMode(false);
    input.pause();
    process.stderr.write(`${LEAVE_PASTES}\n`);
  }
}

/** Terminals that know it then say where a paste begins and ends. */
const MARK_PASTES = "\x1b[?2004h";
const LEAVE_PASTES = "\x1b[?2004l";
