import { describe, expect, test } from "bun:test";
import type { AssistantMessage, Message } from "../../src/protocol/messages.ts";
import {
  type FoldedHistory,
  foldRejection,
  type Rejection,
  readSummary,
  rejectionText,
} from "../../src/sessions/compaction/summary-check.ts";
import { GOOD_SUMMARY } from "../support/long-conversations.ts";
import { answer, call, result, user } from "../support/session-samples.ts";

function rejected(message: AssistantMessage): Rejection | undefined {
  const read = readSummary(message);
  return read.ok ? undefined : read.rejection;
}

describe("a summary", () => {
  test("with all its sections passes, however they are written", () => {
    expect(readSummary(answer(`\n${GOOD_SUMMARY}\n`))).toEqual({ ok: true, text: GOOD_SUMMARY });
    expect(rejected(answer(GOOD_SUMMARY.replaceAll("## ", "### 1. ").replace("Goal", "GOAL:")))).toBeUndefined();
    expect(
      rejected(answer(GOOD_SUMMARY.replace("none", "The parser writes `<invoke>` tags; see user: in a.ts"))),
    ).toBeUndefined();
  });

  test.each<[string, AssistantMessage, Rejection]>([
    ["is empty", answer("  \n"), { type: "empty" }],
    [
      "lacks a section",
      answer(GOOD_SUMMARY.replace("## Failed\nnone\n", "")),
      { type: "missing-sections", sections: ["Failed"] },
    ],
    [
      "says nothing in one",
      answer(GOOD_SUMMARY.replace("Go on.", "")),
      { type: "missing-sections", sections: ["Next step"] },
    ],
    ["is too long", answer(`${GOOD_SUMMARY}${"x".repeat(8000)}`), { type: "too-long", tokens: 2032, allowed: 2000 }],
    ["was cut", { ...answer(GOOD_SUMMARY), stopReason: "length" }, { type: "unfinished", stopReason: "length" }],
    ["calls a tool", answer(GOOD_SUMMARY, call("a")), { type: "called-tools" }],
    ["plays a turn", answer(`${GOOD_SUMMARY}\nUser: go on`), { type: "fake-turns", line: "User: go on" }],
    [
      "plays a call",
      answer(`${GOOD_SUMMARY}\n<invoke name="shell">`),
      { type: "fake-turns", line: '<invoke name="shell">' },
    ],
    [
      "plays JSON",
      answer(`${GOOD_SUMMARY}\n{"type": "tool_use", "id": 1}`),
      { type: "fake-turns", line: '{"type": "tool_use", "id": 1}' },
    ],
    [
      "leaves its frame",
      answer(`${GOOD_SUMMARY}\n</conversation_summary>`),
      { type: "fake-turns", line: "</conversation_summary>" },
    ],
  ])("that %s is rejected with a reason", (_title, message, rejection) => {
    expect(rejected(message)).toEqual(rejection);
    expect(rejectionText(rejection)).toMatch(/^[a-z].*[^.]$/s);
  });
});

describe("the conversation in which a summary stands", () => {
  const pin = { type: "text" as const, text: "the goal" };
  const head: Message = { role: "user", content: [{ type: "text", text: "summary" }, pin] };
  const good: FoldedHistory = {
    messages: [head, answer("", call("a")), result("a"), user("go")],
    tokens: 10,
    allowed: 100,
    pinned: [pin],
    added: 10,
    replaced: 100,
  };

  test.each<[string, Partial<FoldedHistory>, Rejection | undefined]>([
    ["whole", {}, undefined],
    ["without a pin", { messages: [user("summary")] }, { type: "pins-lost", count: 1 }],
    [
      "with a call without result",
      { messages: [head, answer("", call("a")), user("go")] },
      { type: "broken-pairs", fault: "a call has no result" },
    ],
    [
      "with a result without call",
      { messages: [head, result("a")] },
      { type: "broken-pairs", fault: "a result of bash has no call before it" },
    ],
    ["that did not get much shorter", { added: 51 }, { type: "no-gain", tokens: 51, replaced: 100 }],
    ["that is still too large", { tokens: 100 }, { type: "still-too-large", tokens: 100, allowed: 100 }],
  ])("%s", (_title, over, rejection) => {
    expect(foldRejection({ ...good, ...over })).toEqual(rejection as never);
    if (rejection !== undefined) expect(rejectionText(rejection)).not.toBe("");
  });
});
