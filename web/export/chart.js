import { dollars, make, makeSvg, number, shortNumber } from "./elements.js";

// What each answer of the branch cost, or how many tokens it took. Many answers share a bar.

const WIDTH = 720;
const HEIGHT = 88;
const MOST_BARS = 180;
const WIDEST_BAR = 34;

const COST = [{ name: "cost", label: "cost", of: ({ cost }) => cost ?? 0 }];
const TOKENS = [
  { name: "cached", label: "from the cache", of: ({ tokens }) => tokens.cacheRead },
  { name: "fresh", label: "read anew", of: ({ tokens }) => tokens.input + tokens.cacheWrite },
  { name: "written", label: "written", of: ({ tokens }) => tokens.output },
];

export function createChart(place, entries) {
  let isCost = entries.some(({ cost }) => cost !== undefined);
  const canCost = isCost;
  let answers = [];
  const draw = () => {
    place.hidden = answers.length === 0;
    const bars = barsOf(answers, entries, isCost ? COST : TOKENS);
    place.replaceChildren(headOf(), picture(bars, isCost), isCost ? "" : legend());
  };
  const headOf = () => {
    const choose = (label, value) => {
      const button = make("button", { type: "button", "aria-pressed": String(isCost === value) }, label);
      button.addEventListener("click", () => {
        isCost = value;
        draw();
      });
      return button;
    };
    const buttons = canCost ? [choose("Cost", true), choose("Tokens", false)] : [];
    const title = isCost ? "Cost per answer" : "Tokens per answer";
    return make("header", {}, make("h2", {}, title), make("span", { class: "choices" }, buttons));
  };
  return {
    show(path) {
      answers = path.filter((at) => entries[at].type === "answer");
      draw();
    },
  };
}

function barsOf(answers, entries, layers) {
  const perBar = Math.max(1, Math.ceil(answers.length / MOST_BARS));
  const bars = [];
  for (let start = 0; start < answers.length; start += perBar) {
    const group = answers.slice(start, start + perBar);
    const values = layers.map(({ of }) => group.reduce((sum, at) => sum + of(entries[at]), 0));
    const total = values.reduce((sum, value) => sum + value, 0);
    bars.push({ at: group[0], from: start + 1, to: start + group.length, values, total, layers });
  }
  return bars;
}

function picture(bars, isCost) {
  const highest = Math.max(...bars.map(({ total }) => total), Number.MIN_VALUE);
  const step = WIDTH / bars.length;
  const written = isCost ? dollars : shortNumber;
  const sum = bars.reduce((total, bar) => total + bar.total, 0);
  const label = `${bars.at(-1)?.to ?? 0} answers, ${written(sum)} in total, at most ${written(highest)} in one bar`;
  const drawing = makeSvg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, preserveAspectRatio: "none" },
    bars.map((bar, place) => barView(bar, { x: place * step, step, highest, isCost })),
  );
  drawing.addEventListener("click", (event) => {
    const at = event.target.closest("[data-at]")?.getAttribute("data-at");
    if (at !== undefined && at !== null) location.hash = `#e${at}`;
  });
  return make("div", { class: "drawing" }, make("span", { class: "highest" }, written(highest)), drawing);
}

function barView({ at, from, to, values, total, layers }, { x, step, highest, isCost }) {
  const width = Math.max(0.5, Math.min(WIDEST_BAR, step * 0.72));
  let y = HEIGHT;
  const boxes = values.map((value, place) => {
    const height = (value / highest) * (HEIGHT - 4);
    y -= height;
    const box = {
      x: x + (step - width) / 2,
      y,
      width,
      height: Math.max(height, 0),
      class: `layer ${layers[place].name}`,
    };
    return makeSvg("rect", box);
  });
  const which = from === to ? `Answer ${from}` : `Answers ${from} to ${to}`;
  const title = makeSvg("title", {}, `${which}: ${isCost ? dollars(total) : `${number(total)} tokens`}`);
  const whole = makeSvg("rect", { x, y: 0, width: step, height: HEIGHT, class: "whole" });
  return makeSvg("g", { class: "bar", "data-at": String(at) }, title, whole, boxes);
}

function legend() {
  const items = TOKENS.map(({ name, label }) => make("li", { class: name }, label));
  return make("ul", { class: "legend" }, items);
}
