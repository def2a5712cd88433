import { describe, expect, test } from "bun:test";
import { type ResolvedCompat, resolveCompat } from "../../src/llm/compat.ts";
import type { Compat, Model } from "../../src/protocol/models.ts";
import { chatModel } from "../support/chat-requests.ts";

const DEFAULTS: ResolvedCompat = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsMultipleSystemMessages: true,
  supportsUsageInStreaming: true,
  maxTokensField: "max_tokens",
  toolChoiceSupport: "named",
  disableReasoningOnForcedToolChoice: false,
  disableReasoningOnToolChoice: false,
  extraBody: {},
  supportsReasoningEffort: true,
  reasoningEffortMap: {},
  thinkingFormat: "openai",
  requiresReasoningContentForToolCalls: false,
  allowsSyntheticReasoningContentForToolCalls: true,
  requiresAssistantContentForToolCalls: false,
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  requiresThinkingAsText: false,
  requiresMistralToolIds: false,
  toolStrictMode: "none",
  takesCacheKey: false,
  takesCacheMarkers: false,
  takesPdf: false,
  needsOutputLimit: false,
  compaction: "none",
};

const resolved = (changes: Partial<Model>) => resolveCompat(chatModel(changes));
const lowToHigh = { minimal: "low", xhigh: "high", max: "high" };
const lowHighMax = { minimal: "low", medium: "high", xhigh: "max" };
const one = { supportsMultipleSystemMessages: false };

describe("what is known of an address", () => {
  const rows: [string, Partial<Model>, Partial<ResolvedCompat>][] = [
    ["https://api.example.com/v1", {}, {}],
    [
      "https://api.openai.com/v1",
      {},
      {
        supportsStore: true,
        supportsDeveloperRole: true,
        maxTokensField: "max_completion_tokens",
        toolStrictMode: "mixed",
        takesCacheKey: true,
        takesPdf: true,
        compaction: "responses",
      },
    ],
    [
      "https://openrouter.ai/api/v1",
      { id: "anthropic/claude-sonnet-4.5" },
      {
        ...one,
        thinkingFormat: "openrouter",
        reasoningEffortMap: { max: "xhigh" },
        reasoningContentField: "reasoning",
        disableReasoningOnForcedToolChoice: true,
        takesCacheMarkers: true,
        takesPdf: true,
      },
    ],
    [
      "https://ai-gateway.vercel.sh/v1",
      { id: "moonshotai/kimi-k2.6" },
      {
        ...one,
        thinkingFormat: "openrouter",
        reasoningContentField: "reasoning",
        disableReasoningOnForcedToolChoice: true,
        requiresAssistantContentForToolCalls: true,
      },
    ],
    ["https://api.x.ai/v1", {}, { supportsReasoningEffort: false }],
    [
      "https://api.deepseek.com",
      { reasoning: true },
      {
        ...one,
        thinkingFormat: "zai",
        reasoningEffortMap: lowHighMax,
        reasoningContentField: "reasoning_content",
        requiresReasoningContentForToolCalls: true,
        disableReasoningOnToolChoice: true,
      },
    ],
    [
      "https://api.mistral.ai/v1",
      { id: "magistral-medium-2509" },
      {
        ...one,
        supportsUsageInStreaming: false,
        supportsReasoningEffort: false,
        reasoningEffortMap: {
          ...{ off: "none", minimal: "high", low: "high" },
          ...{ medium: "high", xhigh: "high", max: "high" },
        },
        requiresToolResultName: true,
        requiresAssistantAfterToolResult: true,
        requiresThinkingAsText: true,
        requiresMistralToolIds: true,
      },
    ],
    [
      "https://api.z.ai/api/paas/v4",
      { id: "glm-4.6" },
      {
        ...one,
        thinkingFormat: "zai",
        supportsReasoningEffort: false,
        reasoningContentField: "reasoning_content",
        toolChoiceSupport: "none",
        extraBody: { tool_stream: true },
      },
    ],
    [
      "https://api.moonshot.ai/v1",
      { reasoning: true, id: "kimi-k2.6" },
      {
        ...one,
        thinkingFormat: "zai",
        supportsReasoningEffort: false,
        reasoningContentField: "reasoning_content",
        requiresReasoningContentForToolCalls: true,
        requiresAssistantContentForToolCalls: true,
        disableReasoningOnForcedToolChoice: true,
      },
    ],
    [
      "https://api.minimax.io/v1",
      { id: "MiniMax-M2.5" },
      { ...one, supportsReasoningEffort: false, reasoningContentField: "reasoning_content" },
    ],
    [
      "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      {},
      {
        ...one,
        thinkingFormat: "qwen",
        supportsReasoningEffort: false,
        reasoningContentField: "reasoning_content",
        toolChoiceSupport: "auto",
      },
    ],
    [
      "https://api.groq.com/openai/v1",
      { id: "openai/gpt-oss-120b" },
      { ...one, reasoningEffortMap: lowToHigh, reasoningContentField: "reasoning" },
    ],
    [
      "https://api.cerebras.ai/v1",
      {},
      { ...one, reasoningEffortMap: lowToHigh, reasoningContentField: "reasoning", toolStrictMode: "all_strict" },
    ],
    ["https://api.together.xyz/v1", {}, { ...one, reasoningEffortMap: lowToHigh, reasoningContentField: "reasoning" }],
    [
      "https://api.fireworks.ai/inference/v1",
      {},
      { ...one, reasoningEffortMap: lowToHigh, reasoningContentField: "reasoning_content", needsOutputLimit: true },
    ],
    [
      "https://integrate.api.nvidia.com/v1",
      { id: "qwen/qwen3-coder-480b-a35b-instruct" },
      {
        ...one,
        supportsReasoningEffort: false,
        reasoningContentField: "reasoning_content",
        needsOutputLimit: true,
        thinkingFormat: "qwen-chat-template",
      },
    ],
    [
      "http://localhost:1234/v1",
      {},
      { ...one, reasoningEffortMap: lowToHigh, reasoningContentField: "reasoning_content" },
    ],
    [
      "http://192.168.1.20:8000/v1",
      { id: "Qwen/Qwen3-32B" },
      {
        ...one,
        reasoningEffortMap: lowToHigh,
        reasoningContentField: "reasoning_content",
        thinkingFormat: "qwen-chat-template",
      },
    ],
  ];
  test.each(rows)("%s", (baseUrl, changes, expected) => {
    expect(resolved({ baseUrl, ...changes })).toEqual({ ...DEFAULTS, ...expected });
  });

  test("a host that only looks like a known one is unknown", () => {
    expect(resolved({ baseUrl: "https://api.openai.com.evil.example/v1" })).toEqual(DEFAULTS);
    expect(resolved({ baseUrl: "not a url" })).toEqual(DEFAULTS);
  });

  test("the provider's name counts behind a proxy, but not against a known address", () => {
    expect(resolved({ provider: "openai", baseUrl: "http://127.0.0.1:9000/v1" })).toEqual(
      resolved({ baseUrl: "https://api.openai.com/v1" }),
    );
    expect(resolved({ provider: "openai", baseUrl: "https://api.deepseek.com" })).toEqual(
      resolved({ baseUrl: "https://api.deepseek.com" }),
    );
  });
});

