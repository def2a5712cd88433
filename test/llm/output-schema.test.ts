import { describe, expect, test } from "bun:test";
import { openaiCompletions } from "../../src/llm/protocols/openai-completions.ts";
import { openaiResponses } from "../../src/llm/protocols/openai-responses.ts";
import { chatModel, chatRequest } from "../support/chat-requests.ts";

const STRICT = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};
const LOOSE = { type: "object", properties: { name: { type: "string" } } };
const openai = { provider: "openai", baseUrl: "https://api.openai.com/v1" };

const chat = (outputSchema: Record<string, unknown>, model: object = openai) =>
  openaiCompletions.buildRequest(chatRequest({ outputSchema }), chatModel(model)).body.response_format;
const responses = (outputSchema: Record<string, unknown>) =>
  openaiResponses.buildRequest(chatRequest({ outputSchema }), chatModel({ ...openai, api: "openai-responses" })).body
    .text;

describe("the schema of an answer", () => {
  test("is sent to OpenAI's APIs, strictly only where it already is strict", () => {
    expect([chat(STRICT), chat(LOOSE)]).toEqual([
      { type: "json_schema", json_schema: { name: "answer", schema: STRICT, strict: true } },
      { type: "json_schema", json_schema: { name: "answer", schema: LOOSE, strict: false } },
    ]);
    expect([responses(STRICT), responses(LOOSE)]).toEqual([
      { format: { type: "json_schema", name: "answer", schema: STRICT, strict: true } },
      { format: { type: "json_schema", name: "answer", schema: LOOSE, strict: false } },
    ]);
  });

  test("that is no object, or for an endpoint that only imitates OpenAI's, is left to the prompt", () => {
    expect([chat({ type: "array" }), responses({ type: "array" })]).toEqual([undefined, undefined]);
    expect(chat(STRICT, { provider: "local", baseUrl: "http://127.0.0.1:9/v1", auth: "none" })).toBeUndefined();
  });
});
