import { type HtmlToken, htmlTokens } from "./html-tokens.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

export interface ConvertOptions {
  /** Links are made whole against this address. */
  base: string;
  /** Reading ends soon after so much was written. */
  maxCharacters: number;
}

/** The words of a page. Total: any text gives a result, in time proportional to its length. */
export function htmlToMarkdown(html: string, options: ConvertOptions): { markdown: string; title: string } {
  const page: Page = {
    writer: new MarkdownWriter(),
    base: options.base,
    title: "",
    skipped: undefined,
    capture: undefined,
  };
  for (const token of htmlTokens(html)) {
    if (page.writer.length > options.maxCharacters) break;
    read(page, token);
  }
  if (page.capture !== undefined) endCapture(page);
  return { markdown: page.writer.finish(), title: page.title };
}

interface Page {
  writer: MarkdownWriter;
  base: string;
  title: string;
  /** The element whose whole content is left out, and how often it is open. */
  skipped: { name: string; depth: number } | undefined;
  /** An element whose text is taken as it stands. */
  capture: { name: string; text: string[]; language: string } | undefined;
}

type OpenTag = Extract<HtmlToken, { type: "open" }>;

const SKIPPED = new Set(
  "script style template noscript iframe noembed noframes svg math object canvas audio video select textarea".split(
    " ",
  ),
);
const CAPTURED = new Set(["pre", "code", "kbd", "samp", "xmp", "title"]);
const PARAGRAPHS = new Set(
  "p div section article main header footer nav aside figure form fieldset address details dl hgroup body".split(" "),
);
const LINES = new Set("br dt dd figcaption summary option legend caption label".split(" "));

function read(page: Page, token: HtmlToken): void {
  if (page.skipped !== undefined) return readSkipped(page, token);
  if (page.capture !== undefined) return readCaptured(page, token);
  if (token.type === "text") return page.writer.words(token.text);
  if (token.type === "close") return closeElement(page, token.name);
  if (SKIPPED.has(token.name)) {
    if (!token.isSelfClosing) page.skipped = { name: token.name, depth: 1 };
    return;
  }
  if (CAPTURED.has(token.name)) page.capture = { name: token.name, text: [], language: languageOf(token) };
  else openElement(page, token);
}

function readSkipped(page: Page, token: HtmlToken): void {
  if (page.skipped === undefined || token.type === "text" || token.name !== page.skipped.name) return;
  if (token.type === "close") page.skipped.depth -= 1;
  else if (!token.isSelfClosing) page.skipped.depth += 1;
  if (page.skipped.depth === 0) page.skipped = undefined;
}

/** Inline code that is never closed ends with its paragraph. */
function readCaptured(page: Page, token: HtmlToken): void {
  const { capture } = page;
  if (capture === undefined) return;
  if (token.type === "text") {
    capture.text.push(token.text);
    return;
  }
  if (token.type === "open" && token.name === "br") capture.text.push("\n");
  if (token.type === "open" && token.name === "code" && capture.language === "") capture.language = languageOf(token);
  const isEnd = token.type === "close" && token.name === capture.name;
  const isLost = capture.name !== "pre" && (PARAGRAPHS.has(token.name) || token.name === "li");
  if (isEnd || isLost) endCapture(page);
  if (isLost) read(page, token);
}

function endCapture(page: Page): void {
  const { capture, writer } = page;
  if (capture === undefined) return;
  const text = capture.text.join("");
  page.capture = undefined;
  if (capture.name === "title") page.title ||= text.replace(/\s+/g, " ").trim();
  else if (capture.name === "pre" || capture.name === "xmp") writer.codeBlock(text, capture.language);
  else {
    if (/^\s/.test(text)) writer.words(" ");
    writer.code(text);
    if (/\s$/.test(text)) writer.words(" ");
  }
}

function openElement({ writer, base }: Page, { name, attributes }: OpenTag): void {
  const heading = headingLevel(name);
  if (heading !== undefined) writer.heading(heading);
  else if (PARAGRAPHS.has(name)) writer.break(2);
  else if (LINES.has(name)) writer.break(1);
  else OPENERS[name]?.(writer, attributes, base);
}

const OPENERS: Record<string, (writer: MarkdownWriter, attributes: Record<string, string>, base: string) => void> = {
  __proto__: null as never,
  ul: (writer) => writer.openList(false),
  menu: (writer) => writer.openList(false),
  ol: (writer) => writer.openList(true),
  li: (writer) => writer.item(),
  blockquote: (writer) => writer.openQuote(),
  hr: (writer) => writer.rule(),
  table: (writer) => writer.openTable(),
  tr: (writer) => writer.closeRow(),
  td: (writer) => writer.cell(),
  th: (writer) => writer.cell(),
  a: (writer, { href }, base) => {
    const address = wholeAddress(href, base);
    if (address === undefined) writer.closeLink();
    else writer.openLink(address);
  },
  img: (writer, { alt = "", src }, base) => {
    const address = wholeAddress(src, base);
    if (alt.trim() !== "") writer.words(address === undefined ? alt : `![${alt}](${address})`);
  },
};

function closeElement({ writer }: Page, name: string): void {
  if (headingLevel(name) !== undefined) writer.endHeading();
  else if (PARAGRAPHS.has(name)) writer.break(2);
  else if (LINES.has(name)) writer.break(1);
  else CLOSERS[name]?.(writer);
}

const CLOSERS: Record<string, (writer: MarkdownWriter) => void> = {
  __proto__: null as never,
  ul: (writer) => writer.closeList(),
  menu: (writer) => writer.closeList(),
  ol: (writer) => writer.closeList(),
  li: (writer) => writer.break(1),
  blockquote: (writer) => writer.closeQuote(),
  table: (writer) => writer.closeTable(),
  tr: (writer) => writer.closeRow(),
  a: (writer) => writer.closeLink(),
};

function headingLevel(name: string): number | undefined {
  return /^h[1-6]$/.test(name) ? Number(name.charAt(1)) : undefined;
}

function languageOf({ attributes }: OpenTag): string {
  return /(?:^|\s)(?:language|lang)-([A-Za-z0-9+#-]{1,20})/.exec(attributes.class ?? "")?.[1] ?? "";
}

const MAX_ADDRESS = 2000;

/** Only addresses that can be fetched are worth their place; a link inside the page is just its words. */
function wholeAddress(address: string | undefined, base: string): string | undefined {
  const wanted = address?.trim() ?? "";
  if (wanted === "" || wanted.startsWith("#") || wanted.length > MAX_ADDRESS) return undefined;
  const url = URL.parse(wanted, base);
  if (url === null || !["http:", "https:", "mailto:"].includes(url.protocol) || url.href.length > MAX_ADDRESS)
    return undefined;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}
