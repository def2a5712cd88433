import type { TellNews } from "../../../loop/loop-news.ts";
import type { Story } from "../../../protocol/loop-tasks.ts";
import type { Clock } from "../../../system/clock.ts";
import { createScreen } from "../../../tui/screen/create-screen.ts";
import { createFramePacer } from "../../../tui/screen/frame-pacer.ts";
import { reflowOf } from "../../../tui/screen/reflow.ts";
import type { ColourDepth } from "../../../tui/style/colours.ts";
import { type Line, line, span } from "../../../tui/style/styled-line.ts";
import { createTheme, type Theme } from "../../../tui/style/theme.ts";
import { createPlainFace, type PlainView } from "./plain-face.ts";
import { foldRich, type RichState, startRichState } from "./rich-state.ts";
import { richView } from "./rich-view.ts";
import type { Signs } from "./signs.ts";

export interface RichOptions {
  view: PlainView;
  stories: readonly Story[];
  clock: Clock;
  depth: ColourDepth;
  isAscii: boolean;
  terminal: { name: string; program: string };
}

const FRAME_MS = 100;
const TICK_MS = 1000;

/** A live view at the bottom of the terminal; everything else goes into its scrollback, line by line, as in the plain face. */
export function openRichFace(options: RichOptions): { tell: TellNews; close(): Promise<void> } {
  const { view, clock } = options;
  const theme = createTheme(options.isAscii ? "ascii" : "dark");
  let state: RichState = startRichState(view.task, options.stories);
  const screen = createScreen({
    write: (text) => process.stdout.write(text),
    size: windowSize,
    print: { depth: options.depth, hasLinks: false },
    modes: { hasBracketedPaste: false, hasExtendedKeys: false, hasFocusReports: false },
    reflow: () => reflowOf({ term: options.terminal.name, program: options.terminal.program }),
    setTimer: (callback, ms) => clock.timer(ms, callback),
    now: () => clock.monotonic(),
    isPlain: false,
  });
  const show = () => {
    screen.draw(richView(state, { size: windowSize(), theme, signs: view.signs, now: clock.now() }));
    if (!state.isOver) tick.keep();
  };
  const setTimer = (callback: () => void, ms: number) => clock.timer(ms, callback);
  const pacer = createFramePacer({ frame: show, intervalMs: FRAME_MS, now: () => clock.monotonic(), setTimer });
  const tick = secondHand(clock, () => pacer.request());
  const commit = (text: string) => {
    screen.commit(
      text
        .replace(/\n$/, "")
        .split("\n")
        .map((row) => styledRow(row, view.signs, theme)),
    );
    pacer.request();
  };
  const plain = createPlainFace(view, { say: commit, repeat: commit });
  const resized = () => {
    screen.resized();
    pacer.request();
  };
  const drained = () => screen.drained();
  process.stdout.on("resize", resized);
  process.stdout.on("drain", drained);
  screen.start();
  show();
  return {
    tell(news) {
      state = foldRich(state, news);
      plain(news);
      pacer.request();
    },
    async close() {
      process.stdout.off("resize", resized);
      process.stdout.off("drain", drained);
      tick.stop();
      pacer.stop();
      screen.draw([]);
      screen.stop();
    },
  };
}

function windowSize() {
  const [columns = 80, rows = 24] = process.stdout.getWindowSize?.() ?? [];
  return { columns, rows };
}

/** One frame a second while a run goes on: times and countdowns move. */
function secondHand(clock: Clock, onTick: () => void) {
  let cancel: (() => void) | undefined;
  return {
    keep() {
      cancel ??= clock.timer(TICK_MS, () => {
        cancel = undefined;
        onTick();
      });
    },
    stop() {
      cancel?.();
    },
  };
}

/** A line of the plain face in its colours; the sign it begins with says the same. */
function styledRow(text: string, signs: Signs, { styles }: Theme): Line {
  const first = text.trimStart().slice(0, Math.max(signs.rule.length, 1));
  if (text.startsWith(signs.rule)) return line(span(text, styles.heading));
  if (first.startsWith(signs.passed)) return line(span(text, styles.success));
  if (first.startsWith(signs.failed)) return line(span(text, styles.error));
  if (first.startsWith(signs.warning)) return line(span(text, styles.warning));
  const tag = /^(AI|THINK|SYS|TOOL|PROMPT|USER|PLAN|ACTIONS|REPORT) +/.exec(text)?.[0];
  return tag === undefined ? line(text) : line(span(tag, styles.muted), text.slice(tag.length));
}
