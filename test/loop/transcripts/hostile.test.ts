import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ADAPTER_NAMES, type AdapterName, type AgentLine } from "../../../src/loop/transcripts/adapter.ts";
import { ADAPTERS } from "../../../src/loop/transcripts/adapters.ts";
import { MAX_JSON_CHARACTERS } from "../../../src/loop/transcripts/json-line.ts";
import { MAX_ID_CHARACTERS, MAX_OPEN_TOOLS } from "../../../src/loop/transcripts/open-tools.ts";
import type { TranscriptEvent } from "../../../src/protocol/transcript-events.ts";
import { transcriptEvent } from "../../../src/protocol/transcript-events.ts";
import { FIXTURE_PROMPT, fixtureLines, printed, readTranscript, summaryOf } from "../../support/transcripts.ts";

const RUNS: [AdapterName, AgentLine[]][] = [
  ["codex", fixtureLines("codex/edit.json.stderr.txt", "codex/edit.json.jsonl")],
  ["codex", fixtureLines("codex-direct/fail.json.jsonl")],
  ["codex", fixtureLines("codex/edit.text.stderr.txt", "codex/edit.text.txt")],
  ["codex", fixtureLines("codex/error-401.text.stderr.txt")],
  ["claude", fixtureLines("claude/edit.stream-json.jsonl")],
  ["claude", fixtureLines("claude/fail.partial.jsonl")],
  ["claude", fixtureLines("claude/hello.json.jsonl")],
  ["claude", fixtureLines("claude/error-500.text.txt")],
  ["ralph", fixtureLines("ralph/tools.jsonl")],
  ["ralph", fixtureLines("ralph/refused.jsonl")],
  ["rtf1", printed("Hello.", '@@RALPH@@ {"type":"tool_start","tool":{"id":"a","name":"b"}}', "@@RALPH@@ {")],
  ["plain", printed("Hello.", "", "<promise>COMPLETE</promise>")],
];

/** Also checks that every event is well-formed. */
function read(name: AdapterName, lines: readonly AgentLine[]): TranscriptEvent[] {
  const events = readTranscript(name, lines);
  for (const event of events) expect(transcriptEvent.safeParse(event).success).toBe(true);
  return events;
}

