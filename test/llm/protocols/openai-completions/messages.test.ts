import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { NINE_CHARACTERS, SHORT, wireToolCallIds } from "../../../../src/llm/protocols/openai-completions/call-ids.ts";
import { openaiCompletions } from "../../../../src/llm/protocols/openai-completions.ts";
import type { Json } from "../../../../src/protocol/json.ts";
import type { Message } from "../../../../src/protocol/messages.ts";
import type { ModelRequest } from "../../../../src/protocol/model-request.ts";
import type { Compat, Model } from "../../../../src/protocol/models.ts";
import { answered, called, chatModel, chatRequest, returned, said } from "../../../support/chat-requests.ts";

function messagesOf(request: Partial<ModelRequest>, model: Partial<Model> = {}): Json | undefined {
  return openaiCompletions.buildRequest(chatRequest(request), chatModel(model)).body.messages;
}

const IMAGE = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const PDF = { type: "image", mediaType: "application/pdf", data: "cGRm" } as const;
const imageUrl = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
const base = { role: "system", content: "Base." };
const user = (content: Json) => ({ role: "user", content });
const wireCall = (id: string, args = '{"path":"a.ts"}') => ({
  id,
  type: "function",
  function: { name: "read", arguments: args },
});

describe("the user", () => {
  test("is a plain string where there is only text", () => {
    const content = [
      { type: "text", text: "One" },
      { type: "text", text: "Two" },
    ] as const;
    expect(messagesOf({ messages: [{ role: "user", content: [...content] }] })).toEqual([base, user("One\nTwo")]);
  });

  test("is a list of parts where there are images", () => {
    const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "See" }, IMAGE, PDF] }];
    expect(messagesOf({ messages })).toEqual([
      base,
      user([
        { type: "text", text: "See" },
        imageUrl,
        { type: "text", text: "[a PDF document is left out: this endpoint does not take it]" },
      ]),
    ]);
    expect(messagesOf({ messages }, { baseUrl: "https://api.openai.com/v1" })).toEqual([
      base,
      user([
        { type: "text", text: "See" },
        imageUrl,
        { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,cGRm" } },
      ]),
    ]);
  });
});

describe("the model", () => {
  const turn: Message[] = [
    said("Go"),
    answered([{ type: "thinking", text: "Hmm" }, { type: "text", text: "Reading." }, called("call_1")]),
    returned("call_1", "content"),
  ];
  const bare: Message[] = [said("Go"), answered([called("call_1")]), returned("call_1", "content")];
  const result = { role: "tool", tool_call_id: "call_1", content: "content" };
  const assistantOf = (messages: Message[], compat: Compat, model: Partial<Model> = {}) =>
    (messagesOf({ messages }, { reasoning: true, compat, ...model }) as Json[])[2];

  test("speaks, calls and keeps its thoughts to itself", () => {
    expect(messagesOf({ messages: turn })).toEqual([
      base,
      user("Go"),
      { role: "assistant", content: "Reading.", tool_calls: [wireCall("call_1")] },
      result,
    ]);
  });

  const rows: [string, Message[], Compat, Json][] = [
    [
      "gets its thoughts back in the field the endpoint reads",
      turn,
      { reasoningContentField: "reasoning_text" },
      { role: "assistant", content: "Reading.", reasoning_text: "Hmm", tool_calls: [wireCall("call_1")] },
    ],
    [
      "gets its thoughts back as text",
      turn,
      { requiresThinkingAsText: true },
      {
        role: "assistant",
        content: "<thinking>\nHmm\n</thinking>\nReading.",
        tool_calls: [wireCall("call_1")],
      },
    ],
    ["calls without a word", bare, {}, { role: "assistant", content: null, tool_calls: [wireCall("call_1")] }],
    [
      "says something beside its call where the endpoint wants that",
      bare,
      { requiresAssistantContentForToolCalls: true },
      { role: "assistant", content: "Calling read.", tool_calls: [wireCall("call_1")] },
    ],
    [
      "has a thought beside its call where the endpoint wants one",
      bare,
      { requiresReasoningContentForToolCalls: true },
      { role: "assistant", content: null, reasoning_content: "Calling read.", tool_calls: [wireCall("call_1")] },
    ],
    [
      "has an empty thought where inventing one is not allowed",
      bare,
      { requiresReasoningContentForToolCalls: true, allowsSyntheticReasoningContentForToolCalls: false },
      { role: "assistant", content: null, reasoning_content: "", tool_calls: [wireCall("call_1")] },
    ],
  ];
  test.each(rows)("%s", (_title, messages, compat, expected) => {
    expect(assistantOf(messages, compat)).toEqual(expected);
  });

  test("gets signed reasoning blocks back as they came", () => {
    const details = [{ type: "reasoning.text", text: "Hmm", signature: "sig", index: 0 }];
    const messages: Message[] = [
      said("Go"),
      answered([
        { type: "thinking", text: "Hmm", encrypted: JSON.stringify(details) },
        { ...called("call_1"), signature: "thought-signature" },
      ]),
    ];
    expect(assistantOf(messages, { reasoningContentField: "reasoning" })).toEqual({
      role: "assistant",
      content: null,
      reasoning_details: details,
      tool_calls: [{ ...wireCall("call_1"), extra_content: { google: { thought_signature: "thought-signature" } } }],
    });
  });

  test("is left out where it said nothing that can be sent", () => {
    const messages = [said("Go"), answered([{ type: "thinking", text: "Hmm" }]), said("Go on")];
    expect(messagesOf({ messages })).toEqual([base, user("Go"), user("Go on")]);
  });
});

