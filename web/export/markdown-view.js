import { diffView, isDiff } from "./diff.js";
import { make, plainText, visible } from "./elements.js";
import { parseMarkdown } from "./markdown.js";

/** Longer texts are shown as they are. */
const LONGEST = 100_000;

export function markdownView(text) {
  if (text.length > LONGEST) return plainText(text);
  return make("div", { class: "markdown", dir: "auto" }, parseMarkdown(text).map(blockView));
}

function blockView(block) {
  switch (block.type) {
    case "heading":
      // The name of the session is the first level, who speaks the second.
      return make(`h${Math.min(6, block.level + 2)}`, {}, contentView(block.content));
    case "paragraph":
      return make("p", {}, contentView(block.content));
    case "code":
      return codeView(block);
    case "quote":
      return make("blockquote", {}, block.blocks.map(blockView));
    case "list":
      return listView(block);
    case "table":
      return tableView(block);
    default:
      return make("hr", {});
  }
}

function codeView({ language, text }) {
  if (language === "diff" || language === "patch" || isDiff(text)) return diffView(text);
  return plainText(text, { class: "code", "data-language": language === "" ? undefined : visible(language) });
}

function listView({ isOrdered, start, items }) {
  const rows = items.map((blocks) => make("li", {}, blocks.map(itemBlockView)));
  return isOrdered ? make("ol", { start: start === 1 ? undefined : String(start) }, rows) : make("ul", {}, rows);
}

/** The text of an item stands right beside its mark. */
function itemBlockView(block) {
  return block.type === "paragraph" ? make("div", {}, contentView(block.content)) : blockView(block);
}

function tableView({ head, rows }) {
  const cells = (tag, row) => row.map((content) => make(tag, {}, contentView(content)));
  const table = make(
    "table",
    {},
    make("thead", {}, make("tr", {}, cells("th", head))),
    make(
      "tbody",
      {},
      rows.map((row) => make("tr", {}, cells("td", row))),
    ),
  );
  return make("div", { class: "wide" }, table);
}

const INLINE_TAGS = { strong: "strong", emphasis: "em", struck: "s" };

function contentView(parts) {
  return parts.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type === "code") return make("code", {}, visible(part.text));
    if (part.type === "break") return make("br", {});
    if (part.type === "link") return linkView(part);
    return make(INLINE_TAGS[part.type], {}, contentView(part.content));
  });
}

function linkView({ href, content }) {
  const where = { href, title: href, rel: "noreferrer noopener", target: "_blank" };
  return make("a", where, contentView(content));
}
