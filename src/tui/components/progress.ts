import { type Line, span } from "../style/styled-line.ts";
import type { Theme } from "../style/theme.ts";

/** A bar and its share in digits, in so many cells. */
export function renderProgress(share: number, width: number, theme: Theme): Line {
  const known = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  const digits = ` ${String(Math.floor(known * 100)).padStart(3)}%`;
  const room = Math.max(0, width - digits.length);
  const full = Math.round(known * room);
  const { full: done, empty } = theme.glyphs;
  return [
    span(done.repeat(full), theme.styles.accent),
    span(empty.repeat(room - full), theme.styles.muted),
    span(digits),
  ].filter(({ text }) => text !== "");
}

/** The picture for a moment. Nothing turns by itself: whoever shows it decides when there is a next one. */
export function spinnerFrame(tick: number, theme: Theme): string {
  const { spinner } = theme.glyphs;
  return spinner[Math.abs(Math.trunc(tick)) % spinner.length] ?? "";
}
