import { describe, expect, test } from "bun:test";
import { prepareMessages } from "../../src/llm/conversation.ts";
import type { AssistantMessage, Message } from "../../src/protocol/messages.ts";
import { modelNamed } from "../support/model-fixtures.ts";

const MODEL = modelNamed("here/one", { input: ["text", "image"] });
const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function answer(over: Partial<AssistantMessage>): AssistantMessage {
  return {
    role: "assistant",
    provider: "here",
    api: "openai-completions",
    model: "one",
    stopReason: "stop",
    usage: USAGE,
    content: [
      { type: "thinking", text: "hm", signature: "s1" },
      { type: "text", text: "said", signature: "s2" },
      { type: "tool-call", id: "c", name: "read", input: {}, signature: "s3" },
    ],
    ...over,
  };
}

describe("an answer in the conversation", () => {
  test("goes back to the model that wrote it as it was", () => {
    const messages: Message[] = [answer({})];
    expect(prepareMessages(messages, MODEL)).toEqual(messages);
  });

  test.each([{ provider: "there" }, { api: "anthropic-messages" }, { model: "two" }])(
    "of another author (%j) loses its thinking and signatures, and nothing else",
    (author) => {
      expect(prepareMessages([answer(author)], MODEL)).toEqual([
        {
          ...answer(author),
          content: [
            { type: "text", text: "said" },
            { type: "tool-call", id: "c", name: "read", input: {} },
          ],
        },
      ]);
    },
  );
});

describe("a picture in the conversation", () => {
  const image = { type: "image" as const, mediaType: "image/png", data: "AA==" };
  const pdf = { type: "image" as const, mediaType: "application/pdf", data: "AA==" };
  const text = { type: "text" as const, text: "see" };

  test("stays where the model takes it and becomes a note where it does not", () => {
    const question: Message = { role: "user", content: [text, image, pdf] };
    const result: Message = {
      role: "tool-result",
      toolCallId: "c",
      toolName: "read",
      content: [image],
      isError: false,
    };
    const note = (kind: string) => ({ type: "text" as const, text: `[${kind} left out: one does not take it]` });
    expect(prepareMessages([question, result], MODEL)).toEqual([
      { role: "user", content: [text, image, note("application/pdf")] },
      result,
    ]);
    expect(prepareMessages([question, result], modelNamed("here/one"))).toEqual([
      { role: "user", content: [text, note("image/png"), note("application/pdf")] },
      { ...result, content: [note("image/png")] },
    ]);
  });

  test("leaves the messages it is given as they were", () => {
    const messages: Message[] = [{ role: "user", content: [image] }, answer({ model: "two" })];
    const before = structuredClone(messages);
    prepareMessages(messages, modelNamed("here/one"));
    expect(messages).toEqual(before);
  });
});
