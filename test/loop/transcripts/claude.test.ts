import { describe, expect, test } from "bun:test";
import { readMarker } from "../../../src/loop/transcripts/completion-marker.ts";
import { brief, fixtureLines, printed, readTranscript, summaryOf } from "../../support/transcripts.ts";

const event = (fields: object) => JSON.stringify({ session_id: "s", ...fields });
const says = (content: object[], rest: object = {}) =>
  event({ type: "assistant", message: { id: "m", content }, ...rest });
const returns = (fields: object, rest: object = {}) =>
  event({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "q", ...fields }] }, ...rest });
const result = (fields: object) =>
  event({ type: "result", subtype: "success", is_error: false, result: "Done.", ...fields });
const question = {
  type: "tool_use",
  id: "q",
  name: "AskUserQuestion",
  input: { questions: [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }] },
};
const summary = (...lines: string[]) => summaryOf(readTranscript("claude", printed(...lines)));

describe("what Claude Code asks", () => {
  test.each([
    ["comes back as an error", [returns({ is_error: true, content: "no" })]],
    ["comes back without answers", [returns({ content: "" }, { tool_use_result: { questions: [], answers: {} } })]],
    ["comes back with an empty answer", [returns({ content: "" }, { tool_use_result: { answers: { "Which?": "" } } })]],
    ["never comes back", []],
    [
      "is refused by its gate, too",
      [
        returns({ is_error: true }),
        result({ permission_denials: [{ tool_name: "AskUserQuestion", tool_input: question.input }] }),
      ],
    ],
  ])("stays open when it %s", (_, lines) => {
    expect(summary(says([question]), ...lines).questions).toEqual(["Which? (A / B)"]);
  });

  test("is answered only by an answer", () => {
    const answered = returns({ content: "A" }, { tool_use_result: { answers: { "Which?": "A" } } });
    expect(summary(says([question]), answered, result({})).questions).toEqual([]);
  });

  test("and what its gate refused is in the result, also where that is all it prints", () => {
    const denials = [
      { tool_name: "Bash", tool_use_id: "a", tool_input: { command: "rm -rf /" } },
      { tool_name: "AskUserQuestion", tool_use_id: "q", tool_input: question.input },
    ];
    const { denied, questions } = summary(result({ permission_denials: denials }));
    expect({ denied, questions }).toEqual({ denied: ["Bash: rm -rf /"], questions: ["Which? (A / B)"] });
  });
});

describe("the quota of Claude Code", () => {
  const limited = (info: object) => event({ type: "rate_limit_event", rate_limit_info: info });
  const refused = result({
    is_error: true,
    api_error_status: 429,
    terminal_reason: "api_error",
    result: "Limit reached",
  });

  test("is used up when a limit refuses, until the time it states in seconds or milliseconds", () => {
    const quotas = [1_788_441_600, 1_788_441_600_000].map(
      (resetsAt) => summary(limited({ status: "rejected", rateLimitType: "five_hour", resetsAt })).quota,
    );
    const expected = {
      message: "The usage limit (five hour) of the account is reached.",
      until: "2026-09-03T13:20:00.000Z",
    };
    expect(quotas).toEqual([expected, expected]);
  });

  test("is not used up by a limit that only tells how much is left, or that is paid beyond", () => {
    const lines = [
      limited({ status: "allowed" }),
      limited({ status: "allowed_warning", utilization: 0.9 }),
      limited({ status: "rejected", isUsingOverage: true }),
    ];
    expect(summary(...lines).quota).toBeUndefined();
  });

  test("is why it failed, with the time of the limit before it", () => {
    const { quota, failure } = summary(limited({ status: "rejected", resetsAt: 1_788_441_600 }), refused);
    expect({ quota, failure }).toEqual({
      quota: { message: "Limit reached", until: "2026-09-03T13:20:00.000Z" },
      failure: { message: "Limit reached", cause: "quota" },
    });
  });

  test("is forgotten when it answers after all, and another attempt is only that", () => {
    const retry = event({
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: 429,
      error: "rate_limit",
    });
    expect(readTranscript("claude", printed(retry))[0]).toEqual({
      type: "meta",
      meta: { kind: "retry", message: "Claude Code tries again (1 of 10): 429 rate_limit", waitMs: 500 },
    });
    expect(summary(limited({ status: "rejected" }), retry, result({})).quota).toBeUndefined();
  });
});

