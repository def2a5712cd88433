import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { initialModel } from "../../src/models/initial-model.ts";
import { selectorOf } from "../../src/models/merge.ts";
import { globMatches, splitEffort } from "../../src/models/model-matching.ts";
import type { Registry } from "../../src/models/registry.ts";
import { checkEffort, findModel, resolvePatterns, resolveSelector } from "../../src/models/selectors.ts";
import { EFFORTS } from "../../src/protocol/effort.ts";
import { editDistance, nearestChoices } from "../../src/system/nearest.ts";
import { modelNamed, registryWith } from "../support/model-fixtures.ts";

const THINKS = { reasoning: true, thinking: { minLevel: "low" as const, maxLevel: "xhigh" as const } };
const BUILT_INS = [
  modelNamed("anthropic/claude-sonnet-5", THINKS),
  modelNamed("anthropic/claude-opus-5", THINKS),
  modelNamed("openai/gpt-5.5", THINKS),
  modelNamed("openai/gpt-5.5-mini", THINKS),
  modelNamed("amazon-bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0"),
  modelNamed("ollama/llama3:8b"),
  modelNamed("openrouter/anthropic/claude-opus-5", THINKS),
  modelNamed("openrouter/meta/llama-4:free"),
  modelNamed("odd/model:high"),
];
const registry = registryWith({ builtIns: BUILT_INS });

function found(text: string, from: Registry = registry) {
  const result = findModel(from, text);
  return result.ok ? [selectorOf(result.model), result.by, ...(result.effort ? [result.effort] : [])] : result.problem;
}

