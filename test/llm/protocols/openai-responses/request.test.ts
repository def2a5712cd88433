import { describe, expect, test } from "bun:test";
import {
  azureOpenaiResponses,
  openaiCodexResponses,
  openaiResponses,
} from "../../../../src/llm/protocols/openai-responses.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import { bytesOfRequest, stableBytes } from "../../../support/wire-fixtures.ts";
import { assistant, call, growingSession, READ_FILE, request, result, user } from "../../../support/wire-requests.ts";

const GPT: Model = {
  provider: "openai",
  id: "gpt-5.4",
  name: "GPT-5.4",
  api: "openai-responses",
  baseUrl: "https://api.openai.com/v1",
  auth: "apiKey",
  reasoning: true,
  tools: true,
  input: ["text", "image", "pdf"],
  contextWindow: 400_000,
  maxTokens: 128_000,
  thinking: { levels: ["off", "low", "medium", "high", "xhigh"] },
};
const CODEX: Model = {
  ...GPT,
  provider: "openai-codex",
  id: "gpt-5.3-codex",
  api: "openai-codex-responses",
  baseUrl: "https://chatgpt.com/backend-api/codex",
  auth: "oauth",
  thinking: { levels: ["low", "medium", "high", "xhigh"] },
};
const AZURE: Model = {
  ...GPT,
  provider: "azure-openai",
  api: "azure-openai-responses",
  wireModelId: "team-gpt",
  baseUrl: "https://res.openai.azure.com/openai/v1",
};
const OLLAMA: Model = {
  ...GPT,
  provider: "ollama",
  id: "qwen3:8b",
  baseUrl: "http://127.0.0.1:11434",
  auth: "none",
  thinking: undefined,
};

const STRICT_READ_FILE = {
  type: "function",
  name: "read_file",
  description: "Reads a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
  strict: true,
};
const HELLO = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] };

