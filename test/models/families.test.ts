import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { familyOf } from "../../src/models/families.ts";

describe("a model nobody described", () => {
  const window = (id: string) => familyOf(id).contextWindow;

  test("gets the window its name promises", () => {
    expect(["gpt-9", "o1-mini", "openai/o4", "Qwen2.5-Coder", "deepseek-r1:8b", "claude-next"].map(window)).toEqual([
      128_000, 128_000, 128_000, 32_768, 128_000, 200_000,
    ]);
  });

  test("writes its thinking between tags where its family does", () => {
    const tags = (id: string) => familyOf(id).thinkingTags;
    expect(["qwen3:8b", "QwQ-32B", "deepseek-r1", "gpt-oss:20b", "claude-next", "llama3.3"].map(tags)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("counts as qwen when it is a distillation of another family into qwen", () => {
    expect(familyOf("deepseek-r1-distill-qwen-7b").name).toBe("qwen");
  });

  test("of no known family has the smallest window and no tools", () => {
    const unknown = { name: "unknown", contextWindow: 4096, maxTokens: 1024, tools: false, thinkingTags: false };
    expect(familyOf("my-tuned-thing")).toEqual(unknown);
    expect(familyOf("demo1")).toEqual(unknown);
    expect(familyOf("")).toEqual(unknown);
  });

  test("always has room for a prompt beside its answer, and its case does not matter", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("gpt", "qwen", "claude", "kimi", ""), (noise, family) => {
        const found = familyOf(noise + family);
        expect(found.maxTokens * 4).toBeLessThanOrEqual(found.contextWindow);
        if (family !== "") expect(familyOf(family.toUpperCase())).toEqual(familyOf(family));
      }),
    );
  });
});
