import { describe, expect, test } from "bun:test";
import type { AgentLine } from "../../../src/loop/transcripts/adapter.ts";
import { readMarker } from "../../../src/loop/transcripts/completion-marker.ts";
import { brief, fixtureLines, printed, readTranscript, summaryOf } from "../../support/transcripts.ts";

const told = (...texts: string[]): AgentLine[] => printed(...texts).map((line) => ({ ...line, stream: "stderr" }));
const briefly = (lines: AgentLine[], options = {}) => readTranscript("codex", lines, options).map(brief);

describe("who speaks in Codex's text", () => {
  test("a word on a line of its own switches, with or without a colon, in any case, and is not shown", () => {
    const roles = ["Assistant:", "a", "THINKING", "b", "analysis", "c", "system", "d", "final", "e", "User:", "f"];
    expect(briefly(told("first", ...roles), { prompt: "" })).toEqual([
      "SYS first",
      "AI a",
      "THINK b",
      "THINK c",
      "SYS d",
      "AI e",
      "PROMPT f",
    ]);
  });

  test("a word inside of a line switches nothing", () => {
    expect(briefly(told("codex", "the user", " user", "user: hello"))).toEqual([
      "AI the user",
      "AI  user",
      "AI user: hello",
    ]);
  });

  test("both streams in one are read the same, and the last message after the count is the assistant's", () => {
    const lines = [...fixtureLines("codex/hello.text.stderr.txt"), ...fixtureLines("codex/hello.text.txt")];
    const events = readTranscript(
      "codex",
      lines.map((line) => ({ ...line, stream: "stdout" })),
    );
    expect(events.slice(-4).map(brief)).toEqual([
      "PROMPT End of the prompt: 1 line hidden.",
      "AI Hello from the mock.",
      'usage {"total_tokens":13977,"scope":"total"}',
      "AI Hello from the mock.",
    ]);
  });

  test("standard output alone is the last message", () => {
    expect(summaryOf(readTranscript("codex", printed("All good.", "<promise>COMPLETE</promise>"))).finalMessage).toBe(
      "All good.\n<promise>COMPLETE</promise>",
    );
  });

  test("the words tokens used without a number after them are text", () => {
    expect(briefly(told("codex", "tokens used", "are many", "tokens used"))).toEqual([
      "AI tokens used",
      "AI are many",
      "AI tokens used",
    ]);
  });

  test("JSON lines win while nobody has spoken, and text that looks like JSON later stays text", () => {
    expect(briefly([...told("a warning"), ...printed('{"type":"turn.started"}')])).toEqual([
      "SYS a warning",
      'meta {"kind":"failed","message":"Codex ended in the middle of a turn.","cause":"interrupted"}',
    ]);
    expect(briefly(told("codex", '{"type":"turn.started"}'))).toEqual(['AI {"type":"turn.started"}']);
  });
});

describe("the prompt that Codex shows", () => {
  const prompt = Array.from({ length: 120 }, (_, index) => (index === 7 ? "codex" : `line ${index}`)).join("\n");
  const echo = told("user", ...prompt.split("\n"), "codex", "Hello.");

  test("is hidden with a note, a count every fifty lines and one at the end, whatever words it holds", () => {
    expect(briefly(echo, { prompt })).toEqual([
      "PROMPT The prompt (120 lines) is hidden.",
      "PROMPT 50 of 120 lines of the prompt.",
      "PROMPT 100 of 120 lines of the prompt.",
      "PROMPT End of the prompt: 120 lines hidden.",
      "AI Hello.",
    ]);
  });

  test("is counted as often as was asked for, or shown", () => {
    expect(briefly(echo, { prompt, promptProgressEvery: 0 })).toHaveLength(3);
    expect(briefly(echo, { prompt, promptProgressEvery: 100 })).toHaveLength(4);
    expect(briefly(echo, { prompt, showPrompt: true })).toEqual([
      ...prompt.split("\n").map((line) => `PROMPT ${line}`),
      "AI Hello.",
    ]);
  });

  test("is shown from the line on where it differs, with a note", () => {
    expect(briefly(told("user", "one", "two", "other", "codex", "Hello."), { prompt: "one\ntwo\nthree" })).toEqual([
      "PROMPT The prompt (3 lines) is hidden.",
      "SYS The prompt that Codex shows differs from the one it was given at line 3: from here on it is shown.",
      "PROMPT other",
      "AI Hello.",
    ]);
  });

  test("never completes a story, although it holds the marker as its last line", () => {
    const asked = "Say this when done:\n<promise>COMPLETE</promise>";
    for (const options of [{ prompt: asked }, { prompt: asked, showPrompt: true }, { prompt: "different" }]) {
      const summary = summaryOf(readTranscript("codex", told("user", ...asked.split("\n")), options));
      expect(readMarker(summary)).toEqual({ type: "none" });
    }
  });
});

