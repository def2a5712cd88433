import { ID_ALPHABET } from "../session-name.ts";

// The ids of entries as numbers: eight characters of an alphabet of 32 are 40 bits, which a number holds exactly. Any other
// id gets a negative number of its own.

/** The key of no entry. */
export const NO_KEY = -1;
/** The parent of the first entry. */
export const ROOT_KEY = -2;

const FIRST_OTHER = -3;
export const ENTRY_ID_LENGTH = 8;
const HALF = 4;
const BITS = 5;
const HALF_SIZE = 2 ** (HALF * BITS);

const DIGITS = new Int8Array(256).fill(NO_KEY);
for (const [digit, character] of [...ID_ALPHABET].entries()) DIGITS[character.charCodeAt(0)] = digit;

/** The key of the id whose eight bytes stand here; NO_KEY when they are not of the alphabet. */
export function keyAt(bytes: Uint8Array, place: number): number {
  const high = halfAt(bytes, place);
  const low = halfAt(bytes, place + HALF);
  return high < 0 || low < 0 ? NO_KEY : high * HALF_SIZE + low;
}

/** Below 0 when a byte is not of the alphabet. */
function halfAt(bytes: Uint8Array, place: number): number {
  const first = DIGITS[bytes[place] ?? 0] ?? NO_KEY;
  const second = DIGITS[bytes[place + 1] ?? 0] ?? NO_KEY;
  const third = DIGITS[bytes[place + 2] ?? 0] ?? NO_KEY;
  const fourth = DIGITS[bytes[place + 3] ?? 0] ?? NO_KEY;
  return (first | second | third | fourth) < 0 ? NO_KEY : (first << 15) | (second << 10) | (third << 5) | fourth;
}

/** The same for an id as text. */
function keyOfText(id: string): number {
  if (id.length !== ENTRY_ID_LENGTH) return NO_KEY;
  let key = 0;
  for (let place = 0; place < ENTRY_ID_LENGTH; place++) {
    const digit = DIGITS[id.charCodeAt(place)] ?? NO_KEY;
    if (digit === NO_KEY) return NO_KEY;
    key = key * ID_ALPHABET.length + digit;
  }
  return key;
}

function textOfHalf(half: number): string {
  const at = (bits: number) => ID_ALPHABET.charCodeAt((half >> bits) & (ID_ALPHABET.length - 1));
  return String.fromCharCode(at(15), at(10), at(5), at(0));
}

/** The keys of one session. */
export class EntryKeys {
  private readonly others: string[] = [];
  private readonly otherKeys = new Map<string, number>();

  /** NO_KEY for an id that is not known and cannot be one of ours. */
  find(id: string): number {
    const key = keyOfText(id);
    return key === NO_KEY ? (this.otherKeys.get(id) ?? NO_KEY) : key;
  }

  keyOf(id: string | null): number {
    if (id === null) return ROOT_KEY;
    const known = this.find(id);
    if (known !== NO_KEY) return known;
    const key = FIRST_OTHER - this.others.length;
    this.others.push(id);
    this.otherKeys.set(id, key);
    return key;
  }

  idOf(key: number): string {
    if (key <= FIRST_OTHER) return this.others[FIRST_OTHER - key] ?? "";
    const high = Math.floor(key / HALF_SIZE);
    return textOfHalf(high) + textOfHalf(key - high * HALF_SIZE);
  }

  parentIdOf(key: number): string | null {
    return key === ROOT_KEY ? null : this.idOf(key);
  }
}
