import { expect, test } from "bun:test";
import fc from "fast-check";
import { judgeCallback, judgePasted } from "../../../src/models/login/judge-callback.ts";

const STATE = "s".repeat(43);
const EXPECTED = { state: STATE, port: 1455 };
const GOOD = { method: "GET", target: `/auth/callback?code=c1&state=${STATE}`, host: "localhost:1455" };

test("the answer of this login is taken, at both names of this machine", () => {
  const answer = { type: "answer", answer: { type: "code", code: "c1" } } as const;
  expect(judgeCallback(GOOD, EXPECTED)).toEqual(answer);
  expect(judgeCallback({ ...GOOD, host: "127.0.0.1:1455" }, EXPECTED)).toEqual(answer);
});

test.each([
  [403, { host: "evil.example:1455" }],
  [403, { host: "localhost" }],
  [403, { host: "localhost:1456" }],
  [403, { host: "" }],
  [403, { host: "localhost:1455.evil.example" }],
  [405, { method: "POST" }],
  [405, { method: "HEAD" }],
  [405, { method: "OPTIONS" }],
  [404, { target: `/?code=c1&state=${STATE}` }],
  [404, { target: `/auth/callback/?code=c1&state=${STATE}` }],
  [404, { target: `/AUTH/CALLBACK?code=c1&state=${STATE}` }],
  [404, { target: `//auth/callback?code=c1&state=${STATE}` }],
  [400, { target: "/auth/callback?code=c1" }],
  [400, { target: "/auth/callback?code=c1&state=" }],
  [400, { target: `/auth/callback?code=c1&state=${STATE}x` }],
  [400, { target: `/auth/callback?code=c1&state=${STATE.slice(1)}` }],
  [400, { target: `/auth/callback?code=c1&state=${STATE}&state=${STATE}` }],
  [400, { target: `/auth/callback?code=c1&code=c2&state=${STATE}` }],
  [400, { target: `/auth/callback?code=&state=${STATE}` }],
  [400, { target: `/auth/callback?code=${"c".repeat(5000)}&state=${STATE}` }],
  [400, { target: "/auth/callback?error=access_denied" }],
  [400, { target: `/auth/callback#code=c1&state=${STATE}` }],
] as const)("turned away with %i: %j", (status, wrong) => {
  const judged = judgeCallback({ ...GOOD, ...wrong }, EXPECTED);
  expect([judged.type, "status" in judged ? judged.status : undefined]).toEqual(["turned-away", status]);
});

test("a refusal at the login page is told without anything a terminal would obey", () => {
  const target = `/auth/callback?error=access_denied&error_description=No%1b%5b31mway%0a${"x".repeat(500)}&state=${STATE}`;
  const reason = `No [31mway ${"x".repeat(300)}`.slice(0, 200);
  expect(judgeCallback({ ...GOOD, target }, EXPECTED)).toEqual({ type: "answer", answer: { type: "refused", reason } });
});

test("the address a browser ended on may be pasted, whole or its end, and needs the same state", () => {
  const taken = { type: "answer", answer: { type: "code", code: "c1" } } as const;
  for (const text of [
    `http://localhost:1455/auth/callback?code=c1&state=${STATE}`,
    `  http://localhost:1455/auth/callback?code=c1&scope=openid+email&state=${STATE}#top\n`,
    `code=c1&state=${STATE}`,
  ])
    expect(judgePasted(text, STATE)).toEqual(taken);
  for (const text of [
    "",
    "hello",
    "http://localhost:1455/auth/callback?code=c1&state=other",
    "c1",
    "x=".repeat(20_000),
  ])
    expect(judgePasted(text, STATE).type).toBe("turned-away");
});

test("nothing is taken without the state, whatever comes", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.constantFrom("GET", "POST", "PUT"), (target, host, method) => {
      expect(judgeCallback({ method, target: `/auth/callback?${target}`, host }, EXPECTED).type).toBe("turned-away");
      expect(judgePasted(target, STATE).type).toBe("turned-away");
    }),
  );
});
