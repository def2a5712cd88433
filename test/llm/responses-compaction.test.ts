import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { prepareMessages } from "../../src/llm/conversation.ts";
import { readCompaction } from "../../src/llm/protocols/openai-responses/compaction.ts";
import {
  azureOpenaiResponses,
  openaiCodexResponses,
  openaiResponses,
} from "../../src/llm/protocols/openai-responses.ts";
import { shortensConversations } from "../../src/llm/server-compaction.ts";
import type { Message } from "../../src/protocol/messages.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";
import { modelNamed } from "../support/model-fixtures.ts";
import { answer, call, result, user } from "../support/session-samples.ts";

const ITEMS = [
  { id: "msg_1", type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
  { id: "cmp_1", type: "compaction", encrypted_content: "gAAAA-é\u2028", created_by: "x" },
];
const CALLS: Message[] = [user("go"), answer("", call("c1", "read")), result("c1", "text")];
const READ = { name: "read", description: "Reads.", parameters: { type: "object" } };
const gpt: Model = modelNamed("openai/gpt", { api: "openai-responses", baseUrl: "https://api.openai.com/v1" });

function requestOf(messages: Message[], over: Partial<ModelRequest> = {}): ModelRequest {
  const system = { base: "Rules.", dynamic: "It is noon." };
  return { system, messages, tools: [READ], effort: "high", sessionId: "s1", stream: false, ...over };
}

describe("a conversation to be shortened", () => {
  test("goes to the endpoint with the rules and without what changes from request to request", () => {
    const { path, body } = openaiResponses.buildRequest(requestOf(CALLS, { compact: true }), gpt);
    expect([path, body]).toEqual([
      "/responses/compact",
      {
        model: "gpt",
        prompt_cache_key: "s1",
        instructions: "Rules.",
        input: [
          { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
          { type: "function_call", call_id: "c1", name: "read", arguments: '{"command":"ls"}' },
          { type: "function_call_output", call_id: "c1", output: "text" },
        ],
      },
    ]);
  });

  test("has the path and the form of each home of the API", () => {
    const codex = { ...gpt, api: "openai-codex-responses" as const, baseUrl: "https://chatgpt.com/backend-api/codex" };
    const azure = { ...gpt, api: "azure-openai-responses" as const, baseUrl: "https://x.openai.azure.com" };
    const own = openaiCodexResponses.buildRequest(requestOf(CALLS, { compact: true }), codex);
    expect([own.path, Object.keys(own.body)]).toEqual([
      "/responses/compact",
      ["model", "prompt_cache_key", "tools", "parallel_tool_calls", "instructions", "input"],
    ]);
    expect(azureOpenaiResponses.buildRequest(requestOf(CALLS, { compact: true }), azure).path).toBe(
      "/openai/v1/responses/compact",
    );
  });
});

describe("what came back", () => {
  test("is kept whole, with what it used", () => {
    const usage = { input_tokens: 139, input_tokens_details: { cached_tokens: 39 }, output_tokens: 438 };
    expect(readCompaction({ id: "resp_1", object: "response.compaction", output: ITEMS, usage })).toEqual([
      { type: "response", id: "resp_1" },
      { type: "usage", usage: { input: 100, output: 438, cacheRead: 39, cacheWrite: 0 } },
      { type: "thinking-end", part: "compaction", encrypted: JSON.stringify(ITEMS) },
      { type: "finish", reason: "stop" },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["nothing", {}, "nothing in it is encrypted"],
    ["no compaction", { output: ITEMS.slice(0, 1) }, "nothing in it is encrypted"],
    ["an empty one", { output: [{ type: "compaction", encrypted_content: "" }] }, "nothing in it is encrypted"],
    ["items without a type", { output: [...ITEMS, "text"] }, "an item of it has no type"],
    [
      "a call without its result",
      { output: [...ITEMS, { type: "function_call", call_id: "a" }] },
      "a call in it has no result, or a result no call",
    ],
  ])("is refused when it has %s", (_name, body, fault) => {
    const message = `the provider's compaction cannot be used: ${fault}`;
    expect(readCompaction(body)).toEqual([{ type: "fail", error: { kind: "bad-answer", message, retryable: false } }]);
  });

  test("can be anything at all", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(["finish", "fail"]).toContain(readCompaction(body).at(-1)?.type ?? "");
      }),
    );
  });
});

describe("what a provider compacted", () => {
  const compacted = { provider: "openai", api: "openai-responses", model: "gpt", items: JSON.stringify(ITEMS) };
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "pinned" }], compacted },
    answer("done"),
  ];

  test("stands before everything else, byte for byte, for the model that made it", () => {
    const request = requestOf(prepareMessages(messages, gpt));
    const { input } = openaiResponses.buildRequest(request, gpt).body as { input: unknown[] };
    expect(JSON.stringify(input)).toStartWith(compacted.items.slice(0, -1));
    expect(input.slice(2, 3)).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "pinned" }] },
    ]);
  });

  test.each<[string, Partial<Model>]>([
    ["model", { id: "other" }],
    ["provider", { provider: "acme" }],
    ["API", { api: "azure-openai-responses" }],
  ])("is never sent to another %s", (_name, over) => {
    const [first] = prepareMessages(messages, { ...gpt, ...over });
    expect(first).toEqual(user("pinned"));
  });

  test("that is damaged leaves the rest of the conversation", () => {
    const damaged = { ...compacted, items: "[The stored text is missing]" };
    const request = requestOf([{ ...user("pinned"), compacted: damaged } as Message]);
    expect(openaiResponses.buildRequest(request, gpt).body.input).toMatchObject([
      { role: "user" },
      { role: "developer" },
    ]);
  });
});

test("only endpoints of the API that have it are asked", () => {
  const rows: [Partial<Model>, boolean][] = [
    [{}, true],
    [{ compat: { compaction: "none" } }, false],
    [{ provider: "acme", baseUrl: "https://proxy.example/v1" }, false],
    [{ provider: "acme", baseUrl: "https://proxy.example/v1", compat: { compaction: "responses" } }, true],
    [{ api: "openai-completions" }, false],
    [{ api: "azure-openai-responses", baseUrl: "https://x.openai.azure.com" }, true],
  ];
  expect(rows.map(([over]) => shortensConversations({ ...gpt, ...over }))).toEqual(rows.map(([, has]) => has));
});
