import { make } from "./elements.js";
import { rowView } from "./message-view.js";

// The rows of one branch. They are made in groups, and a group is made when it comes near the screen.

const GROUP = 40;
/** A branch this short is made at once, so that the browser's own search finds everything. */
const SMALL = 400;
const GUESSED_ROW_PIXELS = 140;
const AHEAD = "1500px 0px";

export function createConversation(place, siblingsOf) {
  let groups = [];
  const observer = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) if (isIntersecting) fill(groups[Number(target.dataset.group)]);
    },
    { rootMargin: AHEAD },
  );
  const fill = (group) => {
    if (group === undefined || group.isFilled) return;
    group.isFilled = true;
    observer.unobserve(group.element);
    group.element.style.removeProperty("min-height");
    group.element.append(...group.rows.map((row) => rowView(row, siblingsOf(row.at))));
  };
  return {
    show(rows) {
      observer.disconnect();
      groups = groupsOf(rows);
      place.replaceChildren(...groups.map(({ element }) => element));
      for (const group of groups) {
        if (rows.length <= SMALL) fill(group);
        else observer.observe(group.element);
      }
    },
    /** The row's element; it is made where it was not yet. */
    elementOf(number) {
      const group = groups[Math.floor(number / GROUP)];
      fill(group);
      return group?.element.children[number % GROUP];
    },
    isMade: (number) => groups[Math.floor(number / GROUP)]?.isFilled === true,
    makeAll() {
      for (const group of groups) fill(group);
    },
  };
}

function groupsOf(rows) {
  const groups = [];
  for (let start = 0; start < rows.length; start += GROUP) {
    const part = rows.slice(start, start + GROUP);
    const element = make("div", { class: "group", "data-group": String(groups.length) });
    element.style.minHeight = `${part.length * GUESSED_ROW_PIXELS}px`;
    groups.push({ element, rows: part, isFilled: false });
  }
  return groups;
}
