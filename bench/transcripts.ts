import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AdapterName, AgentLine } from "../src/loop/transcripts/adapter.ts";
import { ADAPTERS } from "../src/loop/transcripts/adapters.ts";
import { EMPTY_SUMMARY, foldSummary } from "../src/loop/transcripts/transcript-summary.ts";
import { comparePrograms } from "./measure.ts";
import type { Row } from "./rows.ts";

// What reading an agent's output costs: the adapter and the summary the loop folds from its events, over lines real agents printed.
// The floor does the least a reader can do with the same lines: parse them where they are JSON, otherwise cut them apart.

const LINES = 200_000;
const RUNS = 5;
/** 200,000 lines a second of one core. */
const MOST_MS = 1000;

const SUBJECTS: { name: AdapterName; what: string; lines: () => AgentLine[]; isJson: boolean }[] = [
  { name: "plain", what: "plain text", lines: () => fixture("codex/edit.text.stderr.txt"), isJson: false },
  { name: "rtf1", what: "RTF1", lines: rtf1Lines, isJson: false },
  { name: "codex", what: "codex text", lines: () => fixture("codex/tools.text.stderr.txt"), isJson: false },
  { name: "codex", what: "codex JSON lines", lines: () => fixture("codex/tools.json.jsonl"), isJson: true },
  { name: "claude", what: "claude stream-json", lines: () => fixture("claude/edit.stream-json.jsonl"), isJson: true },
  {
    name: "claude",
    what: "claude partial messages",
    lines: () => fixture("claude/sigint.partial.jsonl"),
    isJson: true,
  },
  { name: "ralph", what: "ralph events", lines: () => fixture("ralph/tools.jsonl"), isJson: true },
];

export async function transcriptRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, what, lines, isJson } of SUBJECTS) {
    const many = longRun(lines());
    const whole = many.map((line) => line.text).join("\n");
    const pair = await comparePrograms(
      RUNS,
      () => timed(() => (isJson ? parseAll(many) : whole.split("\n").length)),
      () => timed(() => read(name, many)),
    );
    const measure = `CPU for ${LINES.toLocaleString("en")} lines of ${what} (floor: ${isJson ? "JSON.parse" : "splitting them"})`;
    rows.push({ measure, unit: "ms", pair, most: MOST_MS });
  }
  return rows;
}

/** The first line and the last one once, as in a real run; what is between them again and again. */
function longRun(lines: readonly AgentLine[]): AgentLine[] {
  const between = lines.slice(1, -1);
  const middle = Array.from({ length: LINES - 2 }, (_, index) =>
    between.slice(index % between.length, (index % between.length) + 1),
  );
  return [...lines.slice(0, 1), ...middle.flat(), ...lines.slice(-1)];
}

function parseAll(lines: readonly AgentLine[]): void {
  for (const { text } of lines) JSON.parse(text);
}

function read(name: AdapterName, lines: readonly AgentLine[]): number {
  const adapter = ADAPTERS[name];
  let state = adapter.start({ prompt: "Fix the bug in calc.mjs and run its test." });
  let summary = EMPTY_SUMMARY;
  for (const line of lines) {
    const step = adapter.step(state, line);
    state = step.state;
    for (const event of step.events) summary = foldSummary(summary, event);
  }
  return summary.tools.started;
}

/** CPU time, so that what else the machine does is not part of it. */
async function timed(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function fixture(path: string): AgentLine[] {
  const file = join(import.meta.dir, "../test/fixtures/transcripts", path);
  const stream = path.includes("stderr") ? "stderr" : "stdout";
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((text, index) => ({ text, stream, atMs: index }));
}

function rtf1Lines(): AgentLine[] {
  return [
    "Looking at the files.",
    '@@RALPH@@ {"type":"text","tag":"THINK","text":"Plan: inspect auth layer"}',
    '@@RALPH@@ {"type":"tool_start","tool":{"id":"t1","name":"shell","input":{"cmd":"rg -n authz -S ."}}}',
    '@@RALPH@@ {"type":"tool_output","tool":{"id":"t1"},"text":"src/auth.ts:12: authz"}',
    '@@RALPH@@ {"type":"tool_end","tool":{"id":"t1","status":"ok","duration_ms":218}}',
    '@@RALPH@@ {"type":"usage","usage":{"prompt_tokens":1234,"completion_tokens":567,"total_tokens":1801}}',
  ].map((text, atMs) => ({ text, stream: "stdout", atMs }));
}
