import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import {
  answerEvents,
  assistant,
  DONE,
  type OpenOptions,
  openOnScreen,
  STARTED,
  toolCall,
  toolEnd,
  user,
} from "../support/conversation-on-screen.ts";

const READ = toolCall("read", "read_file", { path: "src/app.ts" });
const RUN = toolCall("run", "shell", { command: "npm test" });
const EDIT = toolCall("edit", "edit_file", { path: "src/app.ts" });

/** What stands above the input when all was played. */
async function finished(events: readonly AgentEvent[], options: OpenOptions = {}): Promise<string[]> {
  const world = openOnScreen(options);
  world.play(...events);
  const seen = await world.seen();
  const rule = seen.findLastIndex((row) => /^[─-]+$/.test(row));
  return seen.slice(0, rule);
}

const thinking = (text: string): AgentEvent[] => [
  { type: "message-start", role: "assistant" },
  { type: "message-update", event: { type: "thinking-delta", index: 0, text } },
  { type: "message-update", event: { type: "thinking-end", index: 0 } },
];

describe("the conversation", () => {
  test("shows a prompt and an answer with a list, a table and code, the same at the end as while it streamed", async () => {
    const text = "Done:\n\n- one **thing**\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n";
    expect(await finished([STARTED, user("do it"), ...answerEvents(text), DONE])).toMatchSnapshot();
  });

  test("shows the beginning of what was thought, and all of it where that is wanted", async () => {
    const events = [...thinking("First I look.\n\nThen I act."), ...answerEvents("Yes.").slice(2)];
    expect(await finished(events)).toEqual(["• thinking: First I look.", "", "Yes."]);
    const world = openOnScreen();
    world.press("ctrl+t");
    world.play(...events);
    expect((await world.seen()).slice(0, 5)).toEqual(["First I look.", "", "Then I act.", "", "Yes."]);
  });

  test("shows calls from the moment they are wanted, and in their order though they end out of order", async () => {
    const world = openOnScreen();
    world.play(STARTED, ...answerEvents("I look.", [READ, RUN]), { type: "tool-start", call: RUN });
    world.play({ type: "tool-update", toolCallId: "run", text: "one\n" });
    world.play({ type: "tool-update", toolCallId: "run", text: "two\n" });
    expect((await world.seen()).slice(0, 6)).toEqual([
      "I look.",
      "",
      "• read_file src/app.ts waits",
      "• shell npm test 0 ms",
      "  one",
      "  two",
    ]);
    world.play(toolEnd(RUN, "ok\nExit code 0."));
    expect((await world.seen()).slice(2, 5)).toEqual([
      "• read_file src/app.ts waits",
      "✓ shell npm test 1.5 s",
      "  ok",
    ]);
    world.play({ type: "tool-start", call: READ }, toolEnd(READ, "a\nb\nc", { durationMs: 3 }));
    world.play(...answerEvents("Read."), DONE);
    expect((await world.seen()).slice(0, 7)).toEqual([
      "I look.",
      "",
      "✓ read_file src/app.ts 3 lines",
      "✓ shell npm test 1.5 s",
      "  ok",
      "",
      "Read.",
    ]);
  });

  test("tells a failure, a refusal and a call that was not run apart, by sign and by word", async () => {
    const denied = toolCall("deny", "shell", { command: "rm -rf /" });
    const unknown = toolCall("unknown", "fly", {});
    const events: AgentEvent[] = [
      { type: "message-end", message: assistant("", [RUN, denied, unknown]) },
      { type: "tool-start", call: RUN },
      {
        type: "decided",
        tool: "shell",
        summary: "rm -rf /",
        decision: { effect: "deny", tier: "deny-rule", reason: "the rule Bash(rm:*) denies it." },
      },
      toolEnd(RUN, "boom\nExit code 1.", { isError: true }),
      toolEnd(denied, "Not run: the rule Bash(rm:*) denies it.", { isError: true, durationMs: 0 }),
      toolEnd(unknown, "Not run: there is no tool fly.", { isError: true, durationMs: 0 }),
    ];
    expect(await finished(events)).toEqual([
      "✗ shell npm test failed 1.5 s",
      "  boom",
      "  Exit code 1.",
      "⊘ shell rm -rf / not allowed",
      "  Not run: the rule Bash(rm:*) denies it.",
      "⊘ fly not run",
      "  Not run: there is no tool fly.",
    ]);
    expect((await finished(events, { theme: "ascii", depth: "none" })).filter((row) => !row.startsWith(" "))).toEqual([
      "x shell npm test failed 1.5 s",
      "! shell rm -rf / not allowed",
      "! fly not run",
    ]);
  });

  test("calls that nobody answered end with the work", async () => {
    const stopped: AgentEvent = { ...DONE, outcome: { type: "interrupted" } } as AgentEvent;
    expect(
      await finished([STARTED, ...answerEvents("", [READ, RUN]), { type: "tool-start", call: READ }, stopped]),
    ).toEqual(["✗ read_file src/app.ts failed", "⊘ shell npm test not run", "", "• Stopped."]);
  });

  test("what was committed of an answer stays when it begins anew, and the next attempt is told", async () => {
    const world = openOnScreen();
    const [start, , ...deltas] = answerEvents("First.\n\nSecond is cut");
    world.play(...(start ? [start] : []), ...deltas.slice(0, -2));
    expect(world.app.mayRestart()).toBe(false);
    const error = { kind: "stream-cut" as const, message: "The answer ended in the middle", retryable: true };
    world.play({ type: "message-update", event: { type: "attempt-retry", attempt: 1, delayMs: 2000, error } });
    world.play(...answerEvents("Whole.").slice(1), DONE);
    expect((await world.seen()).slice(0, 5)).toEqual([
      "First.",
      "",
      "! The answer ended in the middle; trying again in 2.0 s (attempt 2)",
      "",
      "Whole.",
    ]);
  });

  test("notices, compactions and why the work stopped stand between the messages", async () => {
    expect(
      await finished([
        { type: "notice", level: "warning", text: "The price of this model is not known." },
        { type: "compaction-start", trigger: "automatic", reason: "90% of the window is used", tokens: 1 },
        {
          type: "compaction-end",
          result: { type: "summarised", messages: 12, tokensBefore: 180_000, tokensAfter: 9000 },
        },
        { ...DONE, outcome: { type: "limit-reached", limit: "turns", allowed: 50 } } as AgentEvent,
      ]),
    ).toEqual([
      "! The price of this model is not known.",
      "",
      "• Compacting: 90% of the window is used",
      "",
      "• 12 messages were summarised, from 180,000 to 9,000 tokens.",
      "",
      "! Stopped: the limit of 50 turns is reached.",
    ]);
  });

  test("a notice is seen at once, also while a call before it still runs", async () => {
    const world = openOnScreen();
    world.play({ type: "tool-start", call: RUN }, { type: "notice", level: "info", text: "look" });
    expect((await world.seen()).slice(0, 3)).toEqual(["• shell npm test 0 ms", "", "• look"]);
    world.play(toolEnd(RUN, ""));
    expect((await world.seen()).slice(0, 3)).toEqual(["✓ shell npm test 1.5 s", "", "• look"]);
  });

  test("shows an edit as a numbered difference", async () => {
    const diff =
      "Changed src/app.ts:\n@@ -1,3 +1,3 @@\n 1:ab|const a = 1;\n-2|const b = 2;\n+2:cd|const b = 3;\n 3:ef|end\nBackup: /b";
    expect(await finished([...answerEvents("", [EDIT]), toolEnd(EDIT, diff, { durationMs: 5 })])).toEqual([
      "✓ edit_file src/app.ts",
      "  1   const a = 1;",
      "  2 - const b = 2;",
      "  2 + const b = 3;",
      "  3   end",
      "  Backup: /b",
    ]);
  });

  test("cuts long output, prints it again when it is wanted, and shows more of what comes after", async () => {
    const output = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
    const world = openOnScreen({ rows: 60 });
    world.play(...answerEvents("", [RUN]), toolEnd(RUN, output));
    expect((await world.seen()).slice(0, 6)).toEqual([
      "✓ shell npm test 1.5 s",
      "  … 36 lines (Ctrl+O) before this",
      "  line 37",
      "  line 38",
      "  line 39",
      "  line 40",
    ]);
    world.press("ctrl+o");
    const seen = await world.seen();
    expect([seen[7], seen[8], seen[47], seen.at(-1)]).toEqual([
      "✓ shell npm test 1.5 s",
      "  line 1",
      "  line 40",
      "output is shown from now on, the last one once more · acme/large-1 · medium",
    ]);
  });

  test("hostile output steers nothing, and long lines and wide characters stay inside of 40 columns", async () => {
    const hostile = "\x1b[2J\x1b]0;title\x07\x1b[3Jcleared\u202eabc\x9b31m\rover\nend";
    const world = openOnScreen({ columns: 40, rows: 20 });
    world.play(user("漢字".repeat(30)), ...answerEvents(`# 漢字\n\n${"long ".repeat(20)}${"x".repeat(90)}`, [RUN]));
    world.play(toolEnd(RUN, `${hostile}\n${"漢".repeat(60)}\n${"y".repeat(500)}`, { isError: true }), DONE);
    expect(await world.seen()).toMatchSnapshot();
    const written = world.terminal.written();
    expect(["\x1b[2J", "\x1b[3J", "\x1b]0;"].filter((sequence) => written.includes(sequence))).toEqual([]);
  });

  test("what was said before stands there with its calls, and pictures are named", async () => {
    const seen = await finished([], {
      earlier: [
        {
          role: "user",
          content: [
            { type: "text", text: "what is this?" },
            { type: "image", mediaType: "image/png", data: "A".repeat(4096) },
          ],
        },
        assistant("I look.", [READ]),
        {
          role: "tool-result",
          toolCallId: "read",
          toolName: "read_file",
          content: [{ type: "text", text: "x" }],
          isError: false,
        },
        assistant("A file."),
      ],
    });
    expect(seen).toEqual([
      "› what is this?",
      "  [image/png, 3 KB]",
      "",
      "I look.",
      "",
      "✓ read_file src/app.ts",
      "",
      "A file.",
    ]);
  });
});

test("of a long text that was pasted the beginning and the end are shown", async () => {
  const text = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join("\n");
  const seen = await finished([], { earlier: [{ role: "user", content: [{ type: "text", text }] }], rows: 60 });
  expect([seen.length, ...seen.slice(30, 35), seen.at(-1)]).toEqual([
    41,
    "  line 31",
    "  line 32",
    "  … 260 rows are not shown here",
    "  line 293",
    "  line 294",
    "  line 300",
  ]);
});

test("an answer may have more rows than fit into the arguments of a call", async () => {
  const world = openOnScreen();
  world.emit(STARTED);
  world.emit({ type: "message-start", role: "assistant" });
  world.emit({
    type: "message-update",
    event: { type: "text-delta", index: 0, text: `~~~\n${"a\n".repeat(700_000)}` },
  });
  expect(world.app.takeFinished({ columns: 80, rows: 24 }).length).toBe(700_000);
});

test("while Ralph works, the status says what stops it", async () => {
  const world = openOnScreen();
  world.play(STARTED);
  const working = (await world.seen()).at(-1);
  world.play(DONE);
  expect([working?.includes("· Esc stops"), (await world.seen()).at(-1)?.includes("Esc")]).toEqual([true, false]);
});
