import { inlineParts } from "./markdown-inline.js";

// The Markdown models write, as plain objects. It never fails and takes time in proportion to the text; HTML in it is text.
//
// Blocks: heading {level, content}, paragraph {content}, code {language, text}, quote {blocks}, rule,
//         list {isOrdered, start, items: [blocks]}, table {head: [content], rows: [[content]]}

const DEEPEST = 8;

export function parseMarkdown(text) {
  return blocksOf(text.replace(/\r\n?/g, "\n").split("\n"), 0);
}

function blocksOf(lines, depth) {
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at].trim() === "") at++;
    else {
      const found = blockAt(lines, at, depth);
      blocks.push(found.block);
      at = found.end;
    }
  }
  return blocks;
}

function blockAt(lines, at, depth) {
  for (const read of depth < DEEPEST ? [...FLAT_BLOCKS, quoteAt, listAt] : FLAT_BLOCKS) {
    const found = read(lines, at, depth);
    if (found !== undefined) return found;
  }
  return paragraphAt(lines, at);
}

const FLAT_BLOCKS = [codeAt, headingAt, ruleAt, tableAt];

const LONGEST_LANGUAGE = 40;

/** One that is never closed goes to the end, as it does while an answer is written. */
function codeAt(lines, at) {
  const opening = fenceOf(lines[at]);
  if (opening === undefined) return undefined;
  const { fence, rest } = opening;
  const language = rest.trim().split(/\s/, 1)[0].slice(0, LONGEST_LANGUAGE);
  let end = at + 1;
  while (end < lines.length && !closes(lines[end], fence)) end++;
  return { block: { type: "code", language, text: lines.slice(at + 1, end).join("\n") }, end: end + 1 };
}

/** Backticks that end in the same line are code in a text. */
function fenceOf(line) {
  const [, fence, rest] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  return fence === undefined || (fence[0] === "`" && rest.includes("`")) ? undefined : { fence, rest };
}

function closes(line, fence) {
  const bare = line.trim();
  return bare.length >= fence.length && bare === fence[0].repeat(bare.length);
}

function headingAt(lines, at) {
  const found = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(lines[at]);
  if (found === null) return undefined;
  const title = (found[2] ?? "").trim().replace(/(^|\s)#+$/, "");
  return { block: { type: "heading", level: found[1].length, content: inlineParts(title) }, end: at + 1 };
}

function ruleAt(lines, at) {
  const marks = lines[at].replace(/[ \t]/g, "");
  const isRule = marks.length > 2 && "-*_".includes(marks[0]) && marks === marks[0].repeat(marks.length);
  return isRule ? { block: { type: "rule" }, end: at + 1 } : undefined;
}

function tableAt(lines, at) {
  const ruler = lines[at + 1] ?? "";
  if (!lines[at].includes("|") || !ruler.includes("-") || !/^[\s|:-]+$/.test(ruler) || !ruler.includes("|"))
    return undefined;
  const head = cellsOf(lines[at]);
  if (cellsOf(ruler).length !== head.length) return undefined;
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end++;
  const rows = lines.slice(at + 2, end).map((line) => sameLength(cellsOf(line), head.length).map(inlineParts));
  return { block: { type: "table", head: head.map(inlineParts), rows }, end };
}

/** A bar inside of code or behind a backslash is no border. */
function cellsOf(line) {
  const cells = [];
  let cell = "";
  let isCode = false;
  const bare = line.trim().replace(/^\|/, "");
  for (let at = 0; at < bare.length; at++) {
    const character = bare[at];
    if (character === "\\" && bare[at + 1] === "|") cell += bare[++at];
    else if (character === "|" && !isCode) {
      cells.push(cell.trim());
      cell = "";
    } else {
      if (character === "`") isCode = !isCode;
      cell += character;
    }
  }
  return cell.trim() === "" ? cells : [...cells, cell.trim()];
}

function sameLength(cells, length) {
  return Array.from({ length }, (_, at) => cells[at] ?? "");
}

function quoteAt(lines, at, depth) {
  let end = at;
  const inner = [];
  for (; end < lines.length; end++) {
    const found = /^ {0,3}> ?(.*)$/.exec(lines[end]);
    if (found === null) break;
    inner.push(found[1]);
  }
  return inner.length === 0 ? undefined : { block: { type: "quote", blocks: blocksOf(inner, depth + 1) }, end };
}

const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)(.*)$/;

function listAt(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  if (first === null) return undefined;
  const kind = kindOf(first[2]);
  const items = [];
  let end = at;
  for (;;) {
    const marker = ITEM.exec(lines[end] ?? "");
    if (marker === null || marker[1].length > first[1].length + 1 || kindOf(marker[2]) !== kind) break;
    const item = itemAt(lines, end, marker);
    items.push(blocksOf(item.lines, depth + 1));
    end = item.end;
  }
  return { block: { type: "list", isOrdered: kind === "1", start: Number.parseInt(first[2], 10) || 1, items }, end };
}

function kindOf(marker) {
  return /\d/.test(marker) ? "1" : marker;
}

/** An item has the lines that are indented below it, and those that go on right after it. */
function itemAt(lines, at, [, indent, , rest]) {
  const own = [taskBox(rest)];
  let end = at + 1;
  for (; end < lines.length; end++) {
    const line = lines[end];
    const depth = line.length - line.trimStart().length;
    const isBlank = line.trim() === "";
    const isInside = depth > indent.length + 1 || (isBlank && isIndented(lines[end + 1] ?? "", indent.length + 1));
    const goesOn = !isBlank && lines[end - 1].trim() !== "" && !startsBlock(line);
    if (!isInside && !goesOn) break;
    own.push(line.slice(Math.min(depth, indent.length + 2)));
  }
  while (end < lines.length - 1 && lines[end].trim() === "" && ITEM.test(lines[end + 1])) end++;
  return { lines: own, end };
}

function isIndented(line, than) {
  return line.trim() !== "" && line.length - line.trimStart().length > than;
}

function taskBox(text) {
  return text.replace(/^\[([ xX])\](?=\s)/, (_, mark) => (mark === " " ? "☐" : "☑"));
}

function startsBlock(line) {
  return ITEM.test(line) || fenceOf(line) !== undefined || /^ {0,3}(#{1,6}[ \t]|>)/.test(line);
}

function paragraphAt(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== "" && !startsBlock(lines[end]) && !isTable(lines, end)) end++;
  return { block: { type: "paragraph", content: inlineParts(lines.slice(at, end).join("\n").trim()) }, end };
}

function isTable(lines, at) {
  return lines[at].includes("|") && /^[ \t]*\|?[ \t]*:?-/.test(lines[at + 1] ?? "") && lines[at + 1].includes("|");
}
