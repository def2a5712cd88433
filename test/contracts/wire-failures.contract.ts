import { expect, test } from "bun:test";
import type { ModelError, ModelErrorKind } from "../../src/protocol/model-errors.ts";
import type { ModelEnd } from "../../src/protocol/model-events.ts";
import { type Fault, failAnswer } from "../support/fake-answer.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { answered, answerOf, ask } from "./ask-model.ts";
import { READ, TEXT } from "./sample-answers.ts";
import type { WireProtocolRow } from "./wire-protocols.ts";

const STATUSES: [status: number, kind: ModelErrorKind][] = [
  [400, "invalid-request"],
  [401, "credentials"],
  [403, "credentials"],
  [404, "not-found"],
  [429, "rate-limit"],
  [500, "server"],
  [502, "server"],
  [503, "server"],
  [529, "server"],
];

const RETRYABLE: ModelErrorKind[] = ["rate-limit", "server", "network", "timeout", "stream-cut", "bad-answer"];

/** Requests that fail, end in an error of the right kind. */
export function describeFailures(row: WireProtocolRow): void {
  describeRefusals(row);
  describeErrorsInside(row);
  describeAborts(row);

  test("a connection that is reset is a network error", async () => {
    const error = errorOf((await answered(row, failAnswer({ type: "reset" }))).end);
    expect([error.kind, error.retryable]).toEqual(["network", true]);
  });

  test.each(["request", "headers", { events: 2 }] as const)("silence after %j is a timeout", async (after) => {
    const answer = failAnswer({ type: "silence", after });
    const { end } = await answered(row, answer, { options: { timeouts: { idleMs: 25 } } });
    expect(errorOf(end).kind).toBe("timeout");
  });

  test("an answer that comes slowly is still an answer", async () => {
    const fault: Fault = { type: "slow", delayMs: 1, bytes: 100 };
    const { end } = await answered(row, { ...answerOf([TEXT]), fault }, { options: { timeouts: { idleMs: 2000 } } });
    expect(end.type).toBe("done");
  });

  test("nobody listening is a network error", async () => {
    const provider = await startFakeProvider();
    provider.stop();
    expect(errorOf((await ask(row, provider)).end).kind).toBe("network");
  });
}

function describeRefusals(row: WireProtocolRow): void {
  test.each(STATUSES)("status %d is of kind %s", async (status, kind) => {
    using provider = await startFakeProvider({ answers: [failAnswer({ type: "status", status })] });
    const error = errorOf((await ask(row, provider)).end);
    const { host } = new URL(provider.origin);
    expect(error).toMatchObject({ kind, status, host, retryable: RETRYABLE.includes(kind) });
    expect(error.message).toContain(`${host} answered ${status}`);
    expect(error.message.toLowerCase()).toContain("the fake provider answers with status");
  });

  test.each(row.refusals)("status %d for reason %s is of kind %s", async (status, reason, kind) => {
    for (const stream of [true, false]) {
      const answer = failAnswer({ type: "status", status, reason });
      const error = errorOf((await answered(row, answer, { request: { stream } })).end);
      expect([error.kind, error.retryable]).toEqual([kind, RETRYABLE.includes(kind)]);
    }
  });

  test("the wait a provider asks for is read, in seconds and as a date", async () => {
    const waits: (number | undefined)[] = [];
    const date = new Date(Date.now() + 30_000).toUTCString();
    for (const value of ["7", date]) {
      const answer = failAnswer({ type: "status", status: 429, headers: { "retry-after": value }, body: "{}" });
      waits.push(errorOf((await answered(row, answer)).end).retryAfterMs);
    }
    expect(waits[0]).toBe(7000);
    expect(waits[1]).toBeGreaterThan(27_000);
    expect(waits[1]).toBeLessThanOrEqual(30_000);
  });

  test("the wait a provider writes into the body of its refusal is read", async () => {
    if (row.waitInBody === undefined) return;
    const answer = failAnswer({ type: "status", status: 429, reason: "rate-limit" });
    expect(errorOf((await answered(row, answer)).end).retryAfterMs).toBe(row.waitInBody);
  });

  test("a huge error page becomes one short line", async () => {
    const { end } = await answered(row, failAnswer({ type: "huge-error-body", status: 502, bytes: 5_000_000 }));
    const { kind, message } = errorOf(end);
    expect(kind).toBe("server");
    expect(message.length).toBeLessThan(1000);
  });

  test("no error repeats the key it was refused for", async () => {
    const secrets = Object.values(row.credential).filter((value) => value.startsWith("fake-"));
    const fault: Fault = { type: "status", status: 401, body: `{"error":{"message":"bad key ${secrets.join(" ")}"}}` };
    const { message } = errorOf((await answered(row, failAnswer(fault))).end);
    expect(secrets.filter((secret) => message.includes(secret))).toEqual([]);
  });
}

function describeErrorsInside(row: WireProtocolRow): void {
  test.each(row.streamErrors)("the error %s inside a stream is of kind %s", async (reason, kind) => {
    const answer = answerOf([TEXT, READ], { fault: { type: "error-event", reason } });
    const { end } = await answered(row, answer);
    const error = errorOf(end);
    expect([error.kind, error.retryable]).toEqual([kind, RETRYABLE.includes(kind)]);
    expect(error.message).not.toBe("");
  });
}

function describeAborts(row: WireProtocolRow): void {
  const silences = [{ after: "request" }, { after: "headers" }] as const;
  test.each(silences)("an abort while waiting ($after) settles at once and hangs up", async ({ after }) => {
    using provider = await startFakeProvider({ answers: [failAnswer({ type: "silence", after })] });
    const controller = new AbortController();
    const asking = ask(row, provider, { signal: controller.signal });
    await provider.nextRequest();
    const aborted = performance.now();
    controller.abort();
    expect(errorOf((await asking).end).kind).toBe("aborted");
    expect(performance.now() - aborted).toBeLessThan(250);
    await hangUp(provider);
  });

  test("an abort in the middle of an answer keeps the text that had come", async () => {
    const events = row.renderer.frames(answerOf([TEXT]), { model: "m", serial: 1, includeUsage: true }).length - 3;
    const answer = answerOf([TEXT], { fault: { type: "silence", after: { events } } });
    using provider = await startFakeProvider({ answers: [answer] });
    const controller = new AbortController();
    let aborted = 0;
    const { end } = await ask(row, provider, {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type !== "text-delta") return;
        aborted = performance.now();
        controller.abort();
      },
    });
    expect(performance.now() - aborted).toBeLessThan(250);
    expect(end).toMatchObject({ type: "error", error: { kind: "aborted", retryable: false } });
    expect(end.type === "error" && end.partial?.content[0]).toMatchObject({ type: "text" });
    await hangUp(provider);
  });

  test("a request that was aborted before it began is never sent", async () => {
    using provider = await startFakeProvider();
    expect(errorOf((await ask(row, provider, { signal: AbortSignal.abort() })).end).kind).toBe("aborted");
    expect(provider.requests).toEqual([]);
  });
}

function errorOf(end: ModelEnd): ModelError {
  if (end.type === "done") throw new Error(`the request should have failed, but gave ${JSON.stringify(end.message)}`);
  return end.error;
}

/** Resolves when the client has closed its connection; a second is long for that. */
async function hangUp(provider: { connections(): number }): Promise<void> {
  const limit = performance.now() + 1000;
  while (provider.connections() > 0) {
    if (performance.now() > limit) throw new Error("the connection was still open a second after the abort");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
