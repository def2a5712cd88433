import { type Line, lineWidth, overlay, padLine, type Span, span } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";
import { truncateLine } from "../style/wrap.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { matchOffsets } from "./fuzzy.ts";

// A list to choose from. What is chosen is told by the pointer at its left, not only by its colour.

export interface SelectItem {
  label: string;
  description?: string;
  /** Shown, but never chosen. */
  isDisabled?: boolean;
}

export interface SelectListView {
  items: readonly SelectItem[];
  /** The place of the chosen item; -1 for none. */
  selected: number;
  maximumRows: number;
  width: number;
  /** Its letters are marked in the labels. */
  query?: string;
  /** What is said when there is nothing to choose from. */
  emptyText: string;
}

export function renderSelectList(view: SelectListView, theme: Theme): Line[] {
  const { items, selected, maximumRows, width } = view;
  if (items.length === 0) return [truncateLine([span(view.emptyText, theme.styles.muted)], width)];
  const count = Math.max(1, Math.min(items.length, maximumRows));
  const first = Math.min(items.length - count, Math.max(0, selected - Math.floor(count / 2)));
  const shown = items.slice(first, first + count);
  const labelWidth = Math.min(Math.floor(width / 2), Math.max(...shown.map(({ label }) => lineWidth([span(label)]))));
  const rows = shown.map((item, index) =>
    itemRow(item, { view, theme, labelWidth, isSelected: first + index === selected }),
  );
  if (count === items.length) return rows;
  return [...rows, [span(`  ${selected + 1}/${items.length}`, theme.styles.muted)]];
}

interface RowPlace {
  view: SelectListView;
  theme: Theme;
  labelWidth: number;
  isSelected: boolean;
}

function itemRow(item: SelectItem, { view, theme, labelWidth, isSelected }: RowPlace): Line {
  const { styles, glyphs } = theme;
  const pointer = isSelected ? glyphs.pointer : " ".repeat(lineWidth([span(glyphs.pointer)]));
  const style = item.isDisabled === true ? styles.muted : isSelected ? styles.selection : styles.text;
  const label = markedLabel(sanitiseLine(item.label), view.query ?? "", {
    style,
    match: overlay(style, styles.match),
  });
  const start: Line = [span(`${pointer} `, styles.selection), ...label];
  const description = sanitiseLine(item.description ?? "");
  if (description === "") return truncateLine(start, view.width, glyphs.ellipsis);
  return truncateLine(
    [...padLine(start, labelWidth + 2), span(`  ${description}`, styles.muted)],
    view.width,
    glyphs.ellipsis,
  );
}

function markedLabel(label: string, query: string, look: { style: Span["style"]; match: Span["style"] }): Line {
  const offsets = new Set(matchOffsets(label, query));
  if (offsets.size === 0) return [span(label, look.style)];
  const parts: Span[] = [];
  for (let at = 0; at < label.length; at++) {
    const style = offsets.has(at) ? look.match : look.style;
    const last = parts.at(-1);
    if (last?.style === style) parts[parts.length - 1] = span(last.text + label.charAt(at), style);
    else parts.push(span(label.charAt(at), style));
  }
  return parts;
}

/** The next item that can be chosen: a single step goes round at the ends, a longer one stops there; -1 where there is none. */
export function moveSelection(items: readonly SelectItem[], selected: number, step: number): number {
  const isFree = (at: number) => items[at] !== undefined && items[at].isDisabled !== true;
  const direction = step < 0 ? -1 : 1;
  if (Math.abs(step) === 1) {
    const round = items.map((_, index) => (selected + direction * (index + 1) + items.length * 2) % items.length);
    return round.find(isFree) ?? -1;
  }
  const ahead = items.map((_, index) => selected + direction * (index + 1)).filter(isFree);
  return ahead[Math.abs(step) - 1] ?? ahead.at(-1) ?? (isFree(selected) ? selected : -1);
}
