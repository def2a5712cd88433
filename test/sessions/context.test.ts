import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import { contextOf, foldContext } from "../../src/sessions/context.ts";
import { INTERRUPTED_TEXT, interruptedResult } from "../../src/sessions/settle-calls.ts";
import { isProviderValid, providerFaults } from "../support/provider-validity.ts";
import { answer, anyEntries, call, chain, result, said, user } from "../support/session-samples.ts";

const messagesOf = (...messages: Parameters<typeof said>[0][]) => foldContext(chain(...messages.map(said))).messages;

describe("the context of a session", () => {
  test("holds the messages of the branch, its choices and nothing else", () => {
    const branch = chain(
      { type: "system-prompt", text: "You are Ralph." },
      { type: "model-changed", model: "acme/two" },
      { type: "effort-changed", effort: "high" },
      { type: "mode-changed", mode: "plan" },
      said(user("hello")),
      { type: "label", targetId: "e5", label: "here" },
      { type: "custom", kind: "note", data: 1 },
      said(answer("hi")),
      { type: "model-changed", model: "acme/fallback", temporary: true },
      { type: "name", name: "greeting" },
    );
    expect(foldContext(branch)).toEqual({
      messages: [user("hello"), answer("hi")],
      systemPrompt: "You are Ralph.",
      model: "acme/two",
      effort: "high",
      mode: "plan",
      name: "greeting",
      interrupted: [],
    });
  });

  test("names the model that answered last when none was chosen", () => {
    expect(foldContext(chain(said(user("a")), said(answer("b")))).model).toBe("acme/one");
  });

  test("has the session's name on every branch", () => {
    const entries = chain(said(user("a")), { type: "name", name: "later" });
    expect(contextOf(entries, "e1")).toEqual({ messages: [user("a")], name: "later", interrupted: [] });
  });

  test("puts the summary and what is pinned in place of everything before the first kept entry", () => {
    const pinned = [{ type: "text" as const, text: "goal: ship" }];
    const branch = chain(
      said(user("one")),
      said(answer("two")),
      said(user("three")),
      { type: "compaction", summary: "counted", firstKeptId: "e3", tokensBefore: 9, pinned },
      said(answer("four")),
    );
    const text =
      "<conversation_summary>\nThe conversation up to here was summarised:\ncounted\n</conversation_summary>";
    expect(foldContext(branch).messages).toEqual([
      { role: "user", content: [{ type: "text", text }, ...pinned] },
      user("three"),
      answer("four"),
    ]);
  });

  test("a compaction whose first kept entry was lost drops nothing", () => {
    const branch = chain(said(user("one")), { type: "compaction", summary: "s", firstKeptId: "gone", tokensBefore: 9 });
    expect(foldContext(branch).messages).toEqual([user("one")]);
  });

  test("of two compactions the later counts, and a result whose call was summarised goes with it", () => {
    const branch = chain(
      said(user("one")),
      { type: "compaction", summary: "first", firstKeptId: "e1", tokensBefore: 9 },
      said(answer("", call("a"))),
      said(result("a")),
      said(user("next")),
      { type: "compaction", summary: "second", firstKeptId: "e4", tokensBefore: 9 },
    );
    const { messages } = foldContext(branch);
    expect(messages.map((message) => message.role)).toEqual(["user", "user"]);
    expect(JSON.stringify(messages)).toContain("second");
    expect(JSON.stringify(messages)).not.toContain("first");
  });
});

describe("tool calls", () => {
  test("without a result are settled as interrupted and named", () => {
    const branch = chain(said(user("go")), said(answer("", call("a"), call("b"))), said(result("b")));
    expect(foldContext(branch)).toEqual({
      messages: [user("go"), answer("", call("a"), call("b")), interruptedResult(call("a")), result("b")],
      model: "acme/one",
      interrupted: [call("a")],
    });
    expect(interruptedResult(call("a"))).toEqual({
      role: "tool-result",
      toolCallId: "a",
      toolName: "bash",
      content: [{ type: "text", text: INTERRUPTED_TEXT }],
      isError: true,
    });
  });

  test("get their results directly behind them, in the order of the calls", () => {
    const calls = answer("", call("a"), call("b"));
    expect(messagesOf(user("go"), calls, user("wait"), result("b", "2"), result("a", "1"))).toEqual([
      user("go"),
      calls,
      result("a", "1"),
      result("b", "2"),
      user("wait"),
    ]);
  });

  test("that reuse an id in a later answer get the result that followed them", () => {
    const history = [user("go"), answer("", call("a")), result("a", "1"), answer("", call("a")), result("a", "2")];
    expect(messagesOf(...history)).toEqual(history);
  });

  test("have one result: a second one and one nobody asked for are left out", () => {
    expect(messagesOf(user("go"), result("x"), answer("", call("a")), result("a", "1"), result("a", "2"))).toEqual([
      user("go"),
      answer("", call("a")),
      result("a", "1"),
    ]);
  });
});

describe("any history", () => {
  test("begins with the user, and empty messages are left out", () => {
    const thinking = { ...answer(""), content: [{ type: "thinking" as const, text: "hm" }] };
    expect(messagesOf(user(" "), answer(""), thinking, answer("hi"))).toEqual([
      user("[The beginning of this conversation could not be read.]"),
      answer("hi"),
    ]);
  });

  test("is valid for a provider, whatever the entries are and wherever the leaf is", () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(15), (entries: SessionEntry[], leaf) => {
        expect(providerFaults(foldContext(entries).messages)).toEqual([]);
        expect(providerFaults(contextOf(entries).messages)).toEqual([]);
        expect(providerFaults(contextOf(entries, `e${leaf}`).messages)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test("never loses the words of a person", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const plain = entries.filter((entry) => entry.type !== "compaction");
        const spoken = plain.flatMap((entry) =>
          entry.type === "message" && entry.message.role === "user" && isProviderValid([entry.message])
            ? [entry.message]
            : [],
        );
        const { messages } = foldContext(plain);
        expect(messages.filter((message) => spoken.includes(message as never))).toEqual(spoken);
      }),
    );
  });
});