describe("tool results", () => {
  test("follow each other, and their images come behind the last one", () => {
    const withImage: Message = {
      role: "tool-result",
      toolCallId: "call_1",
      toolName: "read",
      content: [IMAGE],
      isError: false,
    };
    const messages = [answered([called("call_1"), called("call_2")]), withImage, returned("call_2", ""), said("And?")];
    expect((messagesOf({ messages }) as Json[]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "call_1", content: "The result is the attached image." },
      { role: "tool", tool_call_id: "call_2", content: "(no output)" },
      user([{ type: "text", text: "Images from the tool results above:" }, imageUrl]),
      user("And?"),
    ]);
  });

  test("carry the tool's name and an answer between them and the user for Mistral, with ids of nine characters", () => {
    const long = "toolu_01A09q90qw90lq917835lq9";
    const messages = [answered([called(long)]), returned(long, "content"), said("And?")];
    const [, assistant, tool, bridge, last] = messagesOf({ messages }, { baseUrl: "https://api.mistral.ai/v1" }) as {
      tool_calls?: { id: string }[];
      tool_call_id?: string;
    }[];
    const id = assistant?.tool_calls?.[0]?.id ?? "";
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect([tool, bridge, last] as Json[]).toEqual([
      { role: "tool", tool_call_id: id, name: "read", content: "content" },
      { role: "assistant", content: "I have the results." },
      user("And?"),
    ]);
  });
});

describe("ids of calls", () => {
  const conversation = (ids: string[]) => ids.flatMap((id) => [answered([called(id)]), returned(id, "")]);

  test("that fit are kept, the others are shortened", () => {
    const ids = ["call_1", "functions.read:0", "D681PevKs", `call_${"x".repeat(60)}|fc_1`];
    expect(ids.map(wireToolCallIds(conversation(ids), SHORT))).toEqual([
      "call_1",
      "functions.read:0",
      "D681PevKs",
      expect.stringMatching(/^call_[0-9a-f]{24}$/),
    ]);
    expect(ids.map(wireToolCallIds(conversation(ids), NINE_CHARACTERS))[2]).toBe("D681PevKs");
  });

  test("stay different even where there is hardly room for that", () => {
    const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const oneDigit = wireToolCallIds(conversation(ids), { fits: /^$/, make: (digits) => digits.slice(0, 1) });
    expect(new Set(ids.map(oneDigit)).size).toBe(8);
  });

  test("stay different and do not change while the conversation grows", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 50 }), { maxLength: 12 }), fc.nat(12), (ids, shown) => {
        const all = ids.map(wireToolCallIds(conversation(ids), NINE_CHARACTERS));
        expect(new Set(all).size).toBe(ids.length);
        for (const id of all) expect(id).toMatch(NINE_CHARACTERS.fits);
        const early = ids.slice(0, shown);
        expect(early.map(wireToolCallIds(conversation(early), NINE_CHARACTERS))).toEqual(all.slice(0, shown));
      }),
    );
  });
});

