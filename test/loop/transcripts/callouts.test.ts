import { describe, expect, test } from "bun:test";
import { MAX_ACTIONS } from "../../../src/loop/transcripts/actions.ts";
import { ADAPTERS } from "../../../src/loop/transcripts/adapters.ts";
import { calloutLines, calloutsOf, foldCallouts, startCallouts } from "../../../src/loop/transcripts/callouts.ts";
import type { TokenPrices } from "../../../src/loop/transcripts/usage-cost.ts";
import type { TranscriptEvent, TranscriptTag } from "../../../src/protocol/transcript-events.ts";
import { fixtureLines, readTranscript } from "../../support/transcripts.ts";

const ALL = ADAPTERS.rtf1.capabilities;
const shown = (events: readonly TranscriptEvent[], capabilities = ALL, prices?: TokenPrices) =>
  calloutsOf(events.reduce(foldCallouts, startCallouts(capabilities, prices)));
const said = (tag: TranscriptTag, text: string): TranscriptEvent => ({ type: "text", tag, text });
const call = (input: object, output = "", id = "a"): TranscriptEvent[] => [
  { type: "tool_start", tool: { id, name: "shell", input } },
  ...(output === "" ? [] : [{ type: "tool_output" as const, tool: { id }, text: output }]),
  { type: "tool_end", tool: { id, status: "ok" } },
];

describe("PLAN", () => {
  test.each([
    [[said("THINK", "Plan: inspect auth layer")], ["inspect auth layer"]],
    [[said("AI", "## Plan\n1. Read it\n2. Fix it\n\nNow I start.\n- not this")], ["1. Read it", "2. Fix it"]],
    [
      [said("THINK", "**Reading the file**\nIt is long."), said("THINK", "**Fixing it**")],
      ["Reading the file", "Fixing it"],
    ],
    [[said("AI", "I'll read the file first.\nThen more."), said("AI", "Let me see.")], ["I'll read the file first."]],
    [
      [said("THINK", "Plan:\n[x] a\n[ ] b"), said("THINK", "Plan:\n[x] a\n[x] b")],
      ["[x] a", "[x] b"],
    ],
    [[said("TOOL", "Plan: x"), said("PROMPT", "Plan: x"), said("SYS", "Plan: x"), said("USER", "Plan: x")], undefined],
    [[said("AI", "The planet is round.")], undefined],
  ])("of %j", (events, plan) => {
    expect(shown(events)).toEqual(plan === undefined ? {} : { plan });
  });
});

describe("ACTIONS", () => {
  test("cuts a command at 80 characters, without the shell around it, and counts lines without the empty ones at the end", () => {
    const events = [
      ...call({ command: `/bin/bash -lc 'echo ${"x".repeat(100)}'` }, "one\ntwo\n"),
      ...call({ cmd: ["ls", "-l"] }, "\n\n"),
      ...call({ changes: [{ path: "a.ts" }, { path: "b.ts" }] }),
    ];
    expect(shown(events).actions).toEqual({
      total: 3,
      newest: [
        { name: "shell", command: `echo ${"x".repeat(74)}…`, status: "ok", lines: 2 },
        { name: "shell", command: "ls -l", status: "ok", lines: 0 },
        { name: "shell", command: "a.ts, b.ts", status: "ok", lines: 0 },
      ],
    });
  });

  test("keeps the newest and counts all", () => {
    const { actions } = shown(
      Array.from({ length: MAX_ACTIONS + 5 }, (_, index) => call({ command: `c${index}` }, "", `t${index}`)).flat(),
    );
    expect([actions?.total, actions?.newest.length, actions?.newest[0]?.command]).toEqual([
      MAX_ACTIONS + 5,
      MAX_ACTIONS,
      "c5",
    ]);
  });
});

describe("REPORT", () => {
  const usage: TranscriptEvent = {
    type: "usage",
    usage: {
      prompt_tokens: 2_000_000,
      completion_tokens: 1_000_000,
      cached_tokens: 1_000_000,
      model: "m",
      cost_usd: 99,
    },
  };

  test("has a cost only where a price for the model was given", () => {
    const tokens = { inputTokens: 2_000_000, outputTokens: 1_000_000, model: "m" };
    expect([shown([usage]), shown([usage], ALL, new Map([["other", { input: 1, output: 1 }]]))]).toEqual([
      { report: tokens },
      { report: tokens },
    ]);
    const prices = new Map([["m", { input: 2, output: 10, cachedInput: 0.5 }]]);
    expect(shown([usage], ALL, prices)).toEqual({ report: { ...tokens, costUsd: 12.5 } });
  });
});

describe("callouts", () => {
  test("are not made of events the adapter cannot tell", () => {
    const events = [
      said("AI", "Plan: x"),
      ...call({ command: "ls" }),
      { type: "usage" as const, usage: { total_tokens: 5 } },
    ];
    expect(shown(events, ADAPTERS.plain.capabilities)).toEqual({});
  });

  test("of a real run, line by line", () => {
    const events = readTranscript("codex", fixtureLines("codex/edit.text.stderr.txt", "codex/edit.text.txt"));
    expect(calloutLines(shown(events, ADAPTERS.codex.capabilities))).toEqual([
      "ACTIONS shell: cat /workspace/calc.mjs (ok, 0 ms, 3 lines)",
      "ACTIONS apply_patch (ok, 10 lines)",
      "ACTIONS shell: node calc.test.mjs (ok, 0 ms, 1 line)",
      "REPORT  56,702 tokens in, 0 out",
    ]);
  });
});
