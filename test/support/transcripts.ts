import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AdapterName, AdapterOptions, AgentLine } from "../../src/loop/transcripts/adapter.ts";
import { ADAPTERS } from "../../src/loop/transcripts/adapters.ts";
import { EMPTY_SUMMARY, foldSummary, type TranscriptSummary } from "../../src/loop/transcripts/transcript-summary.ts";
import type { TranscriptEvent } from "../../src/protocol/transcript-events.ts";

/** What the agents of the fixtures were asked. */
export const FIXTURE_PROMPT = "Fix the bug in calc.mjs and run its test.";

/** The lines of files under test/fixtures/transcripts, one after the other, ten milliseconds apart. */
export function fixtureLines(...paths: string[]): AgentLine[] {
  const lines = paths.flatMap((path) => {
    const content = readFileSync(join(import.meta.dir, "../fixtures/transcripts", path), "utf8");
    const stream: AgentLine["stream"] = path.includes("stderr") ? "stderr" : "stdout";
    return content === ""
      ? []
      : content
          .replace(/\n$/, "")
          .split("\n")
          .map((text) => ({ text, stream }));
  });
  return lines.map((line, index) => ({ ...line, atMs: index * 10 }));
}

export function printed(...texts: string[]): AgentLine[] {
  return texts.map((text, index) => ({ text, stream: "stdout", atMs: index * 10 }));
}

export function readTranscript(
  name: AdapterName,
  lines: readonly AgentLine[],
  options: Partial<AdapterOptions> = {},
): TranscriptEvent[] {
  const adapter = ADAPTERS[name];
  const events: TranscriptEvent[] = [];
  let state = adapter.start({ prompt: FIXTURE_PROMPT, ...options });
  for (const line of lines) {
    const step = adapter.step(state, line);
    state = step.state;
    events.push(...step.events);
  }
  return [...events, ...adapter.flush(state).events];
}

export function summaryOf(events: readonly TranscriptEvent[]): TranscriptSummary {
  return events.reduce(foldSummary, EMPTY_SUMMARY);
}

/** One short line an event, for tables that are written out. */
export function brief(event: TranscriptEvent): string {
  switch (event.type) {
    case "text":
      return `${event.tag} ${event.text}`;
    case "tool_start":
      return `start ${event.tool.id} ${event.tool.name} ${JSON.stringify(event.tool.input)}`;
    case "tool_output":
      return `output ${event.tool.id} ${event.text}`;
    case "tool_end":
      return `end ${event.tool.id} ${event.tool.status} ${event.tool.duration_ms ?? "-"}`;
    case "usage":
      return `usage ${JSON.stringify(event.usage)}`;
    case "meta":
      return `meta ${JSON.stringify(event.meta)}`;
  }
}
