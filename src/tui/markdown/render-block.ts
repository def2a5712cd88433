import { renderTable } from "../components/table.ts";
import { type Line, lineWidth, overlay, PLAIN, type Span, type Style, span, textOf } from "../style/styled-line.ts";
import { wrapLine } from "../style/wrap.ts";
import { sanitise } from "../text/sanitise.ts";
import { renderCodeLine, startCode } from "./code-block.ts";
import { type Element, type Node, parseMarkdown } from "./element.ts";
import { inlineLines } from "./inline.ts";
import type { MarkdownOptions } from "./markdown-options.ts";

// One block of Markdown as rows of a given width.

export interface BlockPlace extends MarkdownOptions {
  width: number;
}

export function renderMarkdownBlock(text: string, place: BlockPlace): Line[] {
  const nodes = parseMarkdown(text);
  // What defines references for others is shown as it is written: nobody else will show it.
  if (nodes.length === 0 && text.trim() !== "") return wrapAll(linesOf(text), place.width);
  return renderBlocks(nodes, place, PLAIN);
}

function linesOf(text: string): Line[] {
  return sanitise(text)
    .trim()
    .split("\n")
    .map((written) => [span(written)]);
}

function wrapAll(lines: readonly Line[], width: number): Line[] {
  return lines.flatMap((line) => wrapLine(line, width));
}

/** Blocks with a blank row between them; running text between blocks is one of them. */
function renderBlocks(nodes: readonly Node[], place: BlockPlace, style: Style): Line[] {
  const groups: Line[][] = [];
  let running: Node[] = [];
  const finish = () => {
    if (running.some((node) => typeof node !== "string" || node.trim() !== "")) {
      groups.push(wrapAll(inlineLines(running, place, style), place.width));
    }
    running = [];
  };
  for (const node of nodes) {
    const rows = typeof node === "string" ? undefined : BLOCKS[node.type]?.(node, place, style);
    if (rows === undefined) running.push(node);
    else {
      finish();
      groups.push(rows);
    }
  }
  finish();
  return groups.flatMap((rows, index) => (index === 0 ? rows : [[], ...rows]));
}

type BlockRenderer = (element: Element, place: BlockPlace, style: Style) => Line[];

const BLOCKS: Record<string, BlockRenderer> = {
  p: renderParagraph,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  ul: renderList,
  ol: renderList,
  blockquote: renderQuote,
  pre: renderPre,
  hr: renderRule,
  table: renderMarkdownTable,
};

function renderParagraph({ children }: Element, place: BlockPlace, style: Style): Line[] {
  return wrapAll(inlineLines(children, place, style), place.width);
}

/** The signs stay: they tell the level without colour. */
function heading(level: number): BlockRenderer {
  return ({ children }, place, style) => {
    const look = overlay(style, place.theme.styles.heading);
    const sign = `${"#".repeat(level)} `;
    const [first = [], ...others] = inlineLines(children, place, look);
    return [[span(sign, look), ...first], ...others].flatMap((line) =>
      wrapLine(line, place.width, { continuation: [span(" ".repeat(sign.length))], indent: sign.length }),
    );
  };
}

/** Items of a loose list, whose text is in paragraphs, stand apart. */
function renderList(list: Element, place: BlockPlace, style: Style): Line[] {
  const items = list.children.filter((child): child is Element => typeof child !== "string");
  const last = list.start + items.length - 1;
  const width = list.type === "ol" ? `${last}. `.length : 0;
  const isLoose = items.some(({ children }) =>
    children.some((child) => typeof child !== "string" && child.type === "p"),
  );
  return items.flatMap((item, index) => {
    const sign = list.type === "ol" ? `${list.start + index}. `.padStart(width) : `${place.theme.glyphs.bullet} `;
    const rows = renderItem(item, sign, { place, style });
    return isLoose && index > 0 ? [[], ...rows] : rows;
  });
}

function renderItem(item: Element, sign: string, { place, style }: { place: BlockPlace; style: Style }): Line[] {
  const { checked, unchecked } = place.theme.glyphs;
  const mark = item.isChecked === undefined ? sign : `${item.isChecked ? checked : unchecked} `;
  const first = span(mark, place.theme.styles.accent);
  const indent = lineWidth([first]);
  const inner = { ...place, width: Math.max(1, place.width - indent) };
  return prefixed(renderItemBody(item.children, inner, style), first, span(" ".repeat(indent)));
}

/** A list right after an item's text belongs to it without a blank row. */
function renderItemBody(children: readonly Node[], place: BlockPlace, style: Style): Line[] {
  const isList = (child: Node) => typeof child !== "string" && (child.type === "ul" || child.type === "ol");
  const start = children.findIndex(isList);
  const isTight = !children.some((child) => typeof child !== "string" && child.type === "p");
  if (start <= 0 || !isTight) return renderBlocks(children, place, style);
  return [
    ...renderBlocks(children.slice(0, start), place, style),
    ...renderBlocks(children.slice(start), place, style),
  ];
}

function renderQuote({ children }: Element, place: BlockPlace, style: Style): Line[] {
  const bar = span(`${place.theme.glyphs.vertical} `, place.theme.styles.border);
  const look = overlay(style, place.theme.styles.quote);
  const inner = { ...place, width: Math.max(1, place.width - 2) };
  return prefixed(renderBlocks(children, inner, look), bar, bar);
}

function prefixed(rows: readonly Line[], first: Span, rest: Span): Line[] {
  if (rows.length === 0) return [[first]];
  return rows.map((row, index) =>
    index === 0 ? [first, ...row] : row.length === 0 && rest.text.trim() === "" ? [] : [rest, ...row],
  );
}

function renderPre({ children, language }: Element, place: BlockPlace): Line[] {
  const text = children.map((child) => (typeof child === "string" ? child : "")).join("");
  if (text === "") return [];
  let state = startCode(language);
  return text
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => {
      const rendered = renderCodeLine(line, state, place);
      state = rendered.state;
      return rendered.rows;
    });
}

function renderRule(_: Element, { theme, width }: BlockPlace): Line[] {
  return [[span(theme.glyphs.horizontal.repeat(Math.max(1, width)), theme.styles.border)]];
}

function renderMarkdownTable(table: Element, place: BlockPlace, style: Style): Line[] {
  const rows = elementsOf(table).flatMap(elementsOf);
  const cells = rows.map((row) => elementsOf(row).map((cell) => cellLine(cell, place, style)));
  const [header = [], ...body] = cells;
  const alignments = elementsOf(rows[0]).map(({ alignment }) => alignment);
  return renderTable({ header, rows: body, alignments }, place.width, place.theme);
}

function cellLine({ children }: Element, place: BlockPlace, style: Style): Line {
  const lines = inlineLines(children, place, style);
  return lines.flatMap((line, index) => (index === 0 || textOf(line) === "" ? [...line] : [span(" "), ...line]));
}

function elementsOf(element: Element | undefined): Element[] {
  return (element?.children ?? []).filter((child): child is Element => typeof child !== "string");
}
