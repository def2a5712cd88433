import { sanitiseLine } from "../text/sanitise.ts";
import { type ColourDepth, colourCode } from "./colours.ts";
import type { Line, Style } from "./styled-line.ts";
import { textOf } from "./styled-line.ts";

// A line as bytes for a terminal. This is the last border: whatever a span holds, no control character of it gets out.

export interface PrintOptions {
  depth: ColourDepth;
  /** Whether the terminal knows OSC 8; otherwise the address is left out. */
  hasLinks: boolean;
}

/** The line from a plain state back to a plain state. Line breaks and tabs inside it are shown as spaces. */
export function printLine(given: Line, options: PrintOptions): string {
  let printed = "";
  let codes = "";
  let link = "";
  for (const { text, style } of given) {
    const wanted = codesOf(style, options.depth);
    const target = options.hasLinks && style.link !== undefined ? safeAddress(style.link) : "";
    if (target !== link) printed += `\x1b]8;;${target}\x1b\\`;
    if (wanted !== codes) printed += wanted === "" ? RESET : `\x1b[0;${wanted}m`;
    printed += sanitiseLine(text);
    codes = wanted;
    link = target;
  }
  if (codes !== "") printed += RESET;
  return link === "" ? printed : `${printed}\x1b]8;;\x1b\\`;
}

/** The line for what is no terminal, or reads it aloud. */
export function printPlain(given: Line): string {
  return sanitiseLine(textOf(given)).trimEnd();
}

const RESET = "\x1b[0m";

const ATTRIBUTES: readonly [keyof Style, string][] = [
  ["bold", "1"],
  ["dim", "2"],
  ["italic", "3"],
  ["underline", "4"],
  ["inverse", "7"],
  ["strikethrough", "9"],
];

const known: Record<ColourDepth, WeakMap<Style, string>> = {
  none: new WeakMap(),
  "16": new WeakMap(),
  "256": new WeakMap(),
  true: new WeakMap(),
};

function codesOf(style: Style, depth: ColourDepth): string {
  const cached = known[depth].get(style);
  if (cached !== undefined) return cached;
  let codes = "";
  for (const [name, code] of ATTRIBUTES) if (style[name] === true) codes += `;${code}`;
  if (style.foreground !== undefined) codes += prefixed(colourCode(style.foreground, depth, "foreground"));
  if (style.background !== undefined) codes += prefixed(colourCode(style.background, depth, "background"));
  const joined = codes.slice(1);
  known[depth].set(style, joined);
  return joined;
}

function prefixed(code: string): string {
  return code === "" ? "" : `;${code}`;
}

const MAXIMUM_ADDRESS = 2000;

/** Only addresses a person would follow from a terminal, in the characters OSC 8 allows. Others are shown without a link. */
function safeAddress(link: string): string {
  if (link.length > MAXIMUM_ADDRESS || !/^(https?|mailto|file):/i.test(link)) return "";
  return link.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
