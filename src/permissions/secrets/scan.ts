import { createHash } from "node:crypto";
import { ASSIGNMENT, isStandIn, KEY_FORMATS, type KeyFormat } from "./key-formats.ts";

// Looks for secrets in a text: keys by the form their makers gave them, and random values that are assigned to names which say
// secret. Pure, and in time that grows with the text.

export interface SecretFinding {
  /** What it is: "GitHub token". */
  kind: string;
  /** Both count from 1. */
  line: number;
  column: number;
  /** Enough to find it, too little to use it: its first and last characters. */
  shown: string;
}

/** More than this in one text is a file of test data or a dump; the first ones say so. */
export const MOST_FINDINGS = 200;

export function scanForSecrets(text: string): SecretFinding[] {
  return located(text, matchesIn(text));
}

/** Those that are not in the text as it was, so that a change answers only for what it adds. */
export function secretsAdded(before: string, after: string): SecretFinding[] {
  return located(after, matchesAdded(before, after));
}

/** The same, each with a text that stands for its value and does not tell it. */
export function fingerprintedSecrets(before: string, after: string): (SecretFinding & { fingerprint: string })[] {
  const matches = matchesAdded(before, after);
  return located(after, matches).map((finding, index) => ({ ...finding, fingerprint: fingerprintOf(matches[index]) }));
}

function matchesAdded(before: string, after: string): Match[] {
  const matches = matchesIn(after);
  return matches.length === 0 || before === "" ? matches : matches.filter(({ value }) => !before.includes(value));
}

const FINGERPRINT_CHARACTERS = 20;

function fingerprintOf(match: Match | undefined): string {
  const text = `ralph secret\0${match?.kind}\0${match?.value}`;
  return createHash("sha256").update(text).digest("hex").slice(0, FINGERPRINT_CHARACTERS);
}

interface Match {
  kind: string;
  at: number;
  value: string;
}

function matchesIn(text: string): Match[] {
  const matches: Match[] = [];
  for (const format of KEY_FORMATS) {
    for (const beginning of format.beginnings) keysIn(text, { format, beginning, matches });
  }
  assignmentsIn(text, matches);
  matches.sort((one, other) => one.at - other.at);
  return withoutOverlaps(matches).slice(0, MOST_FINDINGS);
}

interface Looking {
  format: KeyFormat;
  beginning: string;
  matches: Match[];
}

function keysIn(text: string, { format, beginning, matches }: Looking): void {
  const { name, pattern, entropy = 0, isReal } = format;
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
    if (matches.length >= MOST_FINDINGS) return;
    if (isInWord(text, at)) continue;
    pattern.lastIndex = at;
    const value = pattern.exec(text)?.[0];
    if (value === undefined || isStandIn(value) || isReal?.(value) === false) continue;
    if (entropyOf(value.slice(beginning.length)) >= entropy) matches.push({ kind: name, at, value });
  }
}

function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
}

function assignmentsIn(text: string, matches: Match[]): void {
  for (const { 0: whole, index, groups } of text.matchAll(ASSIGNMENT)) {
    if (matches.length >= MOST_FINDINGS) return;
    const value = groups?.quoted ?? groups?.bare;
    if (value === undefined || !looksRandom(value)) continue;
    matches.push({ kind: "assigned secret", at: index + whole.lastIndexOf(value), value });
  }
}

/** Letters and digits mixed like dice threw them: no word, path, address, version, name of code or date. */
function looksRandom(value: string): boolean {
  if (
    isStandIn(value) ||
    /^\W|process\.env|os\.environ|^[a-z]+:\/\//i.test(value) ||
    /^[\w.-]+[/\\][\w./\\-]*\.\w{1,5}$/.test(value)
  )
    return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  const letters = value.match(/[a-z]/gi)?.length ?? 0;
  if (digits < 2 || letters < 2) return false;
  // In words and names of code letters follow letters; in random text kinds of characters change all the time.
  const changes = value.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[a-zA-Z])/g)?.length ?? 0;
  const least = value.length >= 20 ? 3.5 : 3;
  const isHexadecimal = /^[0-9a-f-]+$/i.test(value);
  return entropyOf(value) >= (isHexadecimal ? 3 : least) && changes / value.length >= 0.2;
}

/** Bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** A key that is assigned is found twice; the first, which names its maker, counts. */
function withoutOverlaps(sorted: readonly Match[]): Match[] {
  const kept: Match[] = [];
  for (const match of sorted) {
    const last = kept.at(-1);
    if (last === undefined || match.at >= last.at + last.value.length) kept.push(match);
    else if (last.kind === "assigned secret" && match.kind !== "assigned secret") kept[kept.length - 1] = match;
  }
  return kept;
}

function located(text: string, matches: readonly Match[]): SecretFinding[] {
  let line = 1;
  let lineStart = 0;
  return matches.map(({ kind, at, value }) => {
    for (let next = text.indexOf("\n", lineStart); next !== -1 && next < at; next = text.indexOf("\n", lineStart)) {
      line++;
      lineStart = next + 1;
    }
    return { kind, line, column: at - lineStart + 1, shown: shortened(value) };
  });
}

const SHOWN_FIRST = 4;
const SHOWN_LAST = 2;

function shortened(value: string): string {
  const [first = ""] = value.split("\n");
  if (first.startsWith("-----BEGIN ")) return `${first.slice(0, first.indexOf("-----", 11) + 5)}…`;
  return `${value.slice(0, SHOWN_FIRST)}…${value.slice(-SHOWN_LAST)}`;
}
