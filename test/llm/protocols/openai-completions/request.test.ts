import { describe, expect, test } from "bun:test";
import { openaiCompletions } from "../../../../src/llm/protocols/openai-completions.ts";
import { EFFORTS } from "../../../../src/protocol/effort.ts";
import type { JsonObject } from "../../../../src/protocol/json.ts";
import type { ModelRequest } from "../../../../src/protocol/model-request.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import { chatModel, chatRequest, OPEN_TOOL, READ_TOOL } from "../../../support/chat-requests.ts";

function bodyOf(request: Partial<ModelRequest> = {}, model: Partial<Model> = {}): JsonObject {
  return openaiCompletions.buildRequest(chatRequest(request), chatModel(model)).body;
}

const messages = [
  { role: "system", content: "Base." },
  { role: "user", content: "Hello" },
];
const STREAMED = { stream: true, stream_options: { include_usage: true } };
const readTool: JsonObject = {
  type: "function",
  function: { name: "read", description: "Reads a file.", parameters: READ_TOOL.parameters as JsonObject },
};
const strictReadTool = {
  type: "function",
  function: {
    name: "read",
    description: "Reads a file.",
    strict: true,
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: ["integer", "null"] } },
      required: ["path", "limit"],
      additionalProperties: false,
    },
  },
};
const openTool: JsonObject = {
  type: "function",
  function: { name: "run", description: "Runs a program.", parameters: OPEN_TOOL.parameters as JsonObject },
};

describe("the whole body", () => {
  const full: Partial<ModelRequest> = {
    tools: [READ_TOOL, OPEN_TOOL],
    toolChoice: { name: "read" },
    effort: "medium",
    maxOutputTokens: 500,
    sessionId: "session-1",
    cacheRetention: "long",
  };
  const rows: [string, Partial<Model>, JsonObject][] = [
    [
      "an endpoint nothing is known of",
      { reasoning: true },
      {
        model: "some-model",
        ...STREAMED,
        max_tokens: 500,
        reasoning_effort: "medium",
        tools: [readTool, openTool],
        tool_choice: { type: "function", function: { name: "read" } },
        messages,
      },
    ],
    [
      "OpenAI",
      { baseUrl: "https://api.openai.com/v1", reasoning: true },
      {
        model: "some-model",
        ...STREAMED,
        store: false,
        max_completion_tokens: 500,
        prompt_cache_key: "session-1",
        prompt_cache_retention: "24h",
        reasoning_effort: "medium",
        tools: [strictReadTool, openTool],
        tool_choice: { type: "function", function: { name: "read" } },
        messages: [{ role: "developer", content: "Base." }, messages[1] as JsonObject],
      },
    ],
    [
      "Anthropic through OpenRouter",
      {
        baseUrl: "https://openrouter.ai/api/v1",
        id: "anthropic/claude-sonnet-4.5",
        reasoning: true,
        compat: { openRouterRouting: { only: ["anthropic"] } },
      },
      {
        model: "anthropic/claude-sonnet-4.5",
        ...STREAMED,
        max_tokens: 500,
        provider: { only: ["anthropic"] },
        reasoning: { enabled: false },
        tools: [readTool, openTool],
        tool_choice: { type: "function", function: { name: "read" } },
        messages: [
          {
            role: "system",
            content: [{ type: "text", text: "Base.", cache_control: { type: "ephemeral", ttl: "1h" } }],
          },
          {
            role: "user",
            content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }],
          },
        ],
      },
    ],
    [
      "Vercel's gateway",
      {
        baseUrl: "https://ai-gateway.vercel.sh/v1",
        reasoning: true,
        compat: { vercelGatewayRouting: { order: ["a"] } },
      },
      {
        model: "some-model",
        ...STREAMED,
        max_tokens: 500,
        providerOptions: { gateway: { order: ["a"] } },
        reasoning: { effort: "medium" },
        tools: [readTool, openTool],
        tool_choice: { type: "function", function: { name: "read" } },
        messages,
      },
    ],
    [
      "z.ai",
      { baseUrl: "https://api.z.ai/api/paas/v4", id: "glm-4.6", reasoning: true },
      {
        model: "glm-4.6",
        ...STREAMED,
        max_tokens: 500,
        thinking: { type: "enabled" },
        tools: [readTool, openTool],
        messages,
        tool_stream: true,
      },
    ],
    [
      "Kimi, which does not think when a call is forced",
      { baseUrl: "https://api.moonshot.ai/v1", id: "kimi-k2.6", reasoning: true },
      {
        model: "kimi-k2.6",
        ...STREAMED,
        max_tokens: 500,
        thinking: { type: "disabled" },
        tools: [readTool, openTool],
        tool_choice: { type: "function", function: { name: "read" } },
        messages,
      },
    ],
    [
      "Cerebras, where one loose schema makes all of them loose",
      { baseUrl: "https://api.cerebras.ai/v1" },
      {
        model: "some-model",
        ...STREAMED,
        max_tokens: 500,
        tools: [readTool, openTool],
        tool_choice: { type: "function", function: { name: "read" } },
        messages,
      },
    ],
    [
      "Qwen, which takes no forced call",
      { baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", reasoning: true },
      {
        model: "some-model",
        ...STREAMED,
        max_tokens: 500,
        enable_thinking: true,
        tools: [readTool, openTool],
        messages,
      },
    ],
    ["a model without tools", { tools: false }, { model: "some-model", ...STREAMED, max_tokens: 500, messages }],
    [
      "extra fields of a custom endpoint and its own model id",
      {
        wireModelId: "upstream",
        compat: { extraBody: { gateway: "m1-01", model: "ignored", messages: [] } },
        tools: false,
      },
      { model: "upstream", ...STREAMED, max_tokens: 500, messages, gateway: "m1-01" },
    ],
  ];
  test.each(rows)("for %s", (_name, model, expected) => {
    expect(openaiCompletions.buildRequest(chatRequest(full), chatModel(model))).toEqual({
      path: "/chat/completions",
      headers: {},
      body: expected,
    });
  });

  test("of a plain request says no more than it must", () => {
    expect(bodyOf({ stream: false })).toEqual({ model: "some-model", stream: false, messages });
    expect(bodyOf({}, { compat: { supportsUsageInStreaming: false } })).toEqual({
      model: "some-model",
      stream: true,
      messages,
    });
  });

  test("names a limit where an endpoint would cut the answer short", () => {
    expect(bodyOf({}, { baseUrl: "https://api.fireworks.ai/inference/v1" }).max_tokens).toBe(16_384);
  });
});

