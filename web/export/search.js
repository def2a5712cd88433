import { textOf } from "./branches.js";
import { number } from "./elements.js";

// Looks through the texts of all branches, not through what happens to be on the screen.

const MOST_MARKED_ROWS = 300;
const MOST_RANGES = 2000;

/** `goTo` shows an entry and gives its row; `madeRows` are those that stand on the page. */
export function createSearch({ form, words, count, previous, next }, entries, { goTo, madeRows }) {
  let texts;
  let hits = [];
  let place = -1;
  let pattern;
  const tell = () => {
    const isEmpty = hits.length === 0;
    previous.disabled = isEmpty;
    next.disabled = isEmpty;
    const where = place < 0 ? `${number(hits.length)} found` : `${number(place + 1)} of ${number(hits.length)}`;
    count.textContent = pattern === undefined ? "" : isEmpty ? "Nothing found" : where;
  };
  const look = () => {
    texts ??= entries.map(textOf);
    pattern = patternOf(words.value);
    hits = pattern === undefined ? [] : texts.flatMap((text, at) => (text.search(pattern) < 0 ? [] : [at]));
    place = -1;
    markIn(madeRows(), pattern);
    tell();
  };
  const step = (by) => {
    if (hits.length === 0) return;
    place = place < 0 && by < 0 ? hits.length - 1 : (place + by + hits.length) % hits.length;
    const row = goTo(hits[place]);
    unfold(row, pattern);
    markIn(madeRows(), pattern);
    const [first] = rangesIn(row, pattern);
    showCurrent(first, row);
    tell();
  };
  words.addEventListener("input", look);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    step(1);
  });
  previous.addEventListener("click", () => step(-1));
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) step(-1);
    else if (event.key !== "Escape") return;
    else {
      words.value = "";
      look();
      words.blur();
    }
    event.preventDefault();
  });
}

function patternOf(text) {
  const wanted = text.trim();
  return wanted === "" ? undefined : new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

/** Opens what is folded in the row and holds the words. */
function unfold(row, pattern) {
  for (const block of row.querySelectorAll("details")) {
    block.fill?.();
    if (!block.open && block.textContent.search(pattern) >= 0) block.open = true;
  }
}

/** Browsers that cannot mark text without changing the page still go to the row and show its border. */
function markIn(rows, pattern) {
  if (globalThis.Highlight === undefined) return;
  CSS.highlights.delete("found-now");
  if (pattern === undefined) return void CSS.highlights.delete("found");
  const ranges = rows.slice(0, MOST_MARKED_ROWS).flatMap((row) => rangesIn(row, pattern));
  CSS.highlights.set("found", new Highlight(...ranges.slice(0, MOST_RANGES)));
}

function showCurrent(range, row) {
  for (const old of document.querySelectorAll(".found-row")) old.classList.remove("found-row");
  row.classList.add("found-row");
  if (range === undefined || globalThis.Highlight === undefined) return;
  const current = new Highlight(range);
  current.priority = 1;
  CSS.highlights.set("found-now", current);
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
}

function rangesIn(row, pattern) {
  const ranges = [];
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST_RANGES; node = walker.nextNode()) {
    for (const match of node.data.matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
