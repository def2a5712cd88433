// What a person is asked to allow, to its last character: what cannot be seen is named, and no control sequence is dropped
// silently.

/** One line of what somebody else wrote. Long runs of blanks push what follows out of sight: they are counted. */
export function makeVisible(line: string): string {
  return line.replace(/[^\S\t\n]{9,}/g, (blanks) => ` [${blanks.length} blanks] `).replace(INVISIBLE, nameOf);
}

/** The same for a text of several lines that has to stand in one. */
export function makeVisibleInOneLine(text: string): string {
  return makeVisible(text.replace(/\r?\n/g, "⏎"));
}

const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function nameOf(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}
