import { describe, expect, test } from "bun:test";
import { claudeThinking, claudeToolChoice } from "../../src/llm/claude-thinking.ts";
import type { Effort } from "../../src/protocol/effort.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Model, Thinking } from "../../src/protocol/models.ts";
import { claudeModel, modelRequest, READ_TOOL } from "../support/claude-requests.ts";

function asked(
  effort: Effort,
  thinking: Thinking | undefined,
  more: Partial<ModelRequest> = {},
  model: Partial<Model> = {},
) {
  const described = claudeModel({ ...(thinking === undefined ? {} : { thinking }), ...model });
  return claudeThinking(modelRequest({ effort, tools: [READ_TOOL], ...more }), described);
}

const ADAPTIVE: Thinking = { mode: "anthropic-adaptive", minLevel: "minimal", maxLevel: "max" };

describe("a model with a budget", () => {
  test.each([
    ["off", {}],
    ["minimal", { thinking: { type: "enabled", budget_tokens: 1024 } }],
    ["low", { thinking: { type: "enabled", budget_tokens: 1024 } }],
    ["medium", { thinking: { type: "enabled", budget_tokens: 5120 } }],
    ["high", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
    ["max", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
  ] as const)("gets tokens for the effort %s, clamped to what it takes", (effort, expected) => {
    expect(asked(effort, undefined)).toEqual(expected);
  });

  test("leaves room for the answer, or does not think where there is none", () => {
    expect(asked("high", undefined, { maxOutputTokens: 8192 })).toEqual({
      thinking: { type: "enabled", budget_tokens: 7168 },
    });
    expect(asked("high", undefined, { maxOutputTokens: 1024 })).toEqual({});
  });

  test("gets the effort by name as well where it takes both", () => {
    const mode = { mode: "anthropic-budget-effort" } as const;
    const named = { output_config: { effort: "medium" } };
    expect(asked("medium", mode)).toEqual({ thinking: { type: "enabled", budget_tokens: 5120 }, ...named });
    expect(asked("medium", mode, { maxOutputTokens: 512 })).toEqual(named);
  });
});

describe("an adaptive model", () => {
  test.each([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "xhigh"],
    ["max", "max"],
  ] as const)("gets the effort %s as %s and shows a summary", (effort, name) => {
    expect(asked(effort, ADAPTIVE)).toEqual({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: name },
    });
  });

  test("is told not to think, because it may do so by default", () => {
    expect(asked("off", ADAPTIVE)).toEqual({ thinking: { type: "disabled" } });
  });

  test("that always thinks is asked for little instead, and is not forced to call a tool", () => {
    const always = { id: "claude-fable-5" };
    const little = { output_config: { effort: "low" } };
    expect(asked("off", ADAPTIVE, {}, always)).toEqual(little);
    expect(asked("high", ADAPTIVE, { toolChoice: "required" }, always)).toEqual({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "high" },
    });
    expect(claudeToolChoice(modelRequest({ toolChoice: { name: "read" } }), claudeModel(always))).toBe("auto");
  });
});

test("a forced tool switches thinking off", () => {
  expect(asked("high", undefined, { toolChoice: "required" })).toEqual({});
  expect(asked("high", ADAPTIVE, { toolChoice: { name: "read" } })).toEqual({ thinking: { type: "disabled" } });
  expect(claudeToolChoice(modelRequest({ toolChoice: "required" }), claudeModel())).toBe("required");
});

test("a model with named efforts only gets the name", () => {
  expect(asked("high", { mode: "effort" })).toEqual({ output_config: { effort: "high" } });
  expect(asked("off", { mode: "effort" })).toEqual({});
});

test("a model that cannot think is asked for nothing", () => {
  expect(asked("high", ADAPTIVE, {}, { reasoning: false })).toEqual({});
});