describe("the platform", () => {
  test("gets instructions, the flat tools, the conversation and the changing part last", () => {
    const messages = [
      user("Compare them"),
      assistant(GPT, [
        { type: "thinking", text: "Both at once.", id: "rs_1", encrypted: "gAAA" },
        { type: "text", text: "I will read both.", signature: "commentary" },
        call("call_1", "a.txt"),
        call("call_2", "b.txt"),
      ]),
      result("call_1", "alpha"),
      result("call_2", "beta"),
    ];
    const built = openaiResponses.buildRequest(
      request({
        system: { base: "You are Ralph.", dynamic: "mode: plan" },
        messages,
        tools: [READ_FILE],
        effort: "high",
        sessionId: "session-1",
        maxOutputTokens: 4000,
      }),
      GPT,
    );
    expect(built).toEqual({
      path: "/responses",
      headers: {},
      body: {
        model: "gpt-5.4",
        stream: true,
        store: false,
        max_output_tokens: 4000,
        reasoning: { effort: "high", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        prompt_cache_key: "session-1",
        tools: [STRICT_READ_FILE],
        tool_choice: "auto",
        parallel_tool_calls: true,
        instructions: "You are Ralph.",
        input: [
          { type: "message", role: "user", content: [{ type: "input_text", text: "Compare them" }] },
          {
            type: "reasoning",
            id: "rs_1",
            summary: [{ type: "summary_text", text: "Both at once." }],
            encrypted_content: "gAAA",
          },
          {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: "I will read both.", annotations: [] }],
            phase: "commentary",
          },
          { type: "function_call", call_id: "call_1", name: "read_file", arguments: '{"path":"a.txt"}' },
          { type: "function_call", call_id: "call_2", name: "read_file", arguments: '{"path":"b.txt"}' },
          { type: "function_call_output", call_id: "call_1", output: "alpha" },
          { type: "function_call_output", call_id: "call_2", output: "beta" },
          { type: "message", role: "developer", content: [{ type: "input_text", text: "mode: plan" }] },
        ],
      },
    });
  });

  test("gets no more than model, instructions and input for the plainest request of a model that does not think", () => {
    expect(openaiResponses.buildRequest(request({ stream: false }), { ...GPT, reasoning: false }).body).toEqual({
      model: "gpt-5.4",
      stream: false,
      store: false,
      instructions: "You are Ralph.",
      input: [HELLO],
    });
  });

  test("takes pictures and documents from people and from tools", () => {
    const png = { type: "image" as const, mediaType: "image/png", data: "iVBO" };
    const pdf = { type: "image" as const, mediaType: "application/pdf", data: "JVBE" };
    const messages = [
      { role: "user" as const, content: [png, pdf] },
      assistant(GPT, [call("call_1", "a.png")]),
      result("call_1", "a picture", { content: [{ type: "text", text: "a picture" }, png] }),
    ];
    const image = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBO" };
    const file = { type: "input_file", filename: "document.pdf", file_data: "data:application/pdf;base64,JVBE" };
    expect(openaiResponses.buildRequest(request({ messages }), GPT).body.input).toEqual([
      { type: "message", role: "user", content: [image, file] },
      { type: "function_call", call_id: "call_1", name: "read_file", arguments: '{"path":"a.png"}' },
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "a picture" }, image] },
    ]);
  });

  test("gets reasoning back only with its encrypted form and with something that follows from it", () => {
    const messages = [
      user("Hello"),
      assistant(GPT, [
        { type: "thinking", text: "lost", id: "rs_1" },
        { type: "text", text: "Hi" },
      ]),
      assistant(GPT, [{ type: "thinking", text: "", id: "rs_2", encrypted: "gBBB" }]),
    ];
    expect(openaiResponses.buildRequest(request({ messages }), GPT).body.input).toEqual([
      HELLO,
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
    ]);
  });

  test("gets a result without its call as text, since it refuses such an output", () => {
    expect(openaiResponses.buildRequest(request({ messages: [result("call_9", "old")] }), GPT).body.input).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "[The tool read_file was called and returned:]" },
          { type: "input_text", text: "old" },
        ],
      },
    ]);
  });

  test("keeps the cache key and lengthens only the lifetime for long retention", () => {
    const fields = (cacheRetention: "none" | "short" | "long") => {
      const { body } = openaiResponses.buildRequest(request({ sessionId: "s", cacheRetention }), GPT);
      return [body.prompt_cache_key, body.prompt_cache_retention];
    };
    expect([fields("none"), fields("short"), fields("long")]).toEqual([
      ["s", undefined],
      ["s", undefined],
      ["s", "24h"],
    ]);
  });

  test.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ name: "read_file" }, { type: "function", name: "read_file" }],
  ] as const)("puts the tool choice %p on the wire", (toolChoice, expected) => {
    expect(openaiResponses.buildRequest(request({ tools: [READ_FILE], toolChoice }), GPT).body.tool_choice).toEqual(
      expected,
    );
  });

  test("marks a tool whose schema has no strict form as not strict and sends it unchanged", () => {
    const open = { ...READ_FILE, parameters: { type: "object", additionalProperties: { type: "string" } } };
    expect(openaiResponses.buildRequest(request({ tools: [open, READ_FILE] }), GPT).body.tools).toEqual([
      { type: "function", name: "read_file", description: "Reads a file", parameters: open.parameters, strict: false },
      STRICT_READ_FILE,
    ]);
    const allOrNone = { ...GPT, compat: { toolStrictMode: "all_strict" as const } };
    expect(openaiResponses.buildRequest(request({ tools: [open, READ_FILE] }), allOrNone).body.tools).toEqual([
      { type: "function", name: "read_file", description: "Reads a file", parameters: open.parameters, strict: false },
      { ...STRICT_READ_FILE, strict: false },
    ]);
  });

  test("asks for the least thinking when none is wanted, without a summary", () => {
    const reasoning = (model: Model) => openaiResponses.buildRequest(request({ effort: "off" }), model).body.reasoning;
    expect(reasoning(GPT)).toEqual({ effort: "none" });
    expect(reasoning({ ...GPT, thinking: { levels: ["low", "high"] } })).toEqual({ effort: "low" });
    expect(reasoning({ ...GPT, thinking: undefined })).toEqual({ effort: "minimal" });
    expect(reasoning({ ...GPT, compat: { supportsReasoningEffort: false } })).toBeUndefined();
  });

  test("names the strongest efforts as the API does", () => {
    const strong = { ...GPT, thinking: { levels: ["off" as const, "xhigh" as const, "max" as const] } };
    const reasoning = (effort: "xhigh" | "max") =>
      openaiResponses.buildRequest(request({ effort }), strong).body.reasoning;
    expect([reasoning("xhigh"), reasoning("max")]).toEqual([
      { effort: "xhigh", summary: "auto" },
      { effort: "max", summary: "auto" },
    ]);
  });

  test("lets a user add fields but not replace Ralph's", () => {
    const extra = { ...GPT, compat: { extraBody: { service_tier: "flex", input: [] } } };
    const { body } = openaiResponses.buildRequest(request(), extra);
    expect([body.service_tier, body.input]).toEqual(["flex", [HELLO]]);
  });
});