describe("what models.yml says", () => {
  test("wins over what is known, and deep parts are merged", () => {
    const compat: Compat = {
      supportsStore: false,
      reasoningEffortMap: { xhigh: "ultra" },
      extraBody: { gateway: "m1" },
      toolChoiceSupport: "required",
    };
    const glm = resolved({ baseUrl: "https://api.z.ai/api/paas/v4", id: "glm-5.3", compat });
    expect([glm.supportsStore, glm.reasoningEffortMap, glm.extraBody, glm.toolChoiceSupport]).toEqual([
      false,
      { ...lowHighMax, xhigh: "ultra" } as ResolvedCompat["reasoningEffortMap"],
      { tool_stream: true, gateway: "m1" },
      "required",
    ]);
  });

  test("routing counts only at the gateway it is for", () => {
    const compat: Compat = { openRouterRouting: { only: ["anthropic"] }, vercelGatewayRouting: { order: ["openai"] } };
    const routes = (baseUrl: string) => {
      const { openRouterRouting, vercelGatewayRouting } = resolved({ provider: "openrouter", baseUrl, compat });
      return { openRouterRouting, vercelGatewayRouting };
    };
    expect(routes("https://openrouter.ai/api/v1")).toEqual({
      openRouterRouting: { only: ["anthropic"] },
      vercelGatewayRouting: undefined,
    });
    expect(routes("https://ai-gateway.vercel.sh/v1")).toEqual({
      openRouterRouting: undefined,
      vercelGatewayRouting: { order: ["openai"] },
    });
    expect(routes("https://my-proxy.example.com/v1")).toEqual({
      openRouterRouting: undefined,
      vercelGatewayRouting: undefined,
    });
  });

  const choices: [Compat, ResolvedCompat["toolChoiceSupport"]][] = [
    [{}, "named"],
    [{ supportsToolChoice: false, toolChoiceSupport: "named" }, "none"],
    [{ supportsForcedToolChoice: false }, "auto"],
    [{ toolChoiceSupport: "required" }, "required"],
  ];
  test.each(choices)("tool choice with %j", (compat, expected) => {
    expect(resolved({ compat }).toolChoiceSupport).toBe(expected);
  });

  const strictness: [Partial<Model>, ResolvedCompat["toolStrictMode"]][] = [
    [{ compat: { supportsStrictMode: true } }, "mixed"],
    [{ compat: { supportsStrictMode: false } }, "none"],
    [{ compat: { toolStrictMode: "all_strict" } }, "all_strict"],
    [{ baseUrl: "https://api.openai.com/v1", compat: { toolStrictMode: "none" } }, "none"],
    [{ baseUrl: "https://api.openai.com/v1", disableStrictTools: true }, "none"],
  ];
  test.each(strictness)("strict tools with %j", (changes, expected) => {
    expect(resolved(changes).toolStrictMode).toBe(expected);
  });

  test("a demand for reasoning names a field, and binds only models that reason", () => {
    const compat: Compat = { requiresReasoningContentForToolCalls: true };
    expect(resolved({ compat, reasoning: true })).toEqual({
      ...DEFAULTS,
      requiresReasoningContentForToolCalls: true,
      reasoningContentField: "reasoning_content",
    });
    expect(resolved({ compat })).toEqual(DEFAULTS);
  });
});

test("OpenAI's reasoning models get the new name of the output limit wherever they are served", () => {
  expect(resolved({ id: "gpt-5.2" }).maxTokensField).toBe("max_completion_tokens");
  expect(resolved({ id: "openai/o3" }).maxTokensField).toBe("max_completion_tokens");
  expect(resolved({ id: "gpt-4.1" }).maxTokensField).toBe("max_tokens");
});
