import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROVIDERS, providerForUrl, providerRow, unsupportedProvider } from "../../src/llm/providers.ts";
import { api, auth, compat } from "../../src/protocol/models.ts";

describe("the provider table", () => {
  test("names every provider once, in words", () => {
    const ids = PROVIDERS.map((row) => row.id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(PROVIDERS.filter((row) => row.name.trim() === "")).toEqual([]);
  });

  test("uses only apis, auth modes and quirks that exist", () => {
    for (const row of PROVIDERS) {
      expect(api.parse(row.api)).toBe(row.api);
      expect(auth.optional().safeParse(row.auth).success).toBe(true);
      expect(compat.optional().safeParse(row.compat).success).toBe(true);
    }
  });

  test("reaches everything but this machine over https", () => {
    const plain = PROVIDERS.filter((row) => row.baseUrl.startsWith("http://")).map((row) => row.id);
    expect(plain).toEqual(["lm-studio", "ollama", "llama.cpp"]);
    const odd = PROVIDERS.filter((row) => !/^(https?:\/\/\S*[^/]|)$/.test(row.baseUrl)).map((row) => row.id);
    expect(odd).toEqual([]);
  });

  test("fills every part of an address that stands in braces", () => {
    for (const row of PROVIDERS) {
      const parts = [...row.baseUrl.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect([...new Set(parts)]).toEqual(Object.keys(row.addressParts ?? {}));
    }
  });

  test("gives each keyed provider a variable for its key", () => {
    const keyless = PROVIDERS.filter((row) => row.keyVariables.length === 0).map((row) => row.id);
    expect(keyless).toEqual(["lm-studio", "ollama", "llama.cpp", "scripted"]);
    expect(providerRow("google")?.keyVariables).toEqual(["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
  });

  test("finds rows by their exact id only", () => {
    expect(providerRow("anthropic")?.api).toBe("anthropic-messages");
    expect(providerRow("Anthropic")).toBeUndefined();
    expect(providerRow("toString")).toBeUndefined();
  });
});

describe("the provider a bare address means", () => {
  const cases: [string, string | undefined][] = [
    ["https://chatgpt.com/backend-api/codex", "openai-codex"],
    ["https://chatgpt.com/backend-api/codex/responses", "openai-codex"],
    ["https://chatgpt.com/backend-api", undefined],
    ["https://api.openai.com/v1/chat/completions", "openai"],
    ["https://api.openai.com", "openai"],
    ["https://api.anthropic.com/v1/messages", "anthropic"],
    ["api.anthropic.com", "anthropic"],
    ["http://localhost:1234/v1/chat/completions", "lm-studio"],
    ["http://127.0.0.1:1234", "lm-studio"],
    ["http://localhost:12345", undefined],
    ["http://localhost:11434/v1", "ollama"],
    ["https://api.minimax.io/v1/chat/completions", "minimax-code"],
    ["https://api.minimax.io/anthropic", "minimax"],
    ["https://api.z.ai/api/paas/v4", undefined],
    ["https://my-team.openai.azure.com/openai/v1/", "azure-openai"],
    ["https://bedrock-runtime.eu-west-1.amazonaws.com", "amazon-bedrock"],
    ["https://gateway.example.com/v1", undefined],
    ["", undefined],
    ["not an address", undefined],
  ];
  for (const [url, id] of cases) {
    test(`${url || "(empty)"} is ${id ?? "nobody's"}`, () => {
      expect(providerForUrl(url)?.id).toBe(id);
    });
  }

  test("is never guessed from a path, a query, a user name or a longer host", () => {
    const hosts = ["api.openai.com", "api.anthropic.com", "chatgpt.com/backend-api/codex", "localhost:1234"];
    const disguises = [
      (host: string) => `https://evil.example/${host}`,
      (host: string) => `https://evil.example/?next=${host}`,
      (host: string) => `https://${host.split("/")[0]}@evil.example/`,
      (host: string) => `https://x${host}`,
      (host: string) => `https://${host.replace(/[:/].*/, "")}.evil.example/`,
    ];
    for (const host of hosts) {
      for (const disguise of disguises) expect(providerForUrl(disguise(host))).toBeUndefined();
    }
  });

  test("is found or not, but looking never fails", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        providerForUrl(text);
      }),
    );
  });
});

test("a provider that cannot be spoken to explains itself and has no row", () => {
  for (const id of ["cursor", "google-gemini-cli"]) {
    expect(providerRow(id)).toBeUndefined();
    expect(unsupportedProvider(id)).toContain("Ralph does not speak");
  }
  for (const id of ["anthropic", "toString"]) expect(unsupportedProvider(id)).toBeUndefined();
});
