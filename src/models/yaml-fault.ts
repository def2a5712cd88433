import { type Position, positionAt } from "./yaml-positions.ts";
import { scanYaml } from "./yaml-tree.ts";

// Finds the line of a syntax error with a parser that only says yes or no: the first line after the longest beginning of
// the text that parses once its open brackets are closed.

export interface Fault extends Position {
  /** The bracket that is never closed, where that is the fault. */
  unclosed?: "{" | "[";
}

/** How many lines a quoted or folded value may span before its first line counts as the fault. */
const LONGEST_VALUE = 50;

export function findFault(text: string, parses: (text: string) => boolean): Fault {
  const ends = lineEnds(text);
  const good = (lines: number) => lines === 0 || parses(closed(text.slice(0, ends[lines - 1])));
  const last = lastGood(good, ends.length);
  if (last < ends.length) return { line: last + 1, column: firstColumn(text, ends[last - 1] ?? 0) };
  return unclosedBracket(text) ?? { line: ends.length, column: 1 };
}

function lastGood(good: (lines: number) => boolean, total: number): number {
  let last = 0;
  for (;;) {
    const next = searchLastGood(good, { from: last, total });
    const further = firstGoodAfter(good, { from: next, total });
    if (further === undefined) return next;
    last = further;
  }
}

/** Halving is right as long as a text that is broken stays broken; `firstGoodAfter` makes up for where it does not. */
function searchLastGood(good: (lines: number) => boolean, range: { from: number; total: number }): number {
  let [low, high] = [range.from, range.total + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (good(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function firstGoodAfter(good: (lines: number) => boolean, range: { from: number; total: number }): number | undefined {
  const limit = Math.min(range.total, range.from + LONGEST_VALUE);
  for (let lines = range.from + 1; lines <= limit; lines++) if (good(lines)) return lines;
  return undefined;
}

function closed(beginning: string): string {
  const { scan } = scanYaml(beginning);
  const closers = scan.open.map(({ closer }) => closer).reverse();
  return `${beginning}${scan.openQuote ?? ""}${closers.join("")}`;
}

function unclosedBracket(text: string): Fault | undefined {
  const innermost = scanYaml(text).scan.open.at(-1);
  if (innermost === undefined) return undefined;
  return { ...positionAt(text, innermost.at), unclosed: innermost.closer === "}" ? "{" : "[" };
}

function lineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) ends.push(end + 1);
  if (ends.at(-1) !== text.length) ends.push(text.length);
  return ends;
}

function firstColumn(text: string, lineStart: number): number {
  return 1 + (/^[ \t]*/.exec(text.slice(lineStart, lineStart + 1000))?.[0].length ?? 0);
}
