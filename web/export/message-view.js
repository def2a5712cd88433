import { diffView, isDiff, replacementView } from "./diff.js";
import { dollars, make, number, oneLine, plainText, shortNumber, timeOfDay, visible } from "./elements.js";
import { markdownView } from "./markdown-view.js";

// One row of the conversation.

/** `siblings` are the other ways to go on from the entry before, with this one; each row names its own place as #eN. */
export function rowView({ at, entry, results }, siblings) {
  return make(
    "article",
    { class: `row ${entry.type}`, id: `e${at}`, tabindex: "-1", "aria-label": speakerOf(entry) },
    siblings.length > 1 ? branchLine(at, siblings) : undefined,
    entry.label === undefined ? undefined : make("p", { class: "label" }, visible(entry.label)),
    bodyOf(at, entry, results),
  );
}

function speakerOf({ type, isError }) {
  if (type === "result") return isError ? "Error of a tool" : "Result of a tool";
  return { user: "Prompt", answer: "Answer", note: "Note" }[type];
}

function branchLine(at, siblings) {
  const place = siblings.indexOf(at);
  const to = (sibling, sign, label) =>
    sibling === undefined ? undefined : make("a", { href: `#e${sibling}`, "aria-label": label }, sign);
  return make(
    "p",
    { class: "branch-line" },
    to(siblings[place - 1], "‹", "The branch before"),
    make("span", {}, `Branch ${place + 1} of ${siblings.length}`),
    to(siblings[place + 1], "›", "The branch after"),
  );
}

function bodyOf(at, entry, results) {
  switch (entry.type) {
    case "user":
      return [heading(at, "You", entry), ...entry.parts.map(contentView)];
    case "answer":
      return [
        heading(at, visible(entry.model), entry),
        ...entry.parts.map((part) => answerPart(part, results)),
        stopLine(entry),
      ];
    case "result":
      return [heading(at, `Result of ${visible(entry.tool)}`, entry), ...entry.parts.map(resultPart)];
    default:
      return noteView(entry);
  }
}

function heading(at, who, { at: time, tokens, cost }) {
  const used = tokens === undefined ? undefined : usedText(tokens, cost);
  const link = { class: "time", href: `#e${at}`, title: `${time} · link to this place` };
  return make(
    "header",
    { class: "who" },
    make("h2", {}, who),
    make("a", link, make("time", { datetime: time }, timeOfDay(time))),
    used === undefined ? undefined : make("span", { class: "used", title: used.title }, used.text),
  );
}

function usedText({ input, output, cacheRead, cacheWrite }, cost) {
  const read = input + cacheRead + cacheWrite;
  if (read + output === 0) return undefined;
  const title = `${number(input)} tokens in, ${number(cacheRead)} from the cache, ${number(cacheWrite)} into it, ${number(output)} out`;
  const price = cost === undefined ? "" : ` · ${dollars(cost)}`;
  return { text: `${shortNumber(read)} in · ${shortNumber(output)} out${price}`, title };
}

const STOPS = {
  cut: "The answer broke off here.",
  length: "The answer reached its longest length here.",
  refusal: "The model refused to go on.",
};

function stopLine({ stop }) {
  return Object.hasOwn(STOPS, stop) ? make("p", { class: "stopped" }, STOPS[stop]) : undefined;
}

function answerPart(part, results) {
  if (part.type === "thinking") return thinkingView(part);
  return part.type === "call" ? callView(part, results.get(part.callId)) : contentView(part);
}

function thinkingView({ text }) {
  return folded({ class: "thinking" }, [make("span", { class: "kind" }, "Thinking"), summaryText(text)], () => [
    markdownView(text),
  ]);
}

function summaryText(text) {
  return make("span", { class: "gist", dir: "auto" }, oneLine(text, 140));
}

/** What is folded is made when it is opened; `data-folded` tells whoever looks for text that there is more. */
function folded(attributes, summary, content) {
  const block = make("details", { ...attributes, "data-folded": true }, make("summary", {}, ...summary));
  block.fill = () => {
    if (!block.hasAttribute("data-folded")) return;
    block.removeAttribute("data-folded");
    block.append(make("div", { class: "inside" }, ...content()));
  };
  block.addEventListener("toggle", () => block.open && block.fill());
  return block;
}

function callView({ name, fields }, result) {
  const state = result === undefined ? "pending" : result.isError ? "failed" : "done";
  const words = { pending: "no result", failed: "failed", done: "" }[state];
  const summary = [
    make("span", { class: "kind" }, visible(name)),
    summaryText(gistOf(fields)),
    words === "" ? undefined : make("span", { class: "state" }, words),
  ].filter((part) => part !== undefined);
  return folded({ class: `call ${state}` }, summary, () => [
    ...fieldsView(fields),
    ...(result === undefined
      ? [make("p", { class: "none" }, "No result was recorded.")]
      : [make("h3", {}, result.isError ? "Error" : "Result"), ...result.parts.map(resultPart)]),
  ]);
}

const TELLING = ["command", "pattern", "query", "url", "path", "file_path", "question"];

function gistOf(fields) {
  const telling = TELLING.map((wanted) => fields.find(({ name }) => name === wanted)).find(
    (field) => field !== undefined,
  );
  return (telling ?? fields[0])?.text ?? "";
}

const BEFORE = /^old_(string|text|str)$/;
const AFTER = /^new_(string|text|str)$/;

function fieldsView(fields) {
  const before = fields.find(({ name }) => BEFORE.test(name));
  const after = fields.find(({ name }) => AFTER.test(name));
  const isEdit = before !== undefined && after !== undefined;
  const rest = isEdit ? fields.filter((field) => field !== before && field !== after) : fields;
  const rows = rest.flatMap(({ name, text }) => [
    make("dt", {}, visible(name)),
    make("dd", {}, isDiff(text) ? diffView(text) : plainText(text)),
  ]);
  return [
    rows.length === 0 ? undefined : make("dl", { class: "fields" }, rows),
    isEdit ? replacementView(before.text, after.text) : undefined,
  ].filter((part) => part !== undefined);
}

function resultPart(part) {
  if (part.type !== "text") return contentView(part);
  return isDiff(part.text) ? diffView(part.text) : plainText(part.text);
}

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function contentView(part) {
  if (part.type === "text") return markdownView(part.text);
  if (part.type !== "image") return make("p", { class: "absent" }, visible(part.text));
  if (!PICTURES.includes(part.mediaType) || !/^[A-Za-z0-9+/=]+$/.test(part.data))
    return make("p", { class: "absent" }, `${visible(part.mediaType)}, not shown here`);
  return make("img", { src: `data:${part.mediaType};base64,${part.data}`, alt: "Picture", loading: "lazy" });
}

function noteView({ text, more, output, at }) {
  const line = make("span", { title: at }, visible(text));
  if (more === undefined && output === undefined) return make("p", { class: "note-line" }, line);
  const inside = () => (more === undefined ? resultPart({ type: "text", text: output }) : markdownView(more));
  return folded({ class: "note-line" }, [line], () => [inside()]);
}
