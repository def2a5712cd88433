// What stands in a line: text {text}, code {text}, link {href, content}, break; strong, emphasis and struck {content}.

const MARKS = { "**": "strong", __: "strong", "*": "emphasis", _: "emphasis", "~~": "struck" };
/** Marks that are open at one time; more are text. */
const MOST_OPEN = 64;

/** Time in proportion to the text: what is opened and never closed is text. */
export function inlineParts(text) {
  const root = { parts: [] };
  const open = [];
  const add = (part) => (open.at(-1) ?? root).parts.push(part);
  for (const piece of piecesOf(text)) {
    if (piece.type !== "mark") add(piece);
    else if (!closeMark(open, root, piece)) {
      if (piece.mayOpen && open.length < MOST_OPEN) open.push({ mark: piece.text, parts: [] });
      else add({ type: "text", text: piece.text });
    }
  }
  while (open.length > 0) giveUp(open, root);
  return joined(root.parts);
}

function closeMark(open, root, { text: mark, mayClose }) {
  if (!mayClose || !open.some((one) => one.mark === mark)) return false;
  while (open.at(-1).mark !== mark) giveUp(open, root);
  const { parts } = open.pop();
  (open.at(-1) ?? root).parts.push({ type: MARKS[mark], content: joined(parts) });
  return true;
}

/** The newest mark was none: it is text, and what follows it stands beside it. */
function giveUp(open, root) {
  const { mark, parts } = open.pop();
  const target = (open.at(-1) ?? root).parts;
  target.push({ type: "text", text: mark });
  for (const part of parts) target.push(part);
}

function joined(parts) {
  const result = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.type === "text" && last?.type === "text")
      result[result.length - 1] = { type: "text", text: last.text + part.text };
    else result.push(part);
  }
  return result;
}

function piecesOf(text) {
  const pieces = [];
  const unclosed = new Set();
  let at = 0;
  while (at < text.length) {
    const found = specialAt(text, at, unclosed) ?? plainAt(text, at);
    pieces.push(found.piece);
    at = found.end;
  }
  return pieces;
}

function specialAt(text, at, unclosed) {
  switch (text[at]) {
    case "\\":
      return escapeAt(text, at);
    case "`":
      return codeSpanAt(text, at, unclosed);
    case "[":
    case "!":
      return linkAt(text, at);
    case "<":
      return addressAt(text, at, BRACKETED);
    case "h":
      return /\w/.test(text[at - 1] ?? "") ? undefined : addressAt(text, at, BARE);
    case "*":
    case "_":
    case "~":
      return markAt(text, at);
    case "\n":
      return text.endsWith("  ", at) && at > 1 ? { piece: { type: "break" }, end: at + 1 } : undefined;
    default:
      return undefined;
  }
}

const PLAIN = /[^\\`[!<h*_~\n]+/y;

function plainAt(text, at) {
  const run = matchAt(PLAIN, text, at)?.[0] ?? text[at];
  return { piece: { type: "text", text: run }, end: at + run.length };
}

function matchAt(sticky, text, at) {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

function escapeAt(text, at) {
  const next = text[at + 1] ?? "";
  if (next === "\n") return { piece: { type: "break" }, end: at + 2 };
  return /[!-/:-@[-`{-~]/.test(next) ? { piece: { type: "text", text: next }, end: at + 2 } : undefined;
}

/** A run of backticks that nothing closes is looked for only once. */
function codeSpanAt(text, at, unclosed) {
  const [run] = matchAt(/`+/y, text, at);
  const start = at + run.length;
  const asText = { piece: { type: "text", text: run }, end: start };
  if (unclosed.has(run.length)) return asText;
  const runs = /`+/g;
  runs.lastIndex = start;
  for (let found = runs.exec(text); found !== null; found = runs.exec(text)) {
    if (found[0].length !== run.length) continue;
    const inner = text.slice(start, found.index).replace(/\n/g, " ");
    const isPadded = inner.length > 2 && inner.startsWith(" ") && inner.endsWith(" ");
    return { piece: { type: "code", text: isPadded ? inner.slice(1, -1) : inner }, end: runs.lastIndex };
  }
  unclosed.add(run.length);
  return asText;
}

const LINK =
  /!?\[([^[\]\n]{0,500})\]\(<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,100}\)[^()\s<>]{0,500})?)>?(?:\s"[^"\n]{0,200}")?\)/y;

/** A picture from elsewhere is a link to it: nothing is loaded. An address that is not allowed stays as it was written. */
function linkAt(text, at) {
  const found = matchAt(LINK, text, at);
  const href = found === null ? undefined : safeAddress(found[2]);
  if (found === null || href === undefined) return undefined;
  const content = found[1] === "" ? [{ type: "text", text: found[2] }] : withoutLinks(inlineParts(found[1]));
  return { piece: { type: "link", href, content }, end: at + found[0].length };
}

function withoutLinks(parts) {
  return parts.flatMap((part) => (part.type === "link" ? withoutLinks(part.content) : [part]));
}

const BRACKETED = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const BARE = /(https?:\/\/[^\s<>"'`()[\]{}*|\\]{1,2000}(?<![.,;:!?]))/y;

function addressAt(text, at, shape) {
  const found = matchAt(shape, text, at);
  const href = found === null ? undefined : safeAddress(found[1]);
  if (href === undefined) return undefined;
  return { piece: { type: "link", href, content: [{ type: "text", text: found[1] }] }, end: at + found[0].length };
}

const ALLOWED_SCHEMES = ["http:", "https:", "mailto:"];

/** The address as a browser reads it, where it may be followed. */
export function safeAddress(text) {
  const parsed = URL.parse(text.toWellFormed());
  return parsed !== null && ALLOWED_SCHEMES.includes(parsed.protocol) ? parsed.href : undefined;
}

const SPACE = /\s/;
const WORD = /[\p{L}\p{N}]/u;

function markAt(text, at) {
  const double = text[at].repeat(2);
  const mark = text.startsWith(double, at) ? double : text[at];
  if (!Object.hasOwn(MARKS, mark)) return undefined;
  const before = text[at - 1] ?? " ";
  const after = text[at + mark.length] ?? " ";
  // An underline inside of a word belongs to the word.
  const isInWord = mark[0] === "_" && WORD.test(before) && WORD.test(after);
  const piece = {
    type: "mark",
    text: mark,
    mayOpen: !isInWord && !SPACE.test(after),
    mayClose: !isInWord && !SPACE.test(before),
  };
  return { piece, end: at + mark.length };
}
