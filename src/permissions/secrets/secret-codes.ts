// What stands in a text instead of a secret. Everything is derived from a key, so that the same secret gives the same bytes over a
// whole session and after it is resumed. Only twenty bits of a secret's digest ever leave: too few to test guesses with.

const CODE_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const MASK_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CODE_LENGTH = 4;

export function placeholder(code: string): string {
  return `#${code}#`;
}

/** The code of a value; the next one where it is taken. */
export function codeFor(key: string, value: string, isTaken: (code: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const code = codeAt(key, value, attempt);
    if (!isTaken(code)) return code;
  }
}

function codeAt(key: string, value: string, attempt: number): string {
  let number = digest(key, `${attempt}\n${value}`).readUInt32BE(0) % CODE_CHARACTERS.length ** CODE_LENGTH;
  let code = "";
  for (let place = 0; place < CODE_LENGTH; place++) {
    code += CODE_CHARACTERS[number % CODE_CHARACTERS.length];
    number = Math.floor(number / CODE_CHARACTERS.length);
  }
  return code;
}

/** As many characters as the value has, none of which tell anything about it. */
export function maskFor(key: string, value: string): string {
  const seed = codeAt(key, value, 0);
  let mask = "";
  for (let block = 0; mask.length < value.length; block++) {
    for (const byte of digest(key, `mask ${block}\n${seed}`)) mask += MASK_CHARACTERS[byte % MASK_CHARACTERS.length];
  }
  return mask.slice(0, value.length);
}

function digest(key: string, text: string): Buffer {
  return new Bun.CryptoHasher("sha256", key).update(text).digest();
}
