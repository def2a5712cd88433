import { decodeEntities } from "./html-entities.ts";

export type HtmlToken =
  | { type: "text"; text: string }
  /** Names in lower case. Only attributes somebody reads are kept. */
  | { type: "open"; name: string; attributes: Record<string, string>; isSelfClosing: boolean }
  | { type: "close"; name: string };

/** Their content is text until their own closing tag. */
const RAW = new Set(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"]);
const KEPT_ATTRIBUTES = new Set(["href", "src", "alt", "class"]);

/**
 * Reads any text as HTML, in one pass, the way browsers do, with one exception: a quote that is never closed does not swallow the
 * rest of the page; tags then end at the next `>`.
 */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let position = 0;
  let quotesCount = true;
  while (position < html.length) {
    const start = nextMarkup(html, position);
    if (start > position) yield { type: "text", text: decodeEntities(html.slice(position, start), "text") };
    if (start === html.length) return;
    const kind = html.charAt(start + 1);
    if (kind === "!" || kind === "?") {
      position = endOfDeclaration(html, start);
      continue;
    }
    const tag: ReadTag | undefined = (quotesCount ? readTag(html, start) : undefined) ?? readPlainTag(html, start);
    if (tag === undefined) return;
    quotesCount &&= tag.isWhole;
    yield tag.token;
    position = tag.end;
    if (tag.token.type !== "open" || !RAW.has(tag.token.name)) continue;
    const raw = readRaw(html, position, tag.token.name);
    if (raw.text !== "") yield { type: "text", text: raw.text };
    position = raw.end;
  }
}

/** Where a tag, comment or declaration begins; a lone `<` is text. */
function nextMarkup(html: string, from: number): number {
  const pattern = /<(?=[A-Za-z!?]|\/[A-Za-z])/g;
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function endOfDeclaration(html: string, start: number): number {
  const isComment = html.startsWith("<!--", start);
  const end = html.indexOf(isComment ? "-->" : ">", isComment ? start + 2 : start);
  if (end === -1) return html.length;
  return end + (isComment ? 3 : 1);
}

interface ReadTag {
  token: HtmlToken;
  end: number;
  isWhole: boolean;
}

/** Undefined when the text ends inside the tag. */
function readTag(html: string, start: number): ReadTag | undefined {
  const nameStart = html.charAt(start + 1) === "/" ? start + 2 : start + 1;
  const nameEnd = endOfRun(html, nameStart, TAG_NAME);
  const attributes: Record<string, string> = {};
  let position = nameEnd;
  while (true) {
    position = endOfRun(html, position, BETWEEN_ATTRIBUTES);
    if (position >= html.length) return undefined;
    if (html.charAt(position) === ">") break;
    const attribute = readAttribute(html, position);
    if (attribute === undefined) return undefined;
    if (KEPT_ATTRIBUTES.has(attribute.name) && !Object.hasOwn(attributes, attribute.name))
      attributes[attribute.name] = decodeEntities(attribute.value, "attribute");
    position = attribute.end;
  }
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  const isSelfClosing = html.charAt(position - 1) === "/";
  const token: HtmlToken =
    nameStart === start + 2 ? { type: "close", name } : { type: "open", name, attributes, isSelfClosing };
  return { token, end: position + 1, isWhole: true };
}

/** The tag up to the next `>`, whatever quotes it has. */
function readPlainTag(html: string, start: number): ReadTag | undefined {
  const end = html.indexOf(">", start);
  const inner = end === -1 ? undefined : readTag(html.slice(start, end).replace(/["']/g, " ").concat(">"), 0);
  return inner === undefined ? undefined : { token: inner.token, end: end + 1, isWhole: false };
}

const TAG_NAME = /[^\s/>]*/y;
const BETWEEN_ATTRIBUTES = /[\s/]*/y;
const ATTRIBUTE_NAME = /=?[^\s/>=]*/y;
const SPACES = /\s*/y;
const PLAIN_VALUE = /[^\s>]*/y;

function readAttribute(html: string, start: number): { name: string; value: string; end: number } | undefined {
  const nameEnd = endOfRun(html, start, ATTRIBUTE_NAME);
  const name = html.slice(start, nameEnd).toLowerCase();
  const equals = endOfRun(html, nameEnd, SPACES);
  if (html.charAt(equals) !== "=") return { name, value: "", end: nameEnd };
  const valueStart = endOfRun(html, equals + 1, SPACES);
  const quote = html.charAt(valueStart);
  if (quote !== '"' && quote !== "'") {
    const end = endOfRun(html, valueStart, PLAIN_VALUE);
    return { name, value: html.slice(valueStart, end), end };
  }
  const end = html.indexOf(quote, valueStart + 1);
  return end === -1 ? undefined : { name, value: html.slice(valueStart + 1, end), end: end + 1 };
}

function endOfRun(html: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(html)?.[0].length ?? 0);
}

function readRaw(html: string, from: number, name: string): { text: string; end: number } {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  closing.lastIndex = from;
  const end = closing.exec(html)?.index ?? html.length;
  const text = html.slice(from, end);
  return { text: name === "textarea" || name === "title" ? decodeEntities(text, "text") : text, end };
}
