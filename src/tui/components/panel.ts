import { type Line, lineWidth, padLine, span, textOf } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";
import { truncateLine, wrapLine } from "../style/wrap.ts";

/** A frame around lines; what is too long is wrapped. In a terminal narrower than a frame is worth, the lines stand alone. */
export function renderPanel(
  lines: readonly Line[],
  { title, width }: { title: string; width: number },
  theme: Theme,
): Line[] {
  const { border, strong } = theme.styles;
  const inner = width - 4;
  if (inner < NARROWEST) return [[span(title, strong)], ...lines.flatMap((line) => wrapLine(line, width))];
  const { horizontal, vertical, corners } = theme.glyphs;
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  const name = truncateLine(title === "" ? [] : [span(` ${title} `, strong)], inner, theme.glyphs.ellipsis);
  const rest = horizontal.repeat(Math.max(0, width - 3 - lineWidth(name)));
  const side = span(vertical, border);
  return [
    [span(`${topLeft}${horizontal}`, border), ...name, span(`${rest}${topRight}`, border)],
    ...lines
      .flatMap((line) => wrapLine(line, inner))
      .map((line): Line => [side, span(" "), ...padLine(line, inner), span(" "), side]),
    [span(`${bottomLeft}${horizontal.repeat(width - 2)}${bottomRight}`, border)],
  ];
}

const NARROWEST = 16;

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
