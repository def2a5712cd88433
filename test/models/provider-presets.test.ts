import { expect, test } from "bun:test";
import { providerRow } from "../../src/llm/providers.ts";
import { PROVIDER_PRESETS, providerPreset } from "../../src/models/provider-presets.ts";
import { api, compat, model } from "../../src/protocol/models.ts";

test("a preset writes a provider that names the variable of the key", () => {
  expect(
    PROVIDER_PRESETS.map(({ name, provider, entry }) => [name, provider, entry.api, entry.baseUrl, entry.apiKeyEnv]),
  ).toEqual([
    ["minimax", "minimax-code", "openai-completions", "https://api.minimax.io/v1", "MINIMAX_CODE_API_KEY"],
    ["minimax-cn", "minimax-code-cn", "openai-completions", "https://api.minimaxi.com/v1", "MINIMAX_CODE_CN_API_KEY"],
    ["glm", "glm-proxy", "openai-completions", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"],
  ]);
});

test("glm is also called zai and z-ai, and never replaces the provider zai", () => {
  for (const name of ["glm", "zai", "z-ai", "GLM", "Z-ai"]) expect(providerPreset(name)?.provider).toBe("glm-proxy");
  expect(providerRow("glm-proxy")).toBeUndefined();
  expect(providerPreset("openai")).toBeUndefined();
});

test("every preset holds what models.yml accepts", () => {
  for (const { provider, entry } of PROVIDER_PRESETS) {
    expect(api.parse(entry.api)).toBe(entry.api);
    expect(compat.parse(entry.compat)).toEqual(entry.compat);
    for (const described of entry.models) {
      const whole = { ...described, provider, api: entry.api, baseUrl: entry.baseUrl, auth: "apiKey", tools: true };
      expect(model.safeParse(whole).success).toBe(true);
    }
  }
});
