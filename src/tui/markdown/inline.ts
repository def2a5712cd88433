import { type Line, overlay, PLAIN, type Span, type Style, span, textOf } from "../style/styled-line.ts";
import type { Role } from "../style/theme.ts";
import { sanitise } from "../text/sanitise.ts";
import type { Element, Node } from "./element.ts";
import type { MarkdownOptions } from "./markdown-options.ts";

/** Running text as lines: one for each line the writer began. */
export function inlineLines(nodes: readonly Node[], options: MarkdownOptions, style: Style = PLAIN): Line[] {
  const lines: Span[][] = [[]];
  for (const part of nodes.flatMap((node) => spansOf(node, style, options))) {
    const [first = "", ...others] = part.text.split("\n");
    if (first !== "") lines.at(-1)?.push({ ...part, text: first });
    for (const text of others) lines.push(text === "" ? [] : [{ ...part, text }]);
  }
  return lines;
}

const STRUCK: Style = { strikethrough: true };
const ROLES: Record<string, Role> = { strong: "strong", em: "emphasis", code: "code", html: "muted" };

function spansOf(node: Node, style: Style, options: MarkdownOptions): Span[] {
  if (typeof node === "string") return node === "" ? [] : [span(sanitise(node).replaceAll("\t", " "), style)];
  const inner = (changed: Style) => node.children.flatMap((child) => spansOf(child, changed, options));
  const role = ROLES[node.type];
  if (role !== undefined) return inner(overlay(style, options.theme.styles[role]));
  if (node.type === "br") return [span("\n", style)];
  if (node.type === "del") return inner(overlay(style, STRUCK));
  if (node.type === "a") return linkSpans(node, inner, { style, options });
  if (node.type === "img") return imageSpans(node, style, options);
  return inner(style);
}

interface LinkPlace {
  style: Style;
  options: MarkdownOptions;
}

/** The address is written out where it cannot be followed and is not what is written anyway. */
function linkSpans(node: Element, inner: (style: Style) => Span[], { style, options }: LinkPlace): Span[] {
  const { theme, hasLinks } = options;
  const address = /^[^\s:/]+@[^\s:/]+$/.test(node.address) ? `mailto:${node.address}` : node.address;
  const shown = inner({ ...overlay(style, theme.styles.link), link: address });
  const isWritten = hasLinks || textOf(shown) === node.address || node.address === "";
  return isWritten ? shown : [...shown, span(` (${sanitise(node.address)})`, overlay(style, theme.styles.muted))];
}

function imageSpans({ address, description }: Element, style: Style, { theme, hasLinks }: MarkdownOptions): Span[] {
  const name = sanitise(description) || "image";
  const shown = span(`[${name}]`, { ...overlay(style, theme.styles.link), link: address });
  return hasLinks || address === "" ? [shown] : [shown, span(` (${sanitise(address)})`, theme.styles.muted)];
}
