import { placeholder } from "./secret-codes.ts";

// Placeholders in a text, and texts that only look like them. `#CODE#` stands for a secret. Where a text has `#CODE` of its own,
// one `=` is put behind its `#` (`#=CODE`, and `#==CODE` for that), so that every text comes back as it was.

/** The value a code stands for; undefined for a code that stands for nothing. */
export type LookUp = (code: string) => string | undefined;

const LOOKS_LIKE_CODE = /#(?<signs>=*)(?<code>[A-Z0-9]{4})/g;

/** `seen` hears of every code that stands in the text without being one. */
export function escapePlaceholders(
  text: string,
  isCode: (code: string) => boolean,
  seen: (code: string) => void,
): string {
  if (!text.includes("#")) return text;
  return text.replace(LOOKS_LIKE_CODE, (found: string, signs: string, code: string) => {
    if (isCode(code)) return `#=${signs}${code}`;
    seen(code);
    return found;
  });
}

/** `write` says how a value stands in this kind of text, for example inside a JSON string. */
export function restorePlaceholders(text: string, lookUp: LookUp, write: (value: string) => string): string {
  return text.includes("#") ? restoreUntil(text, { lookUp, write, isWhole: true }).text : text;
}

/** Restores a text that comes in pieces. A placeholder cut between pieces is held back until it is whole. */
export interface StreamRestorer {
  push(piece: string): string;
  /** What was held back, when nothing more comes. */
  flush(): string;
}

export function createStreamRestorer(lookUp: LookUp, write: (value: string) => string): StreamRestorer {
  let held = "";
  return {
    push(piece) {
      const restored = restoreUntil(held + piece, { lookUp, write, isWhole: false });
      held = restored.rest;
      return restored.text;
    },
    flush() {
      const { text } = restoreUntil(held, { lookUp, write, isWhole: true });
      held = "";
      return text;
    },
  };
}

interface Restoring {
  lookUp: LookUp;
  write: (value: string) => string;
  /** Nothing follows the text. */
  isWhole: boolean;
}

const BEGINNING = /#(?<signs>=*)(?<code>[A-Z0-9]{0,4})/y;
const CODE_LENGTH = 4;
/** More than this is not held back: nobody writes so many signs. */
const MOST_HELD = 256;

function restoreUntil(text: string, { lookUp, write, isWhole }: Restoring): { text: string; rest: string } {
  let result = "";
  let done = 0;
  for (let at = text.indexOf("#"); at !== -1; at = text.indexOf("#", Math.max(done, at + 1))) {
    BEGINNING.lastIndex = at;
    const { signs = "", code = "" } = BEGINNING.exec(text)?.groups ?? {};
    const end = at + 1 + signs.length + code.length;
    if (end === text.length && !isWhole && end - at < MOST_HELD)
      return { text: result + text.slice(done, at), rest: text.slice(at) };
    const value = code.length === CODE_LENGTH ? lookUp(code) : undefined;
    if (value === undefined) continue;
    if (signs !== "") {
      result += `${text.slice(done, at)}#${signs.slice(1)}${code}`;
      done = end;
    } else if (text[end] === "#") {
      result += text.slice(done, at) + write(value);
      done = at + placeholder(code).length;
    }
  }
  return { text: result + text.slice(done), rest: "" };
}