describe("tools", () => {
  const choice = (toolChoice: ModelRequest["toolChoice"], level: "none" | "auto" | "required" | "named") => {
    const body = bodyOf({ tools: [READ_TOOL], toolChoice }, { compat: { toolChoiceSupport: level } });
    return [body.tool_choice, body.tools !== undefined];
  };
  test("a choice is weakened to what the endpoint takes", () => {
    expect(choice({ name: "read" }, "named")).toEqual([{ type: "function", function: { name: "read" } }, true]);
    expect(choice({ name: "read" }, "required")).toEqual(["required", true]);
    expect(choice({ name: "read" }, "auto")).toEqual([undefined, true]);
    expect(choice("required", "required")).toEqual(["required", true]);
    expect(choice("none", "auto")).toEqual(["none", true]);
    expect(choice("none", "none")).toEqual([undefined, false]);
    expect(choice("auto", "named")).toEqual([undefined, true]);
    expect(choice(undefined, "named")).toEqual([undefined, true]);
  });

  test("a choice without tools is not sent", () => {
    expect(bodyOf({ toolChoice: "required" }).tool_choice).toBeUndefined();
  });

  test("an object schema always names its properties", () => {
    const tool = { name: "now", description: "", parameters: { type: "object" } };
    expect(bodyOf({ tools: [tool] }).tools).toEqual([
      { type: "function", function: { name: "now", description: "", parameters: { type: "object", properties: {} } } },
    ]);
  });

  test("all are strict where all can be", () => {
    expect(bodyOf({ tools: [READ_TOOL] }, { compat: { toolStrictMode: "all_strict" } }).tools).toEqual([
      strictReadTool,
    ]);
  });
});

