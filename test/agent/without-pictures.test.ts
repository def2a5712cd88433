import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { refusesPicture, suspectedPictures, withoutPictures } from "../../src/agent/without-pictures.ts";
import type { Message } from "../../src/protocol/messages.ts";
import type { ModelErrorKind } from "../../src/protocol/model-errors.ts";
import { answer, anyMessage, call, user } from "../support/session-samples.ts";

const picture = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
const note = { type: "text" as const, text: "[image/png left out: the provider could not use it]" };
const look = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({ role: "user", content });
const seen = (part: typeof picture | typeof note): Message => ({
  role: "tool-result",
  toolCallId: "a",
  toolName: "view_image",
  content: [{ type: "text", text: "a.png" }, part],
  isError: false,
});

describe("a conversation without its refused pictures", () => {
  const words = { type: "text" as const, text: "what is this?" };
  const other = { ...picture, data: "BBBB" };
  const conversation = [look(words, other), answer("let me see", call("a")), seen(picture), user("and?")];

  test("has a line where each was, every word and every other picture", () => {
    expect(withoutPictures(conversation, new Set([picture.data]))).toEqual([
      look(words, other),
      answer("let me see", call("a")),
      seen(note),
      user("and?"),
    ]);
  });

  test("suspects what was sent since the last answer, then everything, and nothing twice", () => {
    expect(suspectedPictures(conversation, new Set())).toEqual(["AAAA"]);
    expect(suspectedPictures(conversation, new Set(["AAAA"]))).toEqual(["BBBB"]);
    expect(suspectedPictures(conversation, new Set(["AAAA", "BBBB"]))).toEqual([]);
  });

  test("holds none, has as many messages and parts, and leaves alone what had none", () => {
    fc.assert(
      fc.property(fc.array(anyMessage), (messages) => {
        const all = messages.flatMap(({ content }) =>
          content.flatMap((part) => (part.type === "image" ? part.data : [])),
        );
        const without = withoutPictures(messages, new Set(all));
        expect(without.flatMap(({ content }) => content.map(({ type }) => type))).not.toContain("image");
        expect(without.map(({ content }) => content.length)).toEqual(messages.map(({ content }) => content.length));
        for (const [index, message] of messages.entries()) {
          const hasPicture = message.content.some(({ type }) => type === "image");
          if (!hasPicture) expect(without[index]).toBe(message);
        }
      }),
    );
  });
});

describe("a refusal", () => {
  const error = (message: string, kind: ModelErrorKind = "invalid-request") => ({ kind, message, retryable: false });

  test.each([
    "api.anthropic.com answered 400: Could not process image",
    "api.anthropic.com answered 400: messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    "api.anthropic.com answered 400: messages.1.content.2.image.source.base64: image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes",
    "api.openai.com answered 400: You uploaded an unsupported image. Please make sure your image is valid.",
    "api.openai.com answered 400: The image data you provided does not represent a valid image.",
    "generativelanguage.googleapis.com answered 400: Unable to process input image. Please retry or report",
    "generativelanguage.googleapis.com answered 400: Provided image is not valid.",
  ])("is about a picture: %s", (message) => {
    expect(refusesPicture(error(message))).toBe(true);
  });

  test("is not about a picture when it says something else, or when it is no refusal", () => {
    expect(refusesPicture(error("api.example.com answered 400: tools.0.name is too long"))).toBe(false);
    expect(refusesPicture(error("Could not process image", "rate-limit"))).toBe(false);
  });
});
