import { describe, expect, test } from "bun:test";
import { networkError, refusalError, reportedError, retryAfter, timeoutError } from "../../src/llm/errors.ts";
import type { ModelErrorKind } from "../../src/protocol/model-errors.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function refusal(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return refusalError({ host: "host.test", status, headers: new Headers(headers), body: text, now: NOW });
}

/** What providers send when they refuse, in their own shapes. */
const BODIES: [status: number, body: unknown, kind: ModelErrorKind, message: string][] = [
  [
    401,
    { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
    "credentials",
    "invalid x-api-key",
  ],
  [
    403,
    { error: { message: "Country not supported", code: "unsupported_country" } },
    "credentials",
    "Country not supported",
  ],
  [
    400,
    { error: { code: 400, message: "API key not valid. Please pass one.", status: "INVALID_ARGUMENT" } },
    "credentials",
    "API key not valid. Please pass one.",
  ],
  [400, [{ error: { code: 400, message: "In a list" } }], "invalid-request", "In a list"],
  [403, { message: "User is not authorized" }, "credentials", "User is not authorized"],
  [404, { error: "model 'qwen' not found" }, "not-found", "model 'qwen' not found"],
  [400, { detail: "Stream must be set to true" }, "invalid-request", "Stream must be set to true"],
  [
    400,
    { error: { message: "prompt is too long: 9 tokens > 8 maximum" } },
    "context-overflow",
    "prompt is too long: 9 tokens > 8 maximum",
  ],
  [400, { error: { code: "context_length_exceeded", message: "too much" } }, "context-overflow", "too much"],
  [
    413,
    { error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
    "context-overflow",
    "Request exceeds the maximum size",
  ],
  [429, { error: { type: "rate_limit_error", message: "slow down" } }, "rate-limit", "slow down"],
  [429, { error: { code: "insufficient_quota", message: "check your plan" } }, "quota", "check your plan"],
  [429, { error: { type: "usage_limit_reached", message: "limit" } }, "quota", "limit"],
  [400, { error: { message: "Your credit balance is too low" } }, "quota", "Your credit balance is too low"],
  [402, { error: { message: "Payment required" } }, "quota", "Payment required"],
  [408, { error: { message: "Request timeout" } }, "timeout", "Request timeout"],
  [409, {}, "server", ""],
  [500, "<html>Internal error</html>", "server", "<html>Internal error</html>"],
  [503, "", "server", ""],
  [529, { error: { type: "overloaded_error", message: "Overloaded" } }, "server", "Overloaded"],
];

describe("a refused request", () => {
  test("that was sent elsewhere says where to, and that redirects are not followed", () => {
    const headers = new Headers({ location: "https://elsewhere.test/v1" });
    expect(refusalError({ host: "host.test", status: 302, headers, body: "", now: 0 })).toEqual({
      kind: "invalid-request",
      message:
        "host.test answered 302: it points to https://elsewhere.test/v1, and redirects are not followed. Set baseUrl to the final address",
      host: "host.test",
      status: 302,
      retryable: false,
    });
  });

  test.each(BODIES)("with status %d and body %j is of kind %s", (status, body, kind, message) => {
    expect(refusal(status, body)).toEqual({
      kind,
      message: `host.test answered ${status}${message === "" ? "" : `: ${message}`}`,
      host: "host.test",
      status,
      retryable: ["rate-limit", "server", "timeout"].includes(kind),
    });
  });

  test("is described by one short line without control characters", () => {
    const { message } = refusal(400, { error: { message: `  first\u001b[31m\tline ${"x".repeat(500)}\nsecond` } });
    expect(message).toBe(`host.test answered 400: first [31m line ${"x".repeat(400 - "first [31m line ".length)}…`);
  });

  test("keeps the provider's id of the request, and the error type AWS has in a header", () => {
    const headers = { "x-amzn-requestid": "id-1", "x-amzn-errortype": "ServiceQuotaExceededException" };
    expect(refusal(400, { message: "no" }, headers)).toMatchObject({ kind: "quota", requestId: "id-1" });
    expect(refusal(500, "", { "request-id": "req_1" }).requestId).toBe("req_1");
  });

  test("takes the protocol's own reading before the general one", () => {
    const own = refusalError({
      host: "host.test",
      status: 400,
      headers: new Headers(),
      body: "{}",
      now: NOW,
      readRefusal: () => ({ kind: "rate-limit", retryAfterMs: 5 }),
    });
    expect([own.kind, own.retryAfterMs, own.retryable]).toEqual(["rate-limit", 5, true]);
  });

  test("takes the wait from the header before that in the text", () => {
    const body = { error: { message: "Please try again in 20s." } };
    expect(refusal(429, body).retryAfterMs).toBe(20_000);
    expect(refusal(429, body, { "retry-after": "3" }).retryAfterMs).toBe(3000);
  });
});

test.each([
  [{ "retry-after": "7" }, 7000],
  [{ "retry-after": "1.5" }, 1500],
  [{ "retry-after": " 2 " }, 2000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
  [{ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{ "retry-after-ms": "soon", "retry-after": "9" }, 9000],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "later" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{}, undefined],
] as [Record<string, string>, number | undefined][])("the wait in %j is read", (headers, expected) => {
  expect(retryAfter(new Headers(headers), NOW)).toBe(expected);
});

describe("an error inside a stream", () => {
  test.each([
    ["overloaded_error", "Overloaded", "server"],
    ["rate_limit_error", "slow", "rate-limit"],
    ["authentication_error", "bad key", "credentials"],
    ["invalid_request_error", "wrong", "invalid-request"],
    ["ThrottlingException", "slow", "rate-limit"],
    ["context_length_exceeded", "long", "context-overflow"],
    ["something_new", "?", "server"],
  ] as const)("%s is of the kind it would have as a status", (code, message, kind) => {
    expect(reportedError(code, message)).toEqual({ kind, message, retryable: ["server", "rate-limit"].includes(kind) });
  });

  test("without a message is named by its code, and without both says so", () => {
    expect(reportedError("server_error", "").message).toBe("server_error");
    expect(reportedError("", "").message).toBe("the provider reported an error without a message");
  });
});

test("a host that is not reached or does not answer is named and may be tried again", () => {
  expect(networkError("host.test", "refused\nmore")).toEqual({
    kind: "network",
    message: "host.test could not be reached: refused",
    host: "host.test",
    retryable: true,
  });
  expect(timeoutError("host.test", "no answer for 5 s")).toEqual({
    kind: "timeout",
    message: "host.test: no answer for 5 s",
    host: "host.test",
    retryable: true,
  });
});
