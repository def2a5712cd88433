import { renderProgress, spinnerFrame } from "../../../tui/components/progress.ts";
import { renderRule } from "../../../tui/components/rule.ts";
import type { ScreenSize } from "../../../tui/screen/screen.ts";
import { type Line, line, type Span, span } from "../../../tui/style/styled-line.ts";
import type { Theme } from "../../../tui/style/theme.ts";
import { truncateLine } from "../../../tui/style/wrap.ts";
import { type BudgetShare, budgetShares, type RichState, type RichStory } from "./rich-state.ts";
import { type Signs, shownTime } from "./signs.ts";

export interface RichPlace {
  size: ScreenSize;
  theme: Theme;
  signs: Signs;
  /** Wall clock, milliseconds. */
  now: number;
}

const BAR_WIDTH = 12;

/** The live part of a run's screen: stories, what is being done, what is used up. Empty once it is over. */
export function richView(state: RichState, place: RichPlace): Line[] {
  if (state.isOver) return [];
  const { size, theme } = place;
  const head = renderRule(`${state.task} ${place.signs.dot} iteration ${state.iteration}`, size.columns, theme);
  const foot = [activityRow(state, place), budgetRow(budgetShares(state, place.now), place)];
  const room = Math.max(1, size.rows - foot.length - 2);
  const rows = [head, ...storyRows(state.stories, room, place), ...foot];
  return rows.map((row) => truncateLine(row, size.columns, theme.glyphs.ellipsis));
}

/** Where not all fit, those around the one at work do; the others are counted. */
function storyRows(stories: readonly RichStory[], room: number, place: RichPlace): Line[] {
  if (stories.length <= room) return stories.map((story) => storyRow(story, place));
  const at = stories.findIndex(({ standing }) => standing === "working" || standing === "open");
  const shown = room - 1;
  const first = Math.max(0, Math.min(stories.length - shown, at - 1));
  const passed = stories.filter(({ standing }) => standing === "proven" || standing === "unverified").length;
  const more = line(span(`  ${passed} of ${stories.length} stories pass`, place.theme.styles.muted));
  return [...stories.slice(first, first + shown).map((story) => storyRow(story, place)), more];
}

function storyRow({ id, title, standing, note }: RichStory, { signs, theme }: RichPlace): Line {
  const { styles } = theme;
  const looks = {
    open: { sign: signs.open, style: styles.muted, word: "" },
    working: { sign: signs.working, style: styles.accent, word: "" },
    proven: { sign: signs.passed, style: styles.success, word: "proven" },
    unverified: { sign: signs.passed, style: styles.warning, word: "unverified" },
  }[standing];
  const about = [looks.word, note].filter((text) => text !== "").join(" ");
  return line(
    span(`${looks.sign} `, looks.style),
    span(`${id} `, styles.strong),
    span(title, standing === "working" ? styles.text : styles.muted),
    span(about === "" ? "" : `  ${about}`, styles.muted),
  );
}

function activityRow({ activity, since, waiting, runner }: RichState, { now, theme, signs }: RichPlace): Line {
  if (waiting !== undefined && since === undefined) {
    const left = Math.max(0, waiting.until - now);
    return line(span(`waiting ${shownTime(left)} ${signs.dot} ${waiting.reason}`, theme.styles.warning));
  }
  if (since === undefined) return line(span("between two iterations", theme.styles.muted));
  const elapsed = Math.max(0, now - since);
  return line(
    span(`${spinnerFrame(Math.floor(elapsed / 1000), theme)} `, theme.styles.accent),
    span(`${runner} ${signs.dot} ${activity} ${signs.dot} ${shownTime(Math.floor(elapsed / 1000) * 1000)}`),
    span("   Ctrl+C stops", theme.styles.muted),
  );
}

function budgetRow(shares: readonly BudgetShare[], { theme }: RichPlace): Line {
  const parts: Span[] = shares.flatMap(({ name, share, words }, index) => [
    span(index === 0 ? "" : "   "),
    span(`${name} `, theme.styles.muted),
    ...(words.includes("/") ? [...renderProgress(share, BAR_WIDTH, theme), span(" ")] : []),
    span(words),
  ]);
  return line(...parts);
}
