import { describe, expect, test } from "bun:test";
import { PROVIDERS, type ProviderRow, providerRow } from "../../src/llm/providers.ts";
import { providerAddress } from "../../src/models/provider-address.ts";

const address = (id: string, environment: Record<string, string | undefined>) => {
  const row = providerRow(id);
  return row === undefined ? undefined : providerAddress(row, environment);
};

describe("the address of a built-in provider", () => {
  test("is the one of its row when the environment says nothing", () => {
    expect(address("anthropic", {})).toEqual({ ok: true, url: "https://api.anthropic.com" });
    expect(address("ollama", { OLLAMA_BASE_URL: "  " })).toEqual({ ok: true, url: "http://127.0.0.1:11434" });
  });

  test("can be replaced by the variable the provider documents", () => {
    expect(address("ollama", { OLLAMA_BASE_URL: "http://box:11434" })).toEqual({ ok: true, url: "http://box:11434" });
    expect(address("lm-studio", { LM_STUDIO_BASE_URL: "http://box/v1" })).toEqual({ ok: true, url: "http://box/v1" });
    expect(address("llama.cpp", { LLAMA_CPP_BASE_URL: "http://box" })).toEqual({ ok: true, url: "http://box" });
  });

  test("is filled from the environment, the first variable that is set winning", () => {
    const url = (environment: Record<string, string>) => address("amazon-bedrock", environment);
    expect(url({ AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "us-west-2" })).toEqual({
      ok: true,
      url: "https://bedrock-runtime.eu-west-1.amazonaws.com",
    });
    expect(url({})).toEqual({ ok: true, url: "https://bedrock-runtime.us-east-1.amazonaws.com" });
  });

  test("is missing with a message that names the variables", () => {
    expect(address("azure-openai", {})).toEqual({
      ok: false,
      message:
        "Azure OpenAI has no address yet: the resource is unknown. Set AZURE_OPENAI_RESOURCE_NAME, or baseUrl of azure-openai in models.yml.",
    });
  });

  test("never takes a part that could lead to another host", () => {
    for (const value of ["evil.example/", "a.b", "x@evil", "..", "a/b", "a b"]) {
      expect(address("azure-openai", { AZURE_OPENAI_RESOURCE_NAME: value })?.ok).toBe(false);
    }
  });

  test("has no braces left once its parts are known", () => {
    const filled = (row: ProviderRow) => {
      const variables = Object.values(row.addressParts ?? {}).flatMap((part) => part.variables);
      return providerAddress(row, Object.fromEntries(variables.map((name) => [name, "here"])));
    };
    expect(PROVIDERS.map(filled).filter((found) => !found.ok || found.url.includes("{"))).toEqual([]);
  });
});
