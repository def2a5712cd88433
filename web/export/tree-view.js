import { make, oneLine } from "./elements.js";

// What was asked, on all branches, as links. A row stands further in for every place where the conversation was branched.

const DEEPEST = 10;
const LONGEST_GIST = 90;

export function createTree(place, entries, branches) {
  const rows = treeRows(entries, branches);
  const links = new Map();
  const list = make("ul", {});
  for (const { at, depth } of rows) {
    const link = make(
      "a",
      { href: `#e${at}`, class: "tree-row", "data-depth": String(Math.min(depth, DEEPEST)) },
      ...gist(entries[at]),
    );
    links.set(at, link);
    list.append(make("li", {}, link));
  }
  place.replaceChildren(list);
  place.addEventListener("keydown", (event) => moveFocus(event, place));
  let current;
  return {
    /** The prompts on the branch, in its order. */
    promptsOn: (path) => path.filter((at) => entries[at].type === "user"),
    mark(path) {
      const onBranch = new Set(path);
      for (const [at, link] of links) link.classList.toggle("on-branch", onBranch.has(at));
    },
    /** `at` or what was asked before it is where the reader is. */
    point(at) {
      let row = at;
      while (row >= 0 && !links.has(row)) row = entries[row].parent;
      current?.removeAttribute("aria-current");
      current = links.get(row);
      current?.setAttribute("aria-current", "location");
      if (current !== undefined) showInside(place, current);
    },
  };
}

/** Scrolls the list alone, never the page. */
function showInside(place, link) {
  const list = place.getBoundingClientRect();
  const box = link.getBoundingClientRect();
  if (box.top < list.top || box.bottom > list.bottom) place.scrollTop += box.top - list.top - list.height / 3;
}

function treeRows(entries, { roots, childrenOf }) {
  const rows = [];
  const open = stacked(roots, 0);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, depth, isFork } = next;
    const entry = entries[at];
    if (entry.type === "user" || isFork || entry.label !== undefined) rows.push({ at, depth });
    for (const child of stacked(childrenOf(at), depth)) open.push(child);
  }
  return rows;
}

function stacked(children, depth) {
  const isFork = children.length > 1;
  return children.toReversed().map((at) => ({ at, depth: depth + (isFork ? 1 : 0), isFork }));
}

function gist(entry) {
  const text = entry.type === "note" ? entry.text : entry.parts.map(gistOfPart).join(" ");
  const label = entry.label === undefined ? [] : [make("b", {}, oneLine(entry.label, 40))];
  const who = { user: "", answer: "Answer: ", result: "Result: ", note: "" }[entry.type];
  const words = oneLine(text, LONGEST_GIST);
  return [...label, make("span", { dir: "auto" }, words === "" ? `${who}(no text)` : who + words)];
}

function gistOfPart(part) {
  if (part.type === "call") return part.name;
  return part.type === "image" ? "[picture]" : part.text.slice(0, 400);
}

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event, place) {
  const step = STEPS[event.key];
  if (step === undefined) return;
  const all = [...place.querySelectorAll("a")];
  const next = all[all.indexOf(document.activeElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
