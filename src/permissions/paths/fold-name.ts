// Names as file systems may confuse them. Two names that fold to the same text are taken for the same file.

/**
 * Case, width and composition are levelled, what cannot be seen is dropped, and so are an alternate data stream and the dots
 * and blanks Windows ignores at the end.
 */
export function foldName(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  const value = withoutTail(levelled(name));
  if (folded.size >= MOST_REMEMBERED) folded.clear();
  folded.set(name, value);
  return value;
}

const MOST_REMEMBERED = 5000;
const folded = new Map<string, string>();

function levelled(name: string): string {
  if (PLAIN.test(name)) return name;
  // Down, up and down again: some letters have one capital in common and no small letter, and the capital sharp s is a small one first.
  const plain = withoutInvisible(name.normalize("NFKC"));
  return plain.toLowerCase().toUpperCase().toLowerCase().replaceAll("i\u0307", "i");
}

const PLAIN = /^[a-z0-9._-]*$/;

function withoutTail(name: string): string {
  const stream = name.indexOf(":");
  const base = stream > 0 ? name.slice(0, stream) : name;
  const short = base.replace(/[. ]+$/, "");
  return short === "" ? base : short;
}

/** Width and look-alike separators levelled, what cannot be seen dropped: what a careless reader would take the text for. */
export function plainText(text: string): string {
  return withoutInvisible(text.normalize("NFKC"))
    .replace(/[\u2044\u2215\u29f8\u2571]/g, "/")
    .replace(/[\u2216\u29f5\u29f9\u2572]/g, "\\");
}

/** Characters that are drawn as nothing or turn the text around. Joiners between letters of a script that needs them are not meant. */
export function hidesSomething(text: string): boolean {
  return HIDDEN.test(text.replace(JOINED, ""));
}

const HIDDEN =
  /\p{Bidi_Control}|\u034f|[\u00ad\u115f\u1160\u180e\u200b-\u200f\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/u;
const JOINED = /(?<=[^\p{ASCII}])[\u200c\u200d](?=[^\p{ASCII}])/gu;

function withoutInvisible(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}

/** What a short name such as `GIT~1` was made from, as far as it says; undefined for other names. */
export function shortNameBase(name: string): string | undefined {
  return /^(?<base>[^.~]{1,6})~\d{1,6}(\.[^.]{0,3})?$/u.exec(foldName(name))?.groups?.base;
}

/** How the short name of `name` begins: at most six letters, no dots or blanks. Both are given folded. */
export function shortBaseOf(name: string): string {
  const bare = name.replace(/^\.+/, "");
  const dot = bare.lastIndexOf(".");
  return (dot > 0 ? bare.slice(0, dot) : bare).replace(/[. ]/g, "").slice(0, 6);
}
