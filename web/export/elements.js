// How everything on the page is made: elements from fixed names, texts as text nodes. No text is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** `children` are nodes or texts; undefined ones are left out. */
export function make(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function makeSvg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  for (const child of children.flat()) if (child !== undefined) element.append(child);
  return element;
}

/** Characters nobody sees, or that turn the order of others around, as something that can be seen. */
export function visible(text) {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function oneLine(text, longest) {
  const line = visible(text.slice(0, 4 * longest).replace(/\s+/g, " ")).trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

const LONGEST_SHOWN = 20_000;

/** A text as it is. Of a long one the beginning, and a button for the rest. */
export function plainText(text, attributes = { class: "plain" }) {
  const block = make("pre", { dir: "auto", ...attributes }, visible(text.slice(0, LONGEST_SHOWN)));
  if (text.length <= LONGEST_SHOWN) return block;
  const button = make("button", { type: "button", class: "more" }, `Show all ${number(text.length)} characters`);
  const both = make("div", { class: "long" }, block, button);
  button.addEventListener("click", () => {
    block.textContent = visible(text);
    button.remove();
  });
  return both;
}

// Making a format takes far longer than using it.
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

export function number(value) {
  return WHOLE.format(value);
}

export function shortNumber(value) {
  return COMPACT.format(value);
}

export function dollars(value) {
  return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
}

export function dayAndTime(text) {
  return formatted(DAY_AND_TIME, text);
}

export function timeOfDay(text) {
  return formatted(TIME, text);
}

/** The text as it came, where it is no time. */
function formatted(format, text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? visible(text) : format.format(time);
}
