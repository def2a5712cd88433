import type { Secret } from "./secret.ts";
import { PATTERN_WINDOW } from "./secret-pattern.ts";

// Where secrets stand in a text.

/** How the text of a span is hidden. */
export type Hiding = Pick<Secret, "mode" | "replacement">;

export interface Span {
  from: number;
  to: number;
  hiding: Hiding;
}

/** Finds known texts in time that grows with the text, however many there are. */
export interface TextFinder {
  add(text: string, hiding: Hiding): void;
  spansIn(text: string): Span[];
}

/** Texts are looked up by their first characters, and shorter ones are not possible. */
export const SHORTEST_FOUND = 4;
const FILTER_BITS = 0xffff;

export function createTextFinder(): TextFinder {
  const filter = new Uint8Array(FILTER_BITS + 1);
  const byBeginning = new Map<string, Alike>();
  return {
    add(text, hiding) {
      if (text.length < SHORTEST_FOUND) return;
      filter[slot(text, 0)] = 1;
      const beginning = text.slice(0, SHORTEST_FOUND);
      const alike: Alike = byBeginning.get(beginning) ?? { lengths: [], texts: new Map() };
      byBeginning.set(beginning, alike);
      alike.texts.set(text, hiding);
      if (alike.lengths.includes(text.length)) return;
      alike.lengths = [...alike.lengths, text.length].sort((one, other) => other - one);
    },
    spansIn(text) {
      const spans: Span[] = [];
      if (byBeginning.size === 0) return spans;
      for (let from = 0; from + SHORTEST_FOUND <= text.length; from++) {
        if (filter[slot(text, from)] === 0) continue;
        const alike = byBeginning.get(text.slice(from, from + SHORTEST_FOUND));
        const found = alike && longestAt(text, from, alike);
        if (found !== undefined) spans.push(found);
      }
      return spans;
    },
  };
}

/** Texts that begin with the same characters. */
interface Alike {
  /** The largest first. */
  lengths: number[];
  texts: Map<string, Hiding>;
}

function longestAt(text: string, from: number, { lengths, texts }: Alike): Span | undefined {
  for (const length of lengths) {
    const to = from + length;
    const hiding = to <= text.length ? texts.get(text.slice(from, to)) : undefined;
    if (hiding !== undefined) return { from, to, hiding };
  }
  return undefined;
}

function slot(text: string, at: number): number {
  return (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1) * 7919 + text.charCodeAt(at + 2) * 104_729) & FILTER_BITS;
}

/**
 * What expressions find. They see windows that overlap by half, so a match of up to half a window is found wherever it stands,
 * and no text makes an expression look at more than a window.
 */
export function patternSpans(text: string, { pattern, mode, replacement }: Extract<Secret, { type: "regex" }>): Span[] {
  const hiding = replacement === undefined ? { mode } : { mode, replacement };
  const spans: Span[] = [];
  for (let start = 0; start === 0 || start + PATTERN_WINDOW / 2 < text.length; start += PATTERN_WINDOW / 2) {
    const window = text.slice(start, start + PATTERN_WINDOW);
    for (const found of window.matchAll(pattern)) {
      const from = start + found.index;
      if (found[0] !== "") spans.push({ from, to: from + found[0].length, hiding });
    }
  }
  return spans;
}

/** Spans that overlap become one, so that no end of a secret stays behind. The longest decides how it is hidden. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((one, other) => one.from - other.from || other.to - one.to);
  const merged: (Span & { longest: number })[] = [];
  for (const { from, to, hiding } of sorted) {
    const last = merged.at(-1);
    if (last === undefined || from >= last.to) {
      merged.push({ from, to, hiding, longest: to - from });
      continue;
    }
    last.to = Math.max(last.to, to);
    if (to - from > last.longest) Object.assign(last, { hiding, longest: to - from });
  }
  return merged.map(({ from, to, hiding }) => ({ from, to, hiding }));
}