describe("the tool calls in Codex's text", () => {
  test.each([
    ["bash -lc 'npm test' in /repo succeeded in 12ms:", "'npm test'", "/repo", "ok", 12],
    ["x -lc npm test in /my repo failed in 1.5s", "npm test", "/my repo", "fail", 1500],
    ["bash -lc 'a in b' in /repo exited 2 in 1m 05s:", "'a in b'", "/repo", "fail", 65_000],
  ])("%s is a whole header", (header, command, cwd, status, duration) => {
    expect(briefly(told("exec", header, "out", "codex"))).toEqual([
      `start tool_1 shell ${JSON.stringify({ command, cwd })}`,
      "output tool_1 out",
      `end tool_1 ${status} ${duration}`,
    ]);
  });

  test("a header without an end is unknown with the whole line as its command, and the next header ends it", () => {
    expect(briefly(told("tool", "something odd", "out", "bash -lc ls in /repo succeeded in 1ms", "thinking"))).toEqual([
      'start tool_1 shell {"command":"something odd"}',
      "output tool_1 out",
      "end tool_1 unknown -",
      'start tool_2 shell {"command":"ls","cwd":"/repo"}',
      "end tool_2 ok 1",
    ]);
  });

  test("a command of several lines has its end below them", () => {
    expect(
      briefly(told("exec", "/bin/bash -lc 'cat <<X", "one", "X' in /repo", " exited 1 in 20ms:", "out", "codex")),
    ).toEqual([
      `start tool_1 shell {"command":"/bin/bash -lc 'cat <<X"}`,
      "output tool_1 one",
      "output tool_1 X' in /repo",
      "output tool_1 out",
      "end tool_1 fail 20",
    ]);
  });
});

describe("why Codex gave up", () => {
  const limit = {
    type: "usage_limit_reached",
    message: "The usage limit has been reached",
    resets_at: 1788879437,
    resets_in_seconds: 9568,
  };

  test.each([
    [{ message: "unexpected status 403 Forbidden" }, "credentials", undefined],
    [{ message: "boom" }, "other", undefined],
    [{ message: "exceeded retry limit, last status: 429 Too Many Requests" }, "quota", {}],
    [{ message: "exceeded retry limit, last status: 503 Service Unavailable" }, "provider", undefined],
    [{ message: "You've hit your usage limit. Try again at 3:04 PM." }, "quota", {}],
    [{ message: "shared rollout token budget exhausted" }, "limit", undefined],
    [{ ...limit, status_code: 429 }, "quota", { until: "2026-09-08T14:57:17.000Z" }],
    [
      { message: `unexpected status 429: ${JSON.stringify({ error: limit })}` },
      "quota",
      { until: "2026-09-08T14:57:17.000Z" },
    ],
    [{ message: "x", error: { code: "rate_limit_exceeded", resets_in_seconds: 30 } }, "quota", { waitMs: 30_000 }],
  ])("%j is %s", (error, cause, when) => {
    const events = readTranscript(
      "codex",
      printed('{"type":"turn.started"}', JSON.stringify({ type: "turn.failed", error })),
    );
    const { failure, quota } = summaryOf(events);
    expect({ failure, quota }).toEqual({
      failure: { message: error.message, cause },
      quota: when === undefined ? undefined : { message: error.message, ...when },
    } as never);
  });

  test("an error before the end of the output is the reason where no turn ended", () => {
    const lines = printed('{"type":"turn.started"}', '{"type":"error","message":"unexpected status 401 Unauthorized"}');
    expect(summaryOf(readTranscript("codex", lines)).failure).toEqual({
      message: "unexpected status 401 Unauthorized",
      cause: "credentials",
    });
  });
});

test("items of other kinds are read, and those nobody knows are shown", () => {
  const item = (type: string, fields: object) => JSON.stringify({ type, item: { id: "x", ...fields } });
  const lines = printed(
    item("item.completed", { type: "reasoning", text: "**Looking**" }),
    item("item.started", {
      type: "todo_list",
      items: [
        { text: "a", completed: true },
        { text: "b", completed: false },
      ],
    }),
    item("item.completed", {
      type: "mcp_tool_call",
      server: "db",
      tool: "query",
      arguments: { sql: "1" },
      status: "failed",
      error: { message: "no" },
    }),
    item("item.completed", {
      type: "command_execution",
      command: "rm -rf /",
      status: "declined",
      aggregated_output: "",
    }),
    item("item.completed", { type: "hologram" }),
    '{"type":"later.event"}',
    '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}}',
    '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}',
  );
  expect(briefly(lines)).toEqual([
    "THINK **Looking**",
    "THINK Plan:\n[x] a\n[ ] b",
    'start x db.query {"sql":"1"}',
    "output x no",
    "end x fail -",
    'start x shell {"command":"rm -rf /"}',
    "end x fail -",
    'meta {"kind":"denied","text":"shell: rm -rf /"}',
    'SYS {"type":"item.completed","item":{"id":"x","type":"hologram"}}',
    'SYS {"type":"later.event"}',
    'usage {"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"cached_tokens":4,"scope":"turn"}',
    'usage {"prompt_tokens":5,"completion_tokens":1,"total_tokens":6,"scope":"turn"}',
  ]);
  expect(summaryOf(readTranscript("codex", lines)).usage).toMatchObject({
    inputTokens: 15,
    outputTokens: 3,
    cachedTokens: 4,
  });
});
