import { describe, expect, test } from "bun:test";
import { ADAPTERS } from "../../../src/loop/transcripts/adapters.ts";
import { calloutsOf, foldCallouts, startCallouts } from "../../../src/loop/transcripts/callouts.ts";
import { printed, readTranscript } from "../../support/transcripts.ts";

const EXAMPLE = [
  "Working on it.",
  '@@RALPH@@ {"type":"text","tag":"THINK","text":"Plan: inspect auth layer"}',
  '@@RALPH@@ {"type":"tool_start","tool":{"id":"t1","name":"shell","input":{"cmd":"rg -n authz -S ."}}}',
  '@@RALPH@@ {"type":"tool_output","tool":{"id":"t1"},"text":"src/auth.ts:3\\nsrc/auth.ts:9"}',
  '@@RALPH@@ {"type":"tool_end","tool":{"id":"t1","status":"ok","duration_ms":218}}',
  '@@RALPH@@ {"type":"usage","usage":{"prompt_tokens":1234,"completion_tokens":567,"total_tokens":1801}}',
  '@@RALPH@@ {"type":"meta","meta":{"kind":"final","text":"Done."}}',
];

describe("RTF1", () => {
  test("a line with the prefix is an event, any other line is what the assistant says", () => {
    expect(readTranscript("rtf1", printed(...EXAMPLE))).toEqual([
      { type: "text", tag: "AI", text: "Working on it." },
      { type: "text", tag: "THINK", text: "Plan: inspect auth layer" },
      { type: "tool_start", tool: { id: "t1", name: "shell", input: { cmd: "rg -n authz -S ." } } },
      { type: "tool_output", tool: { id: "t1" }, text: "src/auth.ts:3\nsrc/auth.ts:9" },
      { type: "tool_end", tool: { id: "t1", status: "ok", duration_ms: 218 } },
      { type: "usage", usage: { prompt_tokens: 1234, completion_tokens: 567, total_tokens: 1801 } },
      { type: "meta", meta: { kind: "final", text: "Done." } },
    ]);
  });

  test("an agent that prints it gets a plan, actions and a report", () => {
    const events = readTranscript("rtf1", printed(...EXAMPLE));
    expect(calloutsOf(events.reduce(foldCallouts, startCallouts(ADAPTERS.rtf1.capabilities)))).toEqual({
      plan: ["inspect auth layer"],
      actions: {
        total: 1,
        newest: [{ name: "shell", command: "rg -n authz -S .", status: "ok", durationMs: 218, lines: 2 }],
      },
      report: { inputTokens: 1234, outputTokens: 567 },
    });
  });

  test("an end without a duration gets the time that went by, a call without an end an unknown one", () => {
    const start = (id: string) => `@@RALPH@@ {"type":"tool_start","tool":{"id":"${id}","name":"x"}}`;
    const lines = printed(start("a"), start("b"), '@@RALPH@@ {"type":"tool_end","tool":{"id":"a","status":"fail"}}');
    expect(readTranscript("rtf1", lines).filter((event) => event.type === "tool_end")).toEqual([
      { type: "tool_end", tool: { id: "a", status: "fail", duration_ms: 20 } },
      { type: "tool_end", tool: { id: "b", status: "unknown" } },
    ]);
  });

  test.each([
    ["@@RALPH@@{}", undefined],
    [" @@RALPH@@ {}", undefined],
    ["@@ralph@@ {}", undefined],
    ["@@RALPH@@ ", "there is no JSON object after the prefix"],
    ["@@RALPH@@ [1]", "there is no JSON object after the prefix"],
    ["@@RALPH@@ {", "it is no JSON object"],
    ["@@RALPH@@ {}", '"type" must be one of text, tool_start, tool_output, tool_end, usage, meta'],
    ['@@RALPH@@ {"type":"text","tag":"ai","text":"x"}', '"tag" must be one of AI, THINK, SYS, TOOL, PROMPT, USER'],
    ['@@RALPH@@ {"type":"text","tag":"AI"}', '"text" must be a string'],
    ['@@RALPH@@ {"type":"tool_start","tool":{"id":1,"name":"x"}}', '"tool.id" and "tool.name" must be strings'],
    ['@@RALPH@@ {"type":"tool_start","tool":{"id":"a","name":"x","input":[]}}', '"tool.input" must be an object'],
    ['@@RALPH@@ {"type":"tool_output","tool":{"id":"a"}}', '"tool.id" and "text" must be strings'],
    ['@@RALPH@@ {"type":"tool_end","tool":{"status":"ok"}}', '"tool.id" must be a string'],
    [
      '@@RALPH@@ {"type":"tool_end","tool":{"id":"a","status":"good"}}',
      '"tool.status" must be one of ok, fail, unknown',
    ],
    [
      '@@RALPH@@ {"type":"tool_end","tool":{"id":"a","status":"ok","duration_ms":1.5}}',
      '"tool.duration_ms" must be a whole number from 0 on',
    ],
    ['@@RALPH@@ {"type":"usage"}', '"usage" must be an object'],
    [
      '@@RALPH@@ {"type":"usage","usage":{"prompt_tokens":-1}}',
      '"usage.prompt_tokens" must be a whole number from 0 on',
    ],
    ['@@RALPH@@ {"type":"usage","usage":{"model":4}}', '"usage.model" must be a string'],
    ['@@RALPH@@ {"type":"usage","usage":{"scope":"day"}}', '"usage.scope" must be turn or total'],
    ['@@RALPH@@ {"type":"meta","meta":null}', '"meta" must be an object'],
  ])("%s", (line, problem) => {
    const message = `A line that begins with @@RALPH@@ was not understood: ${problem}.`;
    expect(readTranscript("rtf1", printed(line))).toEqual(
      problem === undefined
        ? [{ type: "text", tag: "AI", text: line }]
        : [
            { type: "meta", meta: { kind: "unreadable", message } },
            { type: "text", tag: "SYS", text: line },
          ],
    );
  });
});
