import { branchesOf, pathTo, rowsOf } from "./branches.js";
import { createChart } from "./chart.js";
import { createConversation } from "./conversation.js";
import { dayAndTime, dollars, make, number, shortNumber, visible } from "./elements.js";
import { createSearch } from "./search.js";
import { createTree } from "./tree-view.js";

// The page: reads the session it carries and shows one branch of it. The address names the entry that is looked at (#e12).

start(JSON.parse(byId("session-data").textContent));

function byId(id) {
  return document.getElementById(id);
}

function start({ session, totals, current, leftOut, entries }) {
  const branches = branchesOf(entries);
  const conversation = createConversation(byId("conversation"), branches.siblingsOf);
  const tree = createTree(byId("tree"), entries, branches);
  const chart = createChart(byId("chart"), entries);
  let path = [];
  let rowOf = new Map();
  const showBranch = (end) => {
    path = pathTo(entries, end);
    const made = rowsOf(entries, path);
    rowOf = made.rowOf;
    conversation.show(made.rows);
    tree.mark(path);
    chart.show(path);
  };
  const goTo = (at) => {
    if (!rowOf.has(at)) showBranch(branches.endOf(at));
    const element = conversation.elementOf(rowOf.get(at));
    element.scrollIntoView({ block: "start" });
    tree.point(at);
    return element;
  };
  showAbout({ session, totals, leftOut });
  showBranch(current);
  const followAddress = () => {
    const at = placeNamed(location.hash);
    if (at !== undefined && at < entries.length) goTo(at).focus({ preventScroll: true });
  };
  addEventListener("hashchange", followAddress);
  addEventListener("beforeprint", () => conversation.makeAll());
  const madeRows = () => [...byId("conversation").querySelectorAll(".row")];
  const remember = (at) => {
    history.replaceState(null, "", `#e${at}`);
    return goTo(at);
  };
  createSearch(searchElements(), entries, { goTo: remember, madeRows });
  listenToKeys(() => tree.promptsOn(path));
  followAddress();
}

function placeNamed(hash) {
  const found = /^#e(\d{1,9})$/.exec(hash);
  return found === null ? undefined : Number(found[1]);
}

function searchElements() {
  return {
    form: byId("search-form"),
    words: byId("search-words"),
    count: byId("search-count"),
    previous: byId("search-previous"),
    next: byId("search-next"),
  };
}

function showAbout({ session, totals, leftOut }) {
  const name = visible(session.name);
  document.title = `${name} · Ralph`;
  byId("about").append(
    make("h1", { dir: "auto" }, name),
    make("p", { class: "place" }, visible(session.cwd)),
    make("dl", { class: "facts" }, factsOf(session, totals).map(factView)),
    ...leftOut.map((sentence) => make("p", { class: "left-out" }, visible(sentence))),
  );
}

function factsOf({ id, at, model }, { turns, usage, cost, unpricedTurns }) {
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  const price = cost === undefined ? "no price known" : dollars(cost);
  const missing = cost !== undefined && unpricedTurns > 0 ? `, ${number(unpricedTurns)} without a price` : "";
  return [
    ["Model", model === undefined ? "none" : visible(model)],
    ["Begun", dayAndTime(at)],
    ["Answers", number(turns)],
    ["Tokens in", `${shortNumber(read)}`, `${number(usage.cacheRead)} of ${number(read)} from the cache`],
    ["Tokens out", shortNumber(usage.output), number(usage.output)],
    ["Cost", price + missing],
    ["Session", visible(id)],
  ];
}

function factView([name, value, title]) {
  return make("div", { title }, make("dt", {}, name), make("dd", {}, value));
}

const STEPS = {
  j: (prompts, last) => prompts.find((at) => at > last),
  k: (prompts, last) => prompts.findLast((at) => at < last),
};

/** `/` begins a search; j and k go from prompt to prompt. */
function listenToKeys(prompts) {
  let last = -1;
  addEventListener("hashchange", () => {
    last = placeNamed(location.hash) ?? last;
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
    if (event.key === "/") {
      event.preventDefault();
      byId("search-words").focus();
      return;
    }
    const next = STEPS[event.key]?.(prompts(), last);
    if (next !== undefined) location.hash = `#e${next}`;
  });
}
