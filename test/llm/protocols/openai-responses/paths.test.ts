import { expect, test } from "bun:test";
import { azurePath, codexPath, responsesPath } from "../../../../src/llm/protocols/openai-responses/paths.ts";

test.each([
  ["https://api.openai.com/v1", "/responses"],
  ["https://api.openai.com/v1/", "/responses"],
  ["https://api.openai.com", "/v1/responses"],
  ["http://127.0.0.1:11434", "/v1/responses"],
  ["http://127.0.0.1:8080/", "/v1/responses"],
  ["http://[::1]:8080", "/v1/responses"],
  ["https://proxy.example/openai", "/responses"],
])("below %s the Responses API is at %s", (baseUrl, path) => {
  expect(responsesPath(baseUrl)).toBe(path);
});

test.each([
  ["https://chatgpt.com/backend-api", "/codex/responses"],
  ["https://chatgpt.com/backend-api/", "/codex/responses"],
  ["https://chatgpt.com/backend-api/codex", "/responses"],
  ["https://chatgpt.com/backend-api/codex/", "/responses"],
])("below %s the ChatGPT backend is at %s", (baseUrl, path) => {
  expect(codexPath(baseUrl)).toBe(path);
});

test.each([
  ["https://res.openai.azure.com/openai/v1", "/responses"],
  ["https://res.openai.azure.com/openai/v1/", "/responses"],
  ["https://res.openai.azure.com/openai", "/v1/responses"],
  ["https://res.openai.azure.com", "/openai/v1/responses"],
])("below %s Azure's API is at %s", (baseUrl, path) => {
  expect(azurePath(baseUrl)).toBe(path);
});