describe("a selector (B-053)", () => {
  const cases: [string, string[]][] = [
    ["anthropic/claude-opus-5", ["anthropic/claude-opus-5", "exact"]],
    ["openrouter/anthropic/claude-opus-5", ["openrouter/anthropic/claude-opus-5", "exact"]],
    ["claude-opus-5", ["anthropic/claude-opus-5", "canonical"]],
    ["claude-opus-5:high", ["anthropic/claude-opus-5", "canonical", "high"]],
    [
      "anthropic.claude-3-5-sonnet-20241022-v2:0",
      ["amazon-bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "canonical"],
    ],
    [
      "amazon-bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0:low",
      ["amazon-bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "exact", "low"],
    ],
    ["llama3:8b", ["ollama/llama3:8b", "canonical"]],
    ["meta/llama-4:free", ["openrouter/meta/llama-4:free", "canonical"]],
    ["odd/model:high", ["odd/model:high", "exact"]],
    ["odd/model:high:low", ["odd/model:high", "exact", "low"]],
    ["Anthropic/Claude-Opus-5:HIGH", ["anthropic/claude-opus-5", "exact", "high"]],
    ["  gpt-5.5  ", ["openai/gpt-5.5", "canonical"]],
    ["opus", ["anthropic/claude-opus-5", "fuzzy"]],
    ["opus:xhigh", ["anthropic/claude-opus-5", "fuzzy", "xhigh"]],
    ["openrouter/opus", ["openrouter/anthropic/claude-opus-5", "fuzzy"]],
    ["sonnet 5", ["anthropic/claude-sonnet-5", "fuzzy"]],
    ["gpt55mini", ["openai/gpt-5.5-mini", "fuzzy"]],
    ["opus 5", ["anthropic/claude-opus-5", "fuzzy"]],
  ];
  for (const [text, expected] of cases) {
    test(`"${text}" means ${expected.join(" ")}`, () => {
      expect(found(text)).toEqual(expected);
    });
  }

  test("that fits several models is refused with the best few", () => {
    expect(found("claude")).toEqual({
      type: "ambiguous-model",
      message:
        '"claude" fits 3 models: anthropic/claude-sonnet-5, anthropic/claude-opus-5, openrouter/anthropic/claude-opus-5. Write more of the name.',
      selector: "claude",
      nearest: ["anthropic/claude-sonnet-5", "anthropic/claude-opus-5", "openrouter/anthropic/claude-opus-5"],
    });
  });

  test("that fits nothing is refused with the nearest names", () => {
    expect(found("openai/gtp-5.5")).toEqual({
      type: "unknown-model",
      message:
        'No model is called "openai/gtp-5.5". Nearest: openai/gpt-5.5, openai/gpt-5.5-mini. "ralph --list-models" shows all of them.',
      selector: "openai/gtp-5.5",
      nearest: ["openai/gpt-5.5", "openai/gpt-5.5-mini"],
    });
    expect(found("zzzzqqqq")).toMatchObject({ type: "unknown-model", nearest: [] });
  });

  test("never guesses at another provider than the one it names", () => {
    const reseller = registryWith({ builtIns: [modelNamed("openrouter/qwen/qwen3-coder")] });
    expect(found("qwen3", reseller)).toEqual(["openrouter/qwen/qwen3-coder", "fuzzy"]);
    expect(found("qwen/qwen3-coder", reseller)).toEqual(["openrouter/qwen/qwen3-coder", "canonical"]);
    expect(found("qwen/qwen3", reseller)).toMatchObject({
      type: "unknown-model",
      nearest: ["openrouter/qwen/qwen3-coder"],
    });
  });

  test("of a provider Ralph cannot speak to says so", () => {
    expect(found("cursor/composer-1.5")).toMatchObject({ type: "unsupported-provider", provider: "cursor" });
  });

  test("with a misspelt effort names the effort", () => {
    expect(found("anthropic/claude-opus-5:hgih")).toEqual({
      type: "unknown-effort",
      message:
        '"hgih" is not an effort. Did you mean "high"? anthropic/claude-opus-5 takes: off, low, medium, high, xhigh.',
      selector: "anthropic/claude-opus-5:hgih",
      nearest: ["high"],
    });
  });

  test("prefers models that can be used when it guesses, and the order of providers when several offer the same", () => {
    const scope = { enabledModels: [], disabledProviders: [], modelProviderOrder: ["openrouter"] };
    expect(found("opus", registryWith({ builtIns: BUILT_INS, keys: ["openrouter"] }))).toEqual([
      "openrouter/anthropic/claude-opus-5",
      "fuzzy",
    ]);
    expect(found("claude-opus-5", registryWith({ builtIns: BUILT_INS, scope }))).toEqual([
      "openrouter/anthropic/claude-opus-5",
      "canonical",
    ]);
  });
});

describe("an effort (U-3, C-008)", () => {
  test("that the model does not take is refused with those it takes", () => {
    expect(resolveSelector(registry, "anthropic/claude-opus-5:max")).toEqual({
      ok: false,
      problem: {
        type: "unsupported-effort",
        message: 'anthropic/claude-opus-5 does not take the effort "max". It takes: off, low, medium, high, xhigh.',
        selector: "anthropic/claude-opus-5",
        effort: "max",
        supported: ["off", "low", "medium", "high", "xhigh"],
      },
    });
    expect(resolveSelector(registry, "ollama/llama3:8b:low")).toMatchObject({
      ok: false,
      problem: { supported: ["off"] },
    });
    expect(checkEffort(modelNamed("a/b", THINKS), "xhigh")).toBeUndefined();
  });
});

describe("patterns of --models (B-053)", () => {
  const listed = (...patterns: string[]) => {
    const { models, unmatched } = resolvePatterns(registry, patterns);
    return {
      models: models.map(({ model, effort }) => (effort ? `${selectorOf(model)}:${effort}` : selectorOf(model))),
      unmatched,
    };
  };
  test("take globs, canonical ids and parts of names, each model once and with its effort", () => {
    expect(listed("openai/*:low", "*opus*", "gpt-5.5", "nothing*")).toEqual({
      models: [
        "openai/gpt-5.5:low",
        "openai/gpt-5.5-mini:low",
        "anthropic/claude-opus-5",
        "openrouter/anthropic/claude-opus-5",
      ],
      unmatched: ["nothing*"],
    });
    expect(listed("claude-opus-5").models).toEqual(["anthropic/claude-opus-5", "openrouter/anthropic/claude-opus-5"]);
    expect(listed("openrouter/anthropic/claude-opus-5").models).toEqual(["openrouter/anthropic/claude-opus-5"]);
  });

  test("match like the regular expression they stand for, in bounded time", () => {
    const piece = fc.constantFrom("a", "b", "/", "*", "?", ".");
    const words = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(words, words, (pattern, text) => {
        const source = pattern.replace(/[.]/g, "\\.").replaceAll("*", "[^]*").replaceAll("?", "[^]");
        expect(globMatches(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2000 },
    );
    expect(globMatches(`${"*a".repeat(100)}b`, "a".repeat(10_000))).toBe(false);
  });
});

describe("the first model (B-054)", () => {
  const [sonnet, opus] = [
    modelNamed("anthropic/claude-sonnet-5", THINKS),
    modelNamed("anthropic/claude-opus-5", THINKS),
  ];
  const local = modelNamed("local/one");
  const all = registryWith({ builtIns: [local, opus, sonnet] });
  const nothing = { scoped: [], resuming: false };

  test("comes from the command line, the scope, the saved choice, a provider's default, then any", () => {
    const scoped = [{ model: opus, effort: "low" as const }];
    const from = (registryUsed: Registry, input: Parameters<typeof initialModel>[1]) => {
      const first = initialModel(registryUsed, input);
      return first.ok ? [first.from, selectorOf(first.model), first.effort] : first.problem.type;
    };
    expect([
      from(all, { ...nothing, scoped, saved: "local/one", selector: "sonnet:high" }),
      from(all, { ...nothing, scoped, saved: "local/one" }),
      from(all, { scoped, resuming: true, saved: "local/one" }),
      from(all, { ...nothing, saved: "claude-opus-5:low" }),
      from(all, nothing),
      from(registryWith({ builtIns: [local, opus] }), nothing),
      from(registryWith({ builtIns: [local, opus], keys: [] }), nothing),
    ]).toEqual([
      ["command-line", "anthropic/claude-sonnet-5", "high"],
      ["scope", "anthropic/claude-opus-5", "low"],
      ["saved", "local/one", undefined],
      ["saved", "anthropic/claude-opus-5", "low"],
      ["provider-default", "anthropic/claude-sonnet-5", undefined],
      ["first-available", "local/one", undefined],
      "no-model",
    ]);
  });

  test("passes over a saved choice that cannot be used and says why", () => {
    const registryUsed = registryWith({ builtIns: [local, opus], keys: ["local"] });
    expect(initialModel(registryUsed, { ...nothing, saved: "anthropic/claude-opus-5" })).toEqual({
      ok: true,
      model: local,
      from: "first-available",
      notes: ["The saved model anthropic/claude-opus-5 is not used: No key for anthropic."],
    });
  });

  test("never replaces what the command line names", () => {
    expect(initialModel(all, { ...nothing, selector: "anthropic/nope-nope" })).toMatchObject({
      ok: false,
      problem: { type: "unknown-model" },
    });
  });
});

describe("reading selectors", () => {
  test("never throws, whatever is written", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("/", ":", "*", "?", "a", "high", ".") })),
        (text) => {
          findModel(registry, text);
          resolvePatterns(registry, [text]);
          expect(true).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("finds every model again by its provider/id, with every effort", () => {
    const id = fc.stringMatching(/^[a-z0-9][a-zA-Z0-9:./_-]{0,20}$/).filter((text) => splitEffort(text) === undefined);
    const provider = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/);
    const models = fc.uniqueArray(fc.tuple(provider, id), {
      minLength: 1,
      maxLength: 8,
      selector: ([p, i]) => `${p}/${i}`,
    });
    fc.assert(
      fc.property(models, fc.constantFrom(undefined, ...EFFORTS), (pairs, effort) => {
        const builtIns = pairs.map(([p, i]) => modelNamed(`${p}/${i}`));
        const some = registryWith({ builtIns });
        for (const model of builtIns) {
          const text = effort === undefined ? selectorOf(model) : `${selectorOf(model)}:${effort}`;
          const expected = { ok: true, model, by: "exact", ...(effort === undefined ? {} : { effort }) };
          expect(findModel(some, text)).toEqual(expected as never);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("nearest choices", () => {
  test("count insertions, deletions, replacements and swaps", () => {
    expect([
      editDistance("", "abc"),
      editDistance("abc", "acb"),
      editDistance("kitten", "sitting"),
      editDistance("same", "same"),
    ]).toEqual([3, 1, 3, 0]);
    expect(nearestChoices("opsu", ["opus", "sonnet", "haiku"], 2)).toEqual(["opus"]);
  });

  test("measure the same in both directions", () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(fc.property(word, word, (a, b) => expect(editDistance(a, b)).toBe(editDistance(b, a))));
  });
});
