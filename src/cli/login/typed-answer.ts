/** No answer is longer; what comes up to here is taken for one. */
export const LONGEST_TYPED = 16_384;

/** `text` is undefined where they gave up. */
export interface TypedAnswer {
  text: string | undefined;
}

/**
 * The answer in everything a terminal sent so far; undefined where more has to come. Enter ends it, but not in a paste: its lines
 * belong together. Where the terminal does not mark pastes, what came with the Enter and behind it does.
 */
export function typedAnswer(typed: string): TypedAnswer | undefined {
  const keys = typed.match(KEYS) ?? [];
  let text: string[] = [];
  let isPasting = false;
  for (const [at, key] of keys.entries()) {
    if (key === PASTE_BEGINS || key === PASTE_ENDS) isPasting = key === PASTE_BEGINS;
    else if (key.startsWith("\x1b")) continue;
    else if (ENTER.includes(key) && !isPasting) return { text: [...text, ...behind(keys.slice(at))].join("") };
    else if (GIVES_UP.includes(key)) return { text: undefined };
    else if (ERASES.includes(key)) text = text.slice(0, -1);
    else if (key === ERASES_ALL) text = [];
    else text.push(key);
  }
  return typed.length < LONGEST_TYPED ? undefined : { text: text.join("") };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send these
const KEYS = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?|./gsu;
const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";
const ENTER = ["\r", "\n"];
/** Ctrl-C and Ctrl-D. */
const GIVES_UP = ["\x03", "\x04"];
const ERASES = ["\x7f", "\b"];
const ERASES_ALL = "\x15";

/** Arrow keys and the like are no part of an answer, and an Enter more changes nothing. */
function behind(keys: readonly string[]): string[] {
  const more = keys.filter((key) => !key.startsWith("\x1b"));
  return more.every((key) => key.trim() === "") ? [] : more;
}
