import { describe, expect, test } from "bun:test";
import { bedrockConverseStream } from "../../../../src/llm/protocols/bedrock-converse-stream.ts";
import type { JsonObject } from "../../../../src/protocol/json.ts";
import type { Message } from "../../../../src/protocol/messages.ts";
import type { ModelRequest } from "../../../../src/protocol/model-request.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import {
  assistant,
  bedrockModel,
  call,
  modelRequest,
  person,
  READ_TOOL,
  result,
} from "../../../support/claude-requests.ts";

function build(request: Partial<ModelRequest> = {}, model: Partial<Model> = {}) {
  return bedrockConverseStream.buildRequest(modelRequest(request), bedrockModel(model));
}

const POINT = { cachePoint: { type: "default" } };
const HOUR = { cachePoint: { type: "default", ttl: "1h" } };
const READ = {
  toolSpec: { name: "read", description: "Reads a file.", inputSchema: { json: READ_TOOL.parameters as JsonObject } },
};
const LLAMA: Partial<Model> = { id: "us.meta.llama4-maverick-17b-instruct-v1:0", name: "Llama 4 Maverick" };
const NOVA: Partial<Model> = { id: "us.amazon.nova-pro-v1:0", name: "Nova Pro" };

test("the smallest request holds the system prompt, the message and the limit", () => {
  expect(build()).toEqual({
    path: "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream",
    headers: { accept: "application/vnd.amazon.eventstream" },
    body: {
      system: [{ text: "You are Ralph." }, POINT],
      messages: [{ role: "user", content: [{ text: "Hello" }, POINT] }],
      inferenceConfig: { maxTokens: 64_000 },
    },
  });
});

test("a request in the middle of the work is sent whole and in order", () => {
  const messages: Message[] = [
    person("Compare the files"),
    assistant(
      { type: "thinking", text: "Both at once.", signature: "sig" },
      { type: "thinking", text: "", encrypted: "c2VjcmV0" },
      { type: "thinking", text: "unsigned" },
      { type: "text", text: "I'll read them." },
      call("tooluse_1", { path: "a.ts" }),
      call("tooluse_2", { path: "b.ts" }),
    ),
    result("tooluse_1", "one"),
    result("tooluse_2", "no such file", { isError: true }),
  ];
  const request: Partial<ModelRequest> = {
    messages,
    tools: [READ_TOOL],
    effort: "high",
    toolChoice: "auto",
    system: { base: "You are Ralph.", dynamic: "Mode: plan" },
    stream: false,
    cacheRetention: "long",
  };
  expect(build(request)).toEqual({
    path: "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse",
    headers: { accept: "application/json" },
    body: {
      toolConfig: { tools: [READ, HOUR], toolChoice: { auto: {} } },
      system: [{ text: "You are Ralph." }, HOUR],
      messages: [
        { role: "user", content: [{ text: "Compare the files" }, HOUR] },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Both at once.", signature: "sig" } } },
            { reasoningContent: { redactedContent: "c2VjcmV0" } },
            { text: "I'll read them." },
            { toolUse: { toolUseId: "tooluse_1", name: "read", input: { path: "a.ts" } } },
            { toolUse: { toolUseId: "tooluse_2", name: "read", input: { path: "b.ts" } } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "tooluse_1", content: [{ text: "one" }] } },
            { toolResult: { toolUseId: "tooluse_2", content: [{ text: "no such file" }], status: "error" } },
            POINT,
            { text: "<context>\nMode: plan\n</context>" },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 64_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 16_384 } },
    },
  });
});

test("the address of a profile is one segment of the path", () => {
  const wireModelId = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc";
  expect(build({}, { wireModelId }).path).toBe(
    "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc/converse-stream",
  );
});

test("an adaptive Claude gets its effort by name", () => {
  const model: Partial<Model> = { id: "global.anthropic.claude-opus-4-7", thinking: { mode: "anthropic-adaptive" } };
  expect(build({ effort: "high" }, model).body.additionalModelRequestFields).toEqual({
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
  });
});

test("extra fields are added, but not over what Ralph decides", () => {
  const extraBody = { serviceTier: { type: "priority" }, messages: [], toolConfig: {} };
  expect(build({}, { compat: { extraBody } }).body).toEqual({ ...build().body, serviceTier: { type: "priority" } });
});

