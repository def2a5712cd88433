import { cellWidth } from "../text/graphemes.ts";

// Text with looks. A line is one row of text before it is fitted to a width; nothing here is ever changed in place.

/** A name of the sixteen, a place in the palette of 256, or a colour as `#rrggbb`. */
export type Colour = ColourName | number | `#${string}`;

export type ColourName = BaseColour | `bright-${BaseColour}`;
type BaseColour = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";

export interface Style {
  readonly foreground?: Colour;
  readonly background?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strikethrough?: boolean;
  /** An address the text leads to, where the terminal knows hyperlinks. */
  readonly link?: string;
}

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];

export const PLAIN: Style = {};
export const EMPTY_LINE: Line = [];

export function span(text: string, style: Style = PLAIN): Span {
  return { text, style };
}

/** A line from spans and plain strings. */
export function line(...parts: (Span | string)[]): Line {
  return parts.map((part) => (typeof part === "string" ? span(part) : part)).filter(({ text }) => text !== "");
}

export function textOf(given: Line): string {
  return given.length === 1 ? (given[0]?.text ?? "") : given.map(({ text }) => text).join("");
}

export function lineWidth(given: Line): number {
  return given.reduce((sum, { text }) => sum + cellWidth(text), 0);
}

/** The part of a line between two offsets of its text. */
export function sliceLine(given: Line, start: number, end: number): Line {
  const parts: Span[] = [];
  let at = 0;
  for (const { text, style } of given) {
    const from = Math.max(0, start - at);
    const to = Math.min(text.length, end - at);
    if (from < to)
      parts.push(from === 0 && to === text.length ? { text, style } : { text: text.slice(from, to), style });
    at += text.length;
    if (at >= end) break;
  }
  return parts;
}

/** The given style under every span: what a span says itself wins. */
export function withStyle(given: Line, style: Style): Line {
  return given.map((part) => ({ text: part.text, style: overlay(style, part.style) }));
}

/** Both styles in one; the second wins. The same two give the same object, so that what is known of it stays known. */
export function overlay(under: Style, over: Style): Style {
  if (under === PLAIN || under === over) return over;
  if (over === PLAIN) return under;
  let known = overlays.get(under);
  if (known === undefined) {
    known = new WeakMap();
    overlays.set(under, known);
  }
  let both = known.get(over);
  if (both === undefined) {
    both = { ...under, ...over };
    known.set(over, both);
  }
  return both;
}

const overlays = new WeakMap<Style, WeakMap<Style, Style>>();

/** Adds however many rows there are; as arguments of one call they may be too many. */
export function appendAll(rows: Line[], more: readonly Line[]): void {
  for (const row of more) rows.push(row);
}

/** Spaces up to the width. A wider line stays as it is. */
export function padLine(given: Line, width: number, style: Style = PLAIN): Line {
  const missing = width - lineWidth(given);
  return missing <= 0 ? given : [...given, span(" ".repeat(missing), style)];
}