describe("how a run of Claude Code ended", () => {
  test.each([
    [
      {
        is_error: true,
        subtype: "error_max_turns",
        errors: ["Reached maximum number of turns (3)"],
        result: undefined,
      },
      { message: "Reached maximum number of turns (3)", cause: "limit" },
    ],
    [
      { is_error: true, subtype: "success", api_error_status: 529, result: "Overloaded" },
      { message: "Overloaded", cause: "provider" },
    ],
    [
      { is_error: true, result: undefined },
      { message: "Claude Code gave up without saying why.", cause: "other" },
    ],
    [{ is_error: false, subtype: "error_during_execution" }, undefined],
  ] as const)("%j", (fields, failure) => {
    expect(summary(result(fields)).failure).toEqual(failure);
  });

  test("a stream without a result was interrupted", () => {
    expect(summary(says([{ type: "text", text: "Hm." }])).failure).toEqual({
      message: "Claude Code ended without a result.",
      cause: "interrupted",
    });
  });
});

describe("whose words they are", () => {
  const marker = "<promise>COMPLETE</promise>";

  test("a subagent's belong to its call, and its marker completes nothing", () => {
    const task = says([{ type: "tool_use", id: "t", name: "Task", input: { prompt: "x" } }]);
    const child = says([{ type: "text", text: marker }], {
      parent_tool_use_id: "t",
      message: { id: "n", content: [{ type: "text", text: marker }] },
    });
    const events = readTranscript("claude", printed(task, child));
    expect(events[1]).toEqual({ type: "tool_output", tool: { id: "t" }, text: marker });
    expect(readMarker(summaryOf(events))).toEqual({ type: "none" });
  });

  test("what is printed beside the events is not the assistant's", () => {
    expect(readMarker(summary(says([{ type: "text", text: "Hm." }]), marker))).toEqual({ type: "none" });
    expect(readMarker(summary(marker))).toEqual({ type: "complete" });
    expect(readTranscript("claude", printed('{"type":"system"}'))).toEqual([
      { type: "text", tag: "AI", text: '{"type":"system"}' },
    ]);
  });

  test("thinking is thinking, and the tokens of a message count once for all its parts", () => {
    const message = (part: object) =>
      event({
        type: "assistant",
        message: {
          id: "m",
          model: "x",
          usage: { input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 },
          content: [part],
        },
      });
    expect(
      readTranscript(
        "claude",
        printed(message({ type: "thinking", thinking: "Hm." }), message({ type: "text", text: "Yes." })),
      ).map(brief),
    ).toEqual([
      "THINK Hm.",
      'usage {"prompt_tokens":10,"completion_tokens":1,"total_tokens":11,"cached_tokens":7,"model":"x","scope":"turn"}',
      "AI Yes.",
      'meta {"kind":"failed","message":"Claude Code ended without a result.","cause":"interrupted"}',
    ]);
  });
});

test("all messages as one array are read like the stream", () => {
  const lines = fixtureLines("claude/edit.stream-json.jsonl");
  const together = printed(`[${lines.map((line) => line.text).join(",")}]`);
  const timeless = (events: ReturnType<typeof readTranscript>) =>
    events.map(brief).map((line) => line.replace(/^(end .*) \d+$/, "$1"));
  expect(timeless(readTranscript("claude", together))).toEqual(timeless(readTranscript("claude", lines)));
});

test("pieces and the whole are shown once, whichever comes first", () => {
  const piece = (text: string) =>
    event({
      type: "stream_event",
      parent_tool_use_id: null,
      event: { type: "content_block_delta", delta: { type: "text_delta", text } },
    });
  const block = (type: string) =>
    event({ type: "stream_event", parent_tool_use_id: null, event: { type, content_block: { type: "text" } } });
  const whole = says([{ type: "text", text: "one\ntwo\nthree" }]);
  const start = [block("content_block_start"), piece("one\ntw"), piece("o\nthr"), piece("ee")];
  const shown = (...lines: string[]) =>
    readTranscript("claude", printed(...lines, result({}))).flatMap((entry) =>
      entry.type === "text" ? [entry.text] : [],
    );
  expect(shown(...start, whole, block("content_block_stop"))).toEqual(["one", "two", "three"]);
  expect(shown(...start, block("content_block_stop"), whole)).toEqual(["one", "two", "three"]);
  expect(shown(...start, says([{ type: "text", text: "other" }]))).toEqual(["one", "two", "other"]);
  expect(shown(...start)).toEqual(["one", "two", "three"]);
});
