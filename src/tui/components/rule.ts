import { type Line, lineWidth, span, textOf } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";
import { truncateLine } from "../style/wrap.ts";

/** A rule over the width with a title in it. */
export function renderRule(title: string, width: number, theme: Theme): Line {
  const { horizontal, ellipsis } = theme.glyphs;
  const name = title === "" ? "" : ` ${textOf(truncateLine([span(title)], Math.max(0, width - 6), ellipsis))} `;
  const rest = Math.max(0, width - 2 - lineWidth([span(name)]));
  return truncateLine(
    [
      span(horizontal.repeat(2), theme.styles.border),
      span(name, theme.styles.strong),
      span(horizontal.repeat(rest), theme.styles.border),
    ],
    width,
    "",
  );
}
