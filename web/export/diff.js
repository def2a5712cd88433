import { make, number, visible } from "./elements.js";

// Texts that tell what changed, line by line. The sign stays in the text, so that colour is never all there is.

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m;

export function isDiff(text) {
  return HUNK.test(text);
}

const KINDS = { "+": "added", "-": "removed", "@": "hunk", " ": "same" };
const MOST_LINES = 2000;

export function diffView(text) {
  const lines = text.split("\n");
  const shown = lines.slice(0, MOST_LINES);
  const block = make("pre", { class: "diff" }, linesView(shown));
  if (lines.length <= MOST_LINES) return block;
  const button = make("button", { type: "button", class: "more" }, `Show all ${number(lines.length)} lines`);
  button.addEventListener("click", () => {
    for (const line of linesView(lines).slice(MOST_LINES)) block.append(line);
    button.remove();
  });
  return make("div", { class: "long" }, block, button);
}

/** What was replaced and by what, as an edit names them. */
export function replacementView(before, after) {
  const signed = (sign, text) => (text === "" ? [] : text.split("\n").map((line) => sign + line));
  return diffView([...signed("-", before), ...signed("+", after)].join("\n"));
}

function linesView(lines) {
  let isHeader = true;
  return lines.map((line) => {
    if (line.startsWith("@@ ")) isHeader = false;
    const isFileName = isHeader && /^(---|\+\+\+) /.test(line);
    const kind = isFileName ? "file" : (KINDS[line[0] ?? ""] ?? "aside");
    return make("span", { class: `line ${kind}` }, `${visible(line)}\n`);
  });
}
