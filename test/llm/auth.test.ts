import { describe, expect, test } from "bun:test";
import { authHeaders } from "../../src/llm/auth.ts";
import { APIS, type Api, type Credential } from "../../src/protocol/models.ts";
import { modelNamed } from "../support/model-fixtures.ts";

const KEY: Credential = { type: "key", key: "secret" };
const OWN_HEADERS: Partial<Record<Api, string>> = {
  "anthropic-messages": "x-api-key",
  "google-generative-ai": "x-goog-api-key",
  "azure-openai-responses": "api-key",
};

function tokenWith(claims: unknown): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

describe("the headers of a credential", () => {
  test.each([...APIS])("of a key for %s", (api) => {
    const header = OWN_HEADERS[api];
    const expected = header === undefined ? { authorization: "Bearer secret" } : { [header]: "secret" };
    expect(authHeaders(modelNamed("p/m", { api }), KEY)).toEqual(expected);
  });

  test("of a key with authHeader carry it in both ways", () => {
    const model = modelNamed("p/m", { api: "anthropic-messages", authHeader: true });
    expect(authHeaders(model, KEY)).toEqual({ "x-api-key": "secret", authorization: "Bearer secret" });
  });

  test("are none where nothing is needed or the request is signed", () => {
    const aws: Credential = { type: "aws", accessKeyId: "a", secretAccessKey: "b", region: "r" };
    for (const credential of [{ type: "none" } as const, aws]) {
      expect(authHeaders(modelNamed("p/m"), credential)).toEqual({});
    }
  });

  test("of a token are the bearer header, for the formats with a header of their own too", () => {
    const model = modelNamed("p/m", { api: "anthropic-messages" });
    expect(authHeaders(model, { type: "bearer", token: "t" })).toEqual({ authorization: "Bearer t" });
  });
});

describe("the account of a ChatGPT token", () => {
  const codex = modelNamed("openai-codex/m", { api: "openai-codex-responses" });
  const token = tokenWith({ "https://api.openai.com/auth": { chatgpt_account_id: "acct" } });

  test("stands in the token, whether it came as a token or as a key", () => {
    const expected = { authorization: `Bearer ${token}`, "chatgpt-account-id": "acct" };
    expect(authHeaders(codex, { type: "bearer", token })).toEqual(expected);
    expect(authHeaders(codex, { type: "key", key: token })).toEqual(expected);
  });

  test("that was stored beside the token wins", () => {
    const headers = authHeaders(codex, { type: "bearer", token, accountId: "stored" });
    expect(headers["chatgpt-account-id"]).toBe("stored");
  });

  test("is left out where the token does not name it", () => {
    for (const odd of ["plain", "a.b.c", tokenWith([]), tokenWith({ "https://api.openai.com/auth": 5 })]) {
      expect(authHeaders(codex, { type: "bearer", token: odd })).toEqual({ authorization: `Bearer ${odd}` });
    }
  });
});