describe("cache points", () => {
  const points = (request: Partial<ModelRequest>, model: Partial<Model>) => {
    const { body } = build({ tools: [READ_TOOL], ...request }, model);
    return [body.toolConfig, body.system, body.messages].map(
      (part) => JSON.stringify(part).split("cachePoint").length - 1,
    );
  };
  const text = (request: Partial<ModelRequest>, model: Partial<Model>) => JSON.stringify(build(request, model).body);

  test("stand behind tools, system prompt and message for Claude, not behind tools for Nova, nowhere for others", () => {
    expect(points({}, {})).toEqual([1, 1, 1]);
    expect(points({}, NOVA)).toEqual([0, 1, 1]);
    expect(points({}, LLAMA)).toEqual([0, 0, 0]);
    expect(points({ cacheRetention: "none" }, {})).toEqual([0, 0, 0]);
  });

  test("are known by the name where the id says nothing", () => {
    expect(points({}, { id: "arn:aws:bedrock:profile/abc", name: "Claude Sonnet 4.5" })).toEqual([1, 1, 1]);
  });

  test.each([
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", true],
    ["global.anthropic.claude-opus-4-7", true],
    ["global.anthropic.claude-opus-5", true],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", false],
    ["us.anthropic.claude-opus-4-1-20250805-v1:0", false],
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", false],
  ])("%s keeps them for an hour: %p", (id, isLong) => {
    expect(text({ cacheRetention: "long" }, { id, name: "" }).includes('"ttl":"1h"')).toBe(isLong);
  });

  test("are not sent to a Claude too old for them", () => {
    expect(points({}, { id: "anthropic.claude-3-sonnet-20240229-v1:0", name: "Claude 3 Sonnet" })).toEqual([0, 0, 0]);
  });
});

test("nothing before the tail changes while the conversation grows and the context changes", () => {
  const history: Message[] = [];
  const heads: string[] = [];
  for (let round = 0; round < 10; round++) {
    history.push(person(`Step ${round}`));
    const request = { messages: history, tools: [READ_TOOL], system: { base: "Base", dynamic: `Todo ${round}` } };
    const { toolConfig, system, messages } = build(request).body;
    const text = JSON.stringify([toolConfig, system, messages]).replaceAll(`,${JSON.stringify(POINT)}`, "");
    heads.push(text.slice(0, text.lastIndexOf(',{"text":"<context>')));
    history.push(
      assistant(call(`id_${round}`)),
      result(`id_${round}`, "ok"),
      assistant({ type: "text", text: "Done" }),
    );
  }
  for (let round = 1; round < heads.length; round++) {
    expect(heads[round]?.startsWith(heads[round - 1] ?? "none")).toBe(true);
    expect(heads[round]).not.toContain("Todo");
  }
});

describe("messages", () => {
  const wire = (messages: Message[], model: Partial<Model> = LLAMA) => build({ messages }, model).body.messages;

  test("pictures are sent as bytes, documents with numbered names and beside a text; other media become a note", () => {
    const png = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const pdf = { type: "image", mediaType: "application/pdf", data: "JVBE" } as const;
    const svg = { type: "image", mediaType: "image/svg+xml", data: "PHN2" } as const;
    const document = (name: string) => ({ document: { format: "pdf", name, source: { bytes: "JVBE" } } });
    const image = { image: { format: "png", source: { bytes: "AAAA" } } };
    const messages: Message[] = [
      { role: "user", content: [png, pdf] },
      assistant(call("tooluse_1")),
      result("tooluse_1", "", { content: [pdf, svg], isError: true }),
    ];
    expect(wire(messages)).toEqual([
      { role: "user", content: [{ text: "Document:" }, image, document("document-1")] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "read", input: {} } }] },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "tooluse_1",
              content: [
                document("document-2"),
                { text: "[image/svg+xml left out: only PNG, JPEG, GIF, WebP and PDF can be sent]" },
              ],
            },
          },
        ],
      },
    ]);
  });

  test("blank texts disappear, an empty result says so, and turns alternate", () => {
    const messages = [person("One"), assistant({ type: "text", text: " " }), person("Two"), result("a", "")];
    expect(wire(messages)).toEqual([
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ text: "(no output)" }] } },
          { text: "One" },
          { text: "Two" },
        ],
      },
    ]);
  });
});

describe("tools", () => {
  const config = (request: Partial<ModelRequest>) => build(request, LLAMA).body.toolConfig;
  const history = [person("Go"), assistant(call("a")), result("a", "ok")];

  test.each([
    ["auto", { auto: {} }],
    ["required", { any: {} }],
    [{ name: "read" }, { tool: { name: "read" } }],
  ] as const)("the choice %p is sent", (toolChoice, expected) => {
    expect(config({ tools: [READ_TOOL], toolChoice })).toEqual({ tools: [READ], toolChoice: expected });
  });

  test("are left out where none may be called, unless the conversation already holds a call", () => {
    expect(config({ tools: [READ_TOOL], toolChoice: "none" })).toBeUndefined();
    expect(config({ tools: [READ_TOOL], toolChoice: "none", messages: history })).toEqual({ tools: [READ] });
  });

  test("of earlier calls are defined where the request has none", () => {
    const description = "No longer available; it was used earlier in this conversation.";
    expect(config({ messages: history })).toEqual({
      tools: [{ toolSpec: { name: "read", description, inputSchema: { json: { type: "object" } } } }],
    });
    expect(config({})).toBeUndefined();
  });
});
