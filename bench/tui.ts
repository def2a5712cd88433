import { join } from "node:path";
import { createFuzzySearch } from "../src/tui/components/fuzzy.ts";
import { renderMarkdown } from "../src/tui/markdown/markdown-stream.ts";
import { createScreen } from "../src/tui/screen/create-screen.ts";
import { line } from "../src/tui/style/styled-line.ts";
import { createTheme } from "../src/tui/style/theme.ts";
import { DELTA_COUNT, markdownDeltas } from "./markdown-deltas.ts";
import { comparePrograms, runOnce } from "./measure.ts";
import type { Row } from "./rows.ts";

// The terminal toolkit: what a stream of Markdown costs, and whether a frame gets slower in a long conversation.

export async function tuiRows(): Promise<Row[]> {
  return [await streamRow(), frameRow(), fuzzyRow()];
}

async function streamRow(): Promise<Row> {
  const cpu = async (file: string) => (await runOnce({ argv: [process.execPath, join(import.meta.dir, file)] })).cpuMs;
  const pair = await comparePrograms(
    3,
    () => cpu("floor/print-deltas.ts"),
    () => cpu("stream-markdown.ts"),
  );
  const count = DELTA_COUNT.toLocaleString("en");
  return {
    measure: `CPU for ${count} streamed Markdown deltas on the screen (floor: printing them)`,
    unit: "ms",
    pair,
    reach: 4,
  };
}

/** The floor is the same frame in a conversation of ten messages. */
function frameRow(): Row {
  return {
    measure: "frame after 10,000 messages, p99 (floor: after 10)",
    unit: "ms",
    pair: afterWarming(() => ({ floor: slowFrame(10), ralph: slowFrame(10_000) })),
    most: 8,
  };
}

function afterWarming<Value>(measure: () => Value): Value {
  slowFrame(10);
  return measure();
}

function slowFrame(messages: number): number {
  const theme = createTheme("dark");
  const rows = renderMarkdown(markdownDeltas().slice(0, 200).join(""), 100, { theme, hasLinks: true });
  const screen = createScreen({
    write: () => true,
    size: () => ({ columns: 100, rows: 40 }),
    print: { depth: "true", hasLinks: true },
    modes: { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: true },
    reflow: () => "exact",
    setTimer: () => () => {},
    now: () => performance.now(),
    isPlain: false,
  });
  screen.start();
  for (let message = 0; message < messages; message++) {
    screen.commit(rows);
    screen.draw([line("> ")]);
  }
  const times: number[] = [];
  for (let frame = 0; frame < 2000; frame++) {
    const started = performance.now();
    if (frame % 10 === 0) screen.commit(rows.slice(0, 3));
    screen.draw([...rows.slice(0, 20), line(`> ${"x".repeat(frame % 80)}`), line(`${frame}`)], {
      row: 20,
      column: 2 + (frame % 80),
    });
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/** The slowest keystroke of one typed query. */
function fuzzyRow(): Row {
  const files = Array.from(
    { length: 50_000 },
    (_, index) => `src/area-${index % 97}/part${index % 13}/someFileName${index}.ts`,
  );
  const search = createFuzzySearch(files);
  const query = "area5name42";
  const times = [...query].map((_, index) => {
    const started = process.cpuUsage();
    search.search(query.slice(0, index + 1), 100);
    return process.cpuUsage(started).user / 1000;
  });
  return {
    measure: "CPU for the slowest keystroke of a fuzzy search in 50,000 names",
    unit: "ms",
    pair: { ralph: Math.max(...times) },
    most: 50,
  };
}
