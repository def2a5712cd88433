import { hidesSomething, plainText } from "./fold-name.ts";

// What a path says before anything is looked up. A text that can be read in more than one way is judged in each of them.

export interface PathReading {
  /** As it is used: `~` is expanded, relative where it is. */
  text: string;
  /** How somebody else would read the given text; undefined for the reading the system itself has. */
  how?: string;
}

export type PathText =
  | {
      ok: true;
      readings: [PathReading, ...PathReading[]];
      /** Why it is never taken for a path of the workspace, wherever it leads. */
      doubts: string[];
      /** The same where the workspace is not one of Windows itself. */
      windowsDoubts: string[];
    }
  /** Nothing can be opened under it; what looks like a trick is refused for good. */
  | { ok: false; class: "external" | "protected"; reason: string };

/** The limits of Linux, in bytes. Nothing longer can be opened. */
export const LONGEST_PATH = 4096;
const LONGEST_NAME = 255;

export function readPathText(given: string, home: string | undefined): PathText {
  if (/\p{Cc}/u.test(given)) return { ok: false, class: "protected", reason: "the path holds a control character" };
  if (!given.isWellFormed()) return { ok: false, class: "protected", reason: "the path is not valid Unicode" };
  const problem = problemOf(given);
  if (problem !== undefined) return { ok: false, class: "external", reason: problem };
  const readings: [PathReading, ...PathReading[]] = [{ text: withHome(given, home) }];
  for (const { how, read } of OTHER_READINGS) {
    for (const text of read(given)) {
      const expanded = withHome(text, home);
      if (readings.every((known) => known.text !== expanded)) readings.push({ text: expanded, how });
    }
  }
  const bare = unquoted(plainText(given).trim());
  const fitting = (rows: readonly Doubt[]) =>
    rows.filter(({ fits }) => fits(given) || fits(bare)).map(({ reason }) => reason);
  const doubts = fitting(DOUBTS);
  if (home === undefined && /^~(\/|$)/.test(bare)) doubts.push("it begins at a home folder nobody named");
  return { ok: true, readings, doubts, windowsDoubts: fitting(WINDOWS_DOUBTS) };
}

function problemOf(given: string): string | undefined {
  if (given.trim() === "") return "the path is empty";
  if (Buffer.byteLength(given) > LONGEST_PATH) return `the path is longer than ${LONGEST_PATH} bytes`;
  if (given.split("/").some((name) => Buffer.byteLength(name) > LONGEST_NAME))
    return `the path has a name of more than ${LONGEST_NAME} bytes`;
  return undefined;
}

const OTHER_READINGS: { how: string; read: (given: string) => string[] }[] = [
  { how: "with backslashes between its names", read: (given) => [slashed(given)] },
  {
    how: "without quotes, blanks and characters that look like others",
    read: (given) => [slashed(unquoted(plainText(given).trim()))],
  },
  { how: "as an address of a file", read: fileAddress },
];

function slashed(text: string): string {
  return text.replaceAll("\\", "/");
}

function unquoted(text: string): string {
  return /^(?<quote>["'`])(?<inner>.*)\k<quote>$/s.exec(text)?.groups?.inner?.trim() ?? text;
}

/** Percent signs mean something in an address only, and only to those who decode them. */
function fileAddress(given: string): string[] {
  const match = /^\s*file:(?:\/\/(?:localhost)?(?=\/))?(?<path>.*)$/is.exec(plainText(given));
  const path = match?.groups?.path;
  if (path === undefined || path === "") return [];
  const slashes = slashed(path);
  return [slashes, decoded(slashes)];
}

function decoded(text: string): string {
  try {
    return slashed(decodeURIComponent(text));
  } catch {
    return text;
  }
}

interface Doubt {
  reason: string;
  fits: (text: string) => boolean;
}

const DOUBTS: Doubt[] = [
  { reason: "it hides characters that cannot be seen", fits: hidesSomething },
  { reason: "~name is the home of another person", fits: (text) => /^~[^/\\]/.test(text) && !/^~[$#]/.test(text) },
  { reason: "it is an address, not a path", fits: isForeignAddress },
  {
    reason: "it begins with a variable",
    fits: (text) => /^(\$\{?[A-Z_][A-Z0-9_]*\}?|%[A-Z_][A-Z0-9_()]*%)([/\\]|$)/i.test(text) && /[A-Z]{2}/.test(text),
  },
  { reason: "it holds a name that looks like ..", fits: (text) => text.split(/[/\\]/).some(looksLikeUp) },
];

const WINDOWS_DOUBTS: Doubt[] = [
  { reason: "it names a drive", fits: (text) => /^[a-z]:/i.test(text) },
  {
    reason: "it names a network share or a device of Windows",
    fits: (text) => /^(\\\\|\\\?\?\\|\/\/[?.]\/)/.test(text),
  },
  { reason: "it names a stream of a file", fits: (text) => /:\$[a-z0-9_]+([/\\:]|$)/i.test(text) },
];

function isForeignAddress(text: string): boolean {
  if (/^file:/i.test(text)) return /^file:\/\/(?!localhost\/)[^/]/i.test(text) || /%(2f|5c|00)/i.test(text);
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

function looksLikeUp(name: string): boolean {
  if (name === ".." || name === ".") return false;
  const plain = plainText(name).trim();
  return plain === ".." || (plain === "." && name !== plain);
}

/** Only `~` itself is known; `~name` would need the list of people. */
function withHome(text: string, home: string | undefined): string {
  if (home === undefined || !/^~(\/|$)/.test(text)) return text;
  return `${home}/${text.slice(1)}`;
}