describe("output that is not what it should be", () => {
  test.each(RUNS)("%s cut after every line is read as far as it goes", (name, lines) => {
    const whole = readTranscript(name, lines);
    for (let length = 0; length <= lines.length; length++) {
      const events = read(name, lines.slice(0, length));
      const started = events.filter((event) => event.type === "tool_start").length;
      expect(events.filter((event) => event.type === "tool_end")).toHaveLength(started);
      expect(events.length).toBeLessThanOrEqual(whole.length + 2);
    }
  });

  test.each(RUNS)("%s cut in the middle of its last line shows what it cannot read", (name, lines) => {
    for (const line of lines.slice(0, 12)) {
      const cut = { ...line, text: line.text.slice(0, Math.floor(line.text.length / 2)) };
      const before = lines.slice(0, lines.indexOf(line));
      if (cut.text.startsWith("{")) expect(textOf(read(name, [...before, cut]))).toContain(cut.text);
    }
  });

  test("two transcripts whose lines are mixed never break an adapter", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RUNS),
        fc.constantFrom(...RUNS),
        fc.infiniteStream(fc.boolean()),
        (one, other, turns) => {
          const rest: [AgentLine[], AgentLine[]] = [[...one[1]], [...other[1]]];
          const mixed: AgentLine[] = [];
          while (rest[0].length + rest[1].length > 0) {
            const line = rest[turns.next().value ? 0 : 1].shift() ?? rest[0].shift() ?? rest[1].shift();
            if (line !== undefined) mixed.push(line);
          }
          for (const name of ADAPTER_NAMES) read(name, mixed);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("a changed byte never breaks an adapter, and a line it cannot read any more is shown whole", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RUNS),
        fc.nat(),
        fc.nat(),
        fc.nat({ max: 255 }),
        ([name, lines], at, where, byte) => {
          const line = lines[at % lines.length];
          if (line === undefined || line.text === "") return;
          const bytes = Buffer.from(line.text);
          bytes[where % bytes.length] = byte;
          const text = bytes.toString().replaceAll("\n", " ");
          const events = read(name, lines.with(at % lines.length, { ...line, text }));
          if (line.text.startsWith("{") && !isJson(text)) expect(textOf(events)).toContain(text);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("any lines at all never break an adapter", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constantFrom(
        "user",
        "codex",
        "exec",
        "apply patch",
        "tokens used",
        "@@RALPH@@ ",
        "{",
        "[]",
        "\u0000",
        "\u001b[31mcodex\u001b[0m",
      ),
      fc.json().map((json) => `@@RALPH@@ ${json}`),
      fc
        .record({
          type: fc.constantFrom("assistant", "user", "result", "system", "item.completed", "message-end", "tool-end"),
          session_id: fc.string(),
          message: fc.jsonValue(),
          item: fc.jsonValue(),
          result: fc.jsonValue(),
          usage: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...ADAPTER_NAMES),
        fc.array(fc.tuple(piece, fc.constantFrom("stdout", "stderr"))),
        (name, lines) => {
          read(
            name,
            lines.map(([text, stream], atMs) => ({ text, stream, atMs })),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each(RUNS)("%s never changes a state it gave out", (name, lines) => {
    const adapter = ADAPTERS[name];
    const states = [deepFrozen(adapter.start({ prompt: FIXTURE_PROMPT }))];
    const steps = lines.map((line) => {
      const step = adapter.step(states.at(-1), line);
      states.push(deepFrozen(step.state));
      return step.events;
    });
    expect(lines.map((line, index) => adapter.step(states[index], line).events)).toEqual(steps);
  });
});

describe("an agent that wants to fill the memory", () => {
  const endless: [AdapterName, (number: number) => string][] = [
    ["rtf1", (id) => `@@RALPH@@ {"type":"tool_start","tool":{"id":"t${id}","name":"x"}}`],
    ["codex", (id) => `{"type":"item.started","item":{"id":"i${id}","type":"command_execution","command":"x"}}`],
    [
      "claude",
      (id) =>
        `{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","id":"i${id}","name":"AskUserQuestion","input":{}}]}}`,
    ],
    ["ralph", (id) => `{"type":"tool-start","call":{"id":"i${id}","name":"ask_user","input":{"question":"q${id}"}}}`],
  ];

  test.each(endless)("%s gives up the oldest of the calls that never end", (name, line) => {
    const lines = printed(...Array.from({ length: 10 * MAX_OPEN_TOOLS }, (_, index) => line(index)));
    const adapter = ADAPTERS[name];
    let state = adapter.start({ prompt: "" });
    for (const entry of lines) state = adapter.step(state, entry).state;
    expect(JSON.stringify(state).length).toBeLessThan(8000);
    const ends = readTranscript(name, lines).filter((event) => event.type === "tool_end");
    expect(ends).toHaveLength(lines.length);
    expect(ends.every((event) => event.type === "tool_end" && event.tool.status === "unknown")).toBe(true);
  });

  test.each([...ADAPTER_NAMES])("%s shows a line of ten million characters and keeps nothing of it", (name) => {
    const long = `{"type":"text","text":"${"x".repeat(10_000_000)}"}`;
    expect(long.length).toBeGreaterThan(MAX_JSON_CHARACTERS);
    const { state, events } = ADAPTERS[name].step(ADAPTERS[name].start({ prompt: "" }), {
      text: long,
      stream: "stderr",
      atMs: 0,
    });
    expect(events.some((event) => event.type === "text" && event.text === long)).toBe(true);
    expect(JSON.stringify(state).length).toBeLessThan(1000);
  });

  test("a message, an id and a streamed line are kept only up to their bounds", () => {
    const said = JSON.stringify({
      type: "item.completed",
      item: { id: "m", type: "agent_message", text: "y".repeat(1_000_000) },
    });
    const call = JSON.stringify({
      type: "item.started",
      item: { id: "z".repeat(1_000_000), type: "web_search", query: "" },
    });
    const piece = JSON.stringify({
      type: "message-update",
      event: { type: "text-delta", index: 0, text: "w".repeat(10_000) },
    });
    const sizes = [
      ["codex", [said, call]],
      ["ralph", Array.from({ length: 50 }, () => piece)],
    ] as const;
    for (const [name, lines] of sizes) {
      let state = ADAPTERS[name].start({ prompt: "" });
      for (const line of printed(...lines)) state = ADAPTERS[name].step(state, line).state;
      expect(JSON.stringify(state).length).toBeLessThan(70_000);
    }
    const events = readTranscript("codex", printed(said, call));
    expect(events.flatMap((event) => (event.type === "tool_start" ? [event.tool.id.length] : []))).toEqual([
      MAX_ID_CHARACTERS,
    ]);
    const streamed = readTranscript("ralph", printed(...Array.from({ length: 50 }, () => piece)));
    expect(streamed.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe("w".repeat(500_000));
  });

  test("keys that would reach a prototype stay ordinary keys", () => {
    const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"command":"x"}';
    const lines = printed(
      `@@RALPH@@ {"type":"tool_start","tool":{"id":"__proto__","name":"constructor","input":${evil}}}`,
      `@@RALPH@@ {"type":"__proto__"}`,
      `@@RALPH@@ {"type":"usage","usage":{"__proto__":1,"prompt_tokens":1}}`,
      `@@RALPH@@ {"type":"meta","meta":${evil}}`,
      `{"type":"constructor","session_id":"s","item":{"type":"toString","__proto__":{"type":"agent_message"}}}`,
      `{"type":"item.completed","item":{"type":"__proto__","text":"x"}}`,
    );
    for (const name of ADAPTER_NAMES) summaryOf(read(name, lines));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("input that nests too deep is left out, so that the event can be written down", () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const lines = printed(
      `{"type":"item.started","item":{"id":"m","type":"mcp_tool_call","server":"s","tool":"t","arguments":${deep}}}`,
      `{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","id":"i","name":"n","input":${deep}}]}}`,
      `{"type":"tool-start","call":{"id":"c","name":"n","input":${deep}}}`,
    );
    const starts = (["codex", "claude", "ralph"] as const).map((name) =>
      readTranscript(name, lines).find((event) => event.type === "tool_start"),
    );
    expect(starts).toEqual([
      { type: "tool_start", tool: { id: "m", name: "s.t" } },
      { type: "tool_start", tool: { id: "i", name: "n" } },
      { type: "tool_start", tool: { id: "c", name: "n" } },
    ]);
    expect(readTranscript("rtf1", printed(`@@RALPH@@ {"type":"meta","meta":${deep}}`))[0]).toEqual({
      type: "meta",
      meta: {
        kind: "unreadable",
        message: 'A line that begins with @@RALPH@@ was not understood: "meta" nests deeper than 64 levels.',
      },
    });
  });
});

function textOf(events: readonly TranscriptEvent[]): string {
  return events.map((event) => ("text" in event ? event.text : "")).join("\n");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFrozen);
  }
  return value;
}