describe("what changes with every request", () => {
  const system = { base: "Base.", dynamic: "Mode: plan." };
  const single: Partial<Model> = { compat: { supportsMultipleSystemMessages: false } };

  test("is a second system message behind the conversation, in the role of the first", () => {
    expect(messagesOf({ system })).toEqual([base, user("Hello"), { role: "system", content: "Mode: plan." }]);
    const openAi = { baseUrl: "https://api.openai.com/v1", reasoning: true };
    expect(messagesOf({ system }, openAi)).toEqual([
      { role: "developer", content: "Base." },
      user("Hello"),
      { role: "developer", content: "Mode: plan." },
    ]);
  });

  test("is the last text of the user where only one system message is taken", () => {
    expect(messagesOf({ system }, single)).toEqual([base, user("Hello\n\nMode: plan.")]);
    const messages: Message[] = [{ role: "user", content: [IMAGE] }];
    expect(messagesOf({ system, messages }, single)).toEqual([
      base,
      user([imageUrl, { type: "text", text: "Mode: plan." }]),
    ]);
  });

  test("is said by the user behind tool results, so that no earlier message changes", () => {
    const messages = [said("Go"), answered([called("call_1")]), returned("call_1", "content")];
    const sent = messagesOf({ system, messages }, single) as Json[];
    expect(sent.slice(-2)).toEqual([{ role: "tool", tool_call_id: "call_1", content: "content" }, user("Mode: plan.")]);
  });

  const homes: [string, Partial<Model>][] = [
    ["an endpoint with several system messages", {}],
    ["an endpoint with one", single],
    ["Mistral", { baseUrl: "https://api.mistral.ai/v1" }],
    ["Kimi", { baseUrl: "https://api.moonshot.ai/v1", reasoning: true }],
  ];
  test.each(homes)("leaves ten growing requests with the same beginning: %s", (_name, model) => {
    const messages: Message[] = [];
    let previous = "";
    for (let round = 0; round < 10; round += 1) {
      messages.push(
        said(`Question ${round}`),
        answered([{ type: "text", text: "Looking." }, called(`toolu_${round}`)]),
        returned(`toolu_${round}`, `Result ${round}`),
      );
      const request = chatRequest({ messages, system: { base: "Base.", dynamic: `Round ${round}` } });
      const bytes = JSON.stringify(openaiCompletions.buildRequest(request, chatModel(model)).body);
      const stable = previous.slice(0, previous.indexOf(`Result ${round - 1}`) + `Result ${round - 1}`.length);
      if (round > 0) expect(bytes.startsWith(stable)).toBe(true);
      previous = bytes;
    }
  });
});

test("cache marks stand on the instructions and the user's last stable text, never on what changes", () => {
  const model: Partial<Model> = { baseUrl: "https://openrouter.ai/api/v1", id: "anthropic/claude-sonnet-4.5" };
  const mark = { cache_control: { type: "ephemeral" } };
  const messages = [said("One"), answered([{ type: "text", text: "Ok" }]), said("Two")];
  expect(messagesOf({ messages, system: { base: "Base.", dynamic: "Now" } }, model)).toEqual([
    { role: "system", content: [{ type: "text", text: "Base.", ...mark }] },
    user([{ type: "text", text: "One" }]),
    { role: "assistant", content: "Ok" },
    user([
      { type: "text", text: "Two", ...mark },
      { type: "text", text: "Now" },
    ]),
  ]);
  expect(messagesOf({ messages: [said("One")], cacheRetention: "none" }, model)).toEqual([base, user("One")]);
});

test("what the caller holds is never changed", () => {
  const request = chatRequest({ messages: [said("One"), answered([called("call_1")]), returned("call_1", "x")] });
  const before = structuredClone(request);
  openaiCompletions.buildRequest(request, chatModel({ baseUrl: "https://openrouter.ai/api/v1", id: "anthropic/c" }));
  expect(request).toEqual(before);
});
