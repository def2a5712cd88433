import { describe, expect, test } from "bun:test";
import { providerRow, unsupportedProvider } from "../../src/llm/providers.ts";
import { clampEffort, supportedEfforts } from "../../src/llm/thinking.ts";
import { builtInModels } from "../../src/models/catalogue.ts";
import { builtInProfiles, MODEL_ROLES, type Profile, profileSchema } from "../../src/models/profiles.ts";
import { type Effort, isEffort } from "../../src/protocol/effort.ts";

const profiles = builtInProfiles();
const models = new Map(builtInModels().map((model) => [`${model.provider}/${model.id}`, model]));
const tiers = (group: string) => ["eco", "medium", "pro"].map((tier) => `${group}-${tier}`);
const cursor = tiers("cursor");

describe("the built-in profiles", () => {
  test("are the twenty-five the documents name", () => {
    expect(Object.keys(profiles)).toEqual([
      ...tiers("codex"),
      "opencodego",
      "claude-opus",
      ...["glm", "kimi-coding-plan", "mimo", "grok", "cursor", "minimax"].flatMap(tiers),
      "opus-codex",
      "codex-opencodego",
    ]);
  });

  test("have the form of a profile in models.yml and map every role", () => {
    for (const profile of Object.values(profiles)) {
      expect(profileSchema.parse(profile)).toEqual(profile);
      expect(Object.keys(profile.model_mapping)).toEqual([...MODEL_ROLES]);
    }
  });

  test("require exactly the providers their roles use", () => {
    for (const profile of Object.values(profiles)) {
      const used = Object.values(profile.model_mapping).map((text) => text.slice(0, text.indexOf("/")));
      expect(profile.required_providers).toEqual([...new Set(used)].sort());
    }
  });

  test("name only models of the catalogue, apart from those of a provider that explains why it is missing", () => {
    const unknown = Object.entries(profiles).filter(([, profile]) => selectors(profile).some(({ model }) => !model));
    expect(unknown.map(([name]) => name)).toEqual(cursor);
    for (const name of cursor) {
      expect(profiles[name]?.required_providers.map((id) => [providerRow(id), unsupportedProvider(id)])).toEqual([
        [undefined, expect.stringContaining("Choose another profile")],
      ]);
    }
  });

  test("ask for efforts that are supported or have a nearest one that thinks", () => {
    for (const { model, effort } of Object.values(profiles).flatMap(selectors)) {
      if (model === undefined || effort === undefined) continue;
      const effective = clampEffort(model, effort);
      expect(supportedEfforts(model)).toContain(effective);
      expect(effective === "off").toBe(effort === "off");
    }
  });

  test("pin the models the documents name", () => {
    const pinned = (name: string) => [
      ...new Set(selectorTexts(profiles[name]).map((text) => text.replace(/:\w+$/, ""))),
    ];
    expect(
      ["codex", "glm", "kimi-coding-plan", "mimo", "grok", "cursor", "minimax"]
        .map(tiers)
        .map((names) => [...new Set(names.flatMap(pinned))]),
    ).toEqual([
      ["openai-codex/gpt-5.5"],
      ["zai/glm-5.1"],
      ["kimi-code/kimi-k2.7-code"],
      ["xiaomi/mimo-v2.5-pro"],
      ["xai/grok-4.3"],
      ["cursor/composer-1.5"],
      ["minimax-code/minimax-v3"],
    ]);
    expect(pinned("claude-opus")).toEqual(["anthropic/claude-opus-4-8"]);
  });

  test("clamp the executor of codex-eco from minimal to low", () => {
    const executor = selectors(profiles["codex-eco"]).find(({ role }) => role === "executor");
    expect(executor?.effort).toBe("minimal");
    expect(executor?.model && clampEffort(executor.model, "minimal")).toBe("low");
  });

  test("think at least as hard in a dearer tier, for the roles that plan and judge", () => {
    for (const group of ["codex", "glm", "kimi-coding-plan", "mimo", "grok", "minimax"]) {
      for (const role of ["architect", "planner", "critic"]) {
        const ranks = tiers(group).map((name) => effectiveRank(profiles[name], role));
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
      }
    }
  });
});

describe("a profile of models.yml", () => {
  const mapping = (text: string) => profileSchema.safeParse({ model_mapping: { default: text } }).success;

  test("maps a role to one model, whose id may hold slashes and colons", () => {
    expect(
      ["openai/gpt-5.2", "openai/o3:high", "openrouter/anthropic/claude-sonnet-5", "b/a-v1:0:low"].map(mapping),
    ).toEqual([true, true, true, true]);
    expect(["gpt-5.2", "openai/", "/o3", "openai/o3,xai/grok-4.3", "openai/o3 xai/grok", ""].map(mapping)).toEqual(
      Array(6).fill(false),
    );
  });

  test("may leave roles and required providers out, but maps something and nothing unknown", () => {
    expect(profileSchema.parse({ model_mapping: { critic: "openai/o3" } })).toEqual({
      required_providers: [],
      model_mapping: { critic: "openai/o3" },
    });
    expect(profileSchema.safeParse({ model_mapping: {} }).success).toBe(false);
    expect(profileSchema.safeParse({ model_mapping: { writer: "openai/o3" } }).success).toBe(false);
    expect(profileSchema.safeParse({ model_mapping: { default: "openai/o3" }, extra: 1 }).success).toBe(false);
  });
});

function selectorTexts(profile: Profile | undefined): string[] {
  return Object.values(profile?.model_mapping ?? {});
}

function selectors(profile: Profile | undefined) {
  return Object.entries(profile?.model_mapping ?? {}).map(([role, text]) => {
    const colon = text.lastIndexOf(":");
    const suffix = text.slice(colon + 1);
    const effort: Effort | undefined = colon > 0 && isEffort(suffix) ? suffix : undefined;
    return { role, effort, model: models.get(effort === undefined ? text : text.slice(0, colon)) };
  });
}

function effectiveRank(profile: Profile | undefined, role: string): number {
  const found = selectors(profile).find((selector) => selector.role === role);
  if (found?.model === undefined || found.effort === undefined) return -1;
  return supportedEfforts(found.model).indexOf(clampEffort(found.model, found.effort));
}
