import { expect, test } from "bun:test";
import { transformRequest } from "../../src/llm/request-transform.ts";
import type { RequestTransform } from "../../src/protocol/models.ts";

const REQUEST = {
  headers: {
    authorization: "Bearer key",
    "user-agent": "ralph/1",
    "openai-beta": "x",
    "x-stainless-os": "linux",
    session_id: "s",
  },
  body: { model: "m", options: { a: 1 } },
};

const CASES: [title: string, transform: RequestTransform | undefined, expected: typeof REQUEST][] = [
  ["nothing is asked for", undefined, REQUEST],
  ["the transform is empty", {}, REQUEST],
  [
    "headers are taken away, whatever their case, and by their beginning",
    { stripHeaders: ["OpenAI-Beta", "X-Stainless-*"] },
    withHeaders({ authorization: "Bearer key", "user-agent": "ralph/1", session_id: "s" }),
  ],
  [
    "headers are set and, with null, removed",
    { setHeaders: { "X-Own": "1", Session_ID: null, "User-Agent": "other" } },
    withHeaders({
      authorization: "Bearer key",
      "user-agent": "other",
      "openai-beta": "x",
      "x-stainless-os": "linux",
      "x-own": "1",
    }),
  ],
  [
    "the profile openai-proxy takes away what names the client",
    { profile: "openai-proxy" },
    withHeaders({ authorization: "Bearer key", "user-agent": "ralph" }),
  ],
  [
    "the profile's list is replaced by one's own",
    { profile: "openai-proxy", stripHeaders: ["session_id"] },
    withHeaders({ authorization: "Bearer key", "user-agent": "ralph", "openai-beta": "x", "x-stainless-os": "linux" }),
  ],
];

test.each(CASES)("a request where %s", (_, transform, expected) => {
  expect(transformRequest(REQUEST, transform)).toEqual(expected);
});

test("fields are added to the body", () => {
  const { body } = transformRequest(REQUEST, { extraBody: { added: true } });
  expect(body).toEqual({ model: "m", options: { a: 1 }, added: true });
});

function withHeaders(headers: Record<string, string>): typeof REQUEST {
  return { headers: headers as typeof REQUEST.headers, body: REQUEST.body };
}