describe("a local server", () => {
  test("gets nothing it does not know, and the changing part in the user's turn", () => {
    const built = openaiResponses.buildRequest(
      request({
        system: { base: "You are Ralph.", dynamic: "mode: plan" },
        tools: [READ_FILE],
        sessionId: "s",
        cacheRetention: "long",
      }),
      OLLAMA,
    );
    expect(built).toEqual({
      path: "/v1/responses",
      headers: {},
      body: {
        model: "qwen3:8b",
        stream: true,
        reasoning: { effort: "medium" },
        tools: [{ type: "function", ...READ_FILE }],
        tool_choice: "auto",
        parallel_tool_calls: true,
        instructions: "You are Ralph.",
        input: [
          {
            ...HELLO,
            content: [...HELLO.content, { type: "input_text", text: "<context>\nmode: plan\n</context>" }],
          },
        ],
      },
    });
  });

  test("gets thoughts as they are and the pictures of tools behind all results of the turn", () => {
    const png = { type: "image" as const, mediaType: "image/png", data: "iVBO" };
    const messages = [
      assistant(OLLAMA, [{ type: "thinking", text: "Hm.", id: "rs_1" }, call("call_1", "a"), call("call_2", "b")]),
      result("call_1", "", { content: [png] }),
      result("call_2", "beta"),
    ];
    expect(openaiResponses.buildRequest(request({ messages }), OLLAMA).body.input).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] },
      { type: "function_call", call_id: "call_1", name: "read_file", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "call_2", name: "read_file", arguments: '{"path":"b"}' },
      { type: "function_call_output", call_id: "call_1", output: "[image]" },
      { type: "function_call_output", call_id: "call_2", output: "beta" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "[images from the tool results above]" },
          { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBO" },
        ],
      },
    ]);
  });

  test("is told to stop thinking by name", () => {
    expect(openaiResponses.buildRequest(request({ effort: "off" }), OLLAMA).body.reasoning).toEqual({ effort: "none" });
  });
});

describe("the ChatGPT backend", () => {
  test("is always streamed, never stores, and gets neither an output limit nor a cache lifetime", () => {
    const wanted = request({ stream: false, maxOutputTokens: 99, sessionId: "s", cacheRetention: "long" });
    expect(openaiCodexResponses.streamsAlways).toBe(true);
    expect(openaiCodexResponses.buildRequest(wanted, CODEX)).toEqual({
      path: "/responses",
      headers: { "openai-beta": "responses=experimental", originator: "ralph", session_id: "s" },
      body: {
        model: "gpt-5.3-codex",
        stream: true,
        store: false,
        reasoning: { effort: "medium", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        prompt_cache_key: "s",
        instructions: "You are Ralph.",
        input: [HELLO],
      },
    });
  });

  test("is asked for a model it serves", () => {
    const asked = (id: string, wireModelId?: string) =>
      openaiCodexResponses.buildRequest(request(), { ...CODEX, id, wireModelId }).body.model;
    expect(["codex-mini-latest", "gpt-5", "gpt-5.4", "gpt-6-mini", "gpt-4.1", "o3"].map((id) => asked(id))).toEqual([
      "codex-mini-latest",
      "gpt-5",
      "gpt-5.4",
      "gpt-6-mini",
      "gpt-5.3-codex",
      "gpt-5.3-codex",
    ]);
    expect(asked("o3", "o3-internal")).toBe("o3-internal");
  });

  test("gets its own calls as calls and those of others as text", () => {
    const messages = [
      user("Hello"),
      assistant(GPT, [{ type: "text", text: "Reading." }, call("call_1", "a.txt")]),
      result("call_1", "no such file", { isError: true }),
      assistant({ ...CODEX, id: "gpt-5.2-codex" }, [call("call_2", "b.txt")]),
      result("call_2", "beta"),
    ];
    expect(openaiCodexResponses.buildRequest(request({ messages }), CODEX).body.input).toEqual([
      HELLO,
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Reading.", annotations: [] }] },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: '[The tool read_file was called with {"path":"a.txt"} and failed:]' },
          { type: "input_text", text: "no such file" },
        ],
      },
      { type: "function_call", call_id: "call_2", name: "read_file", arguments: '{"path":"b.txt"}' },
      { type: "function_call_output", call_id: "call_2", output: "beta" },
    ]);
  });
});

describe("Azure", () => {
  test("is asked for the deployment", () => {
    const { path, headers, body } = azureOpenaiResponses.buildRequest(request(), AZURE);
    expect({ path, headers, model: body.model, store: body.store }).toEqual({
      path: "/responses",
      headers: {},
      model: "team-gpt",
      store: false,
    });
  });
});

test.each([
  ["the platform", openaiResponses, GPT],
  ["a local server", openaiResponses, OLLAMA],
  ["the ChatGPT backend", openaiCodexResponses, CODEX],
  ["Azure", azureOpenaiResponses, AZURE],
] as const)("for %s every request of a session begins with the bytes of the one before", (_, protocol, model) => {
  const session = growingSession(model);
  for (const [turn, current] of session.entries()) {
    const stable = stableBytes(protocol, model, current);
    expect(bytesOfRequest(protocol, model, current)).toStartWith(stable);
    for (const later of session.slice(turn + 1)) expect(bytesOfRequest(protocol, model, later)).toStartWith(stable);
  }
});