describe("how hard to think", () => {
  const thinking = { levels: [...EFFORTS] } as Model["thinking"];
  const fields = (model: Partial<Model>) =>
    EFFORTS.map((effort) => {
      const {
        model: _model,
        stream: _stream,
        stream_options: _options,
        messages: _messages,
        ...rest
      } = bodyOf({ effort }, { reasoning: true, thinking, ...model });
      return rest;
    });

  test("is a named effort by default, and nothing for off where the model cannot stop thinking", () => {
    expect(fields({})).toEqual([
      { reasoning_effort: "none" },
      { reasoning_effort: "minimal" },
      { reasoning_effort: "low" },
      { reasoning_effort: "medium" },
      { reasoning_effort: "high" },
      { reasoning_effort: "xhigh" },
      { reasoning_effort: "max" },
    ]);
    expect(fields({ thinking: undefined })[0]).toEqual({});
  });

  test("is an object for OpenRouter", () => {
    expect(fields({ compat: { thinkingFormat: "openrouter" }, thinking: { levels: ["low", "high"] } })).toEqual([
      {},
      { reasoning: { effort: "low" } },
      { reasoning: { effort: "low" } },
      { reasoning: { effort: "low" } },
      { reasoning: { effort: "high" } },
      { reasoning: { effort: "high" } },
      { reasoning: { effort: "high" } },
    ]);
    expect(fields({ compat: { thinkingFormat: "openrouter" }, thinking: undefined })[0]).toEqual({
      reasoning: { enabled: false },
    });
    expect(fields({ compat: { thinkingFormat: "openrouter" }, thinking: { mode: "budget" } })[3]).toEqual({
      reasoning: { max_tokens: 5120 },
    });
  });

  test("is a switch for z.ai, with DeepSeek's three efforts beside it", () => {
    const on = (reasoning_effort: string) => ({ thinking: { type: "enabled" }, reasoning_effort });
    expect(fields({ baseUrl: "https://api.deepseek.com" })).toEqual([
      { thinking: { type: "disabled" } },
      on("low"),
      on("low"),
      on("high"),
      on("high"),
      on("max"),
      on("max"),
    ]);
    expect(fields({ baseUrl: "https://api.z.ai/api/paas/v4", id: "glm-4.6" })[4]).toEqual({
      thinking: { type: "enabled" },
      tool_stream: true,
    });
  });

  test("is a switch for Qwen, at the top or in the chat template", () => {
    const qwen = fields({ compat: { thinkingFormat: "qwen" } });
    expect([qwen[0], qwen[4]]).toEqual([{ enable_thinking: false }, { enable_thinking: true }]);
    expect(fields({ compat: { thinkingFormat: "qwen" }, thinking: { mode: "budget" } })[4]).toEqual({
      enable_thinking: true,
      thinking_budget: 15_360,
    });
    const template = fields({ compat: { thinkingFormat: "qwen-chat-template" } });
    expect([template[0], template[4]]).toEqual([
      { chat_template_kwargs: { enable_thinking: false } },
      { chat_template_kwargs: { enable_thinking: true } },
    ]);
  });

  test("is renamed by the effort map", () => {
    const mapped = fields({ compat: { reasoningEffortMap: { off: "zero", xhigh: "max" } } });
    expect([mapped[0], mapped[5]]).toEqual([{ reasoning_effort: "zero" }, { reasoning_effort: "max" }]);
  });

  test("is not said where it is not understood, nor to a model that does not reason", () => {
    const silent = EFFORTS.map(() => ({}));
    expect(fields({ compat: { supportsReasoningEffort: false } })).toEqual(silent);
    expect(fields({ reasoning: false })).toEqual(silent);
  });

  test("is dropped beside a forced call, or beside any tool choice, where the endpoint wants that", () => {
    const effortWith = (toolChoice: ModelRequest["toolChoice"], compat: Model["compat"]) =>
      bodyOf({ tools: [READ_TOOL], toolChoice, effort: "high" }, { reasoning: true, compat }).reasoning_effort;
    expect(effortWith("required", { disableReasoningOnForcedToolChoice: true })).toBeUndefined();
    expect(effortWith("none", { disableReasoningOnForcedToolChoice: true })).toBe("high");
    expect(effortWith("none", { disableReasoningOnToolChoice: true })).toBeUndefined();
    expect(effortWith("auto", { disableReasoningOnToolChoice: true })).toBe("high");
  });
});
