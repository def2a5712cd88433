// Streamed Markdown through the renderer and the screen of src/tui, as a conversation shows it: finished rows are committed, the
// open ones drawn above an input line, at most thirty frames a second (keys are shown at once).
import { createMarkdownStream } from "../src/tui/markdown/markdown-stream.ts";
import { createScreen } from "../src/tui/screen/create-screen.ts";
import { createFramePacer } from "../src/tui/screen/frame-pacer.ts";
import { line } from "../src/tui/style/styled-line.ts";
import { createTheme } from "../src/tui/style/theme.ts";
import { playDeltas } from "./markdown-deltas.ts";

const COLUMNS = 100;
const screen = createScreen({
  write: (text) => process.stdout.write(text),
  size: () => ({ columns: COLUMNS, rows: 40 }),
  print: { depth: "true", hasLinks: true },
  modes: { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: true },
  reflow: () => "exact",
  setTimer: () => () => {},
  now: () => performance.now(),
  isPlain: false,
});
process.stdout.on("drain", () => screen.drained());
const stream = createMarkdownStream({ theme: createTheme("dark"), hasLinks: true });
let seen = 0;
const frame = () => {
  screen.commit(stream.takeFinished(COLUMNS));
  screen.draw([...stream.openRows(COLUMNS), line(""), line("> "), line(`${seen} deltas`)], { row: 0, column: 2 });
};
const pacer = createFramePacer({
  frame,
  intervalMs: 33,
  now: () => performance.now(),
  setTimer(callback, milliseconds) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
});
screen.start();
await playDeltas((delta) => {
  seen++;
  stream.append(delta);
  pacer.request();
});
pacer.stop();
stream.finish();
frame();
screen.stop();
