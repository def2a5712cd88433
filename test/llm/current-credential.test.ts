import { describe, expect, test } from "bun:test";
import type { AttemptContext } from "../../src/llm/attempt.ts";
import { type CurrentCredential, withCurrentCredential } from "../../src/llm/current-credential.ts";
import type { Credential } from "../../src/protocol/models.ts";

function attempted(current: CurrentCredential, signal = new AbortController().signal) {
  const used: Credential[] = [];
  const attempt = withCurrentCredential(current, (credential) => async () => {
    used.push(credential);
    return {
      end: { type: "error", error: { kind: "network", message: "as far as it goes", retryable: true } },
      begun: true,
    };
  });
  const context: AttemptContext = {
    request: { system: [], messages: [], tools: [], stream: true } as unknown as AttemptContext["request"],
    number: 1,
    signal,
    emit: () => {},
  };
  return { ask: () => attempt(context), used };
}

describe("the credential of an attempt", () => {
  test("is that of its moment", async () => {
    let count = 0;
    const { ask, used } = attempted(async () => ({ ok: true, credential: { type: "key", key: `key-${++count}` } }));
    await ask();
    await ask();
    expect(used).toEqual([
      { type: "key", key: "key-1" },
      { type: "key", key: "key-2" },
    ]);
  });

  test("that cannot be had ends it with the reason, and nothing is sent", async () => {
    const { ask, used } = attempted(async () => ({ ok: false, message: "The login has ended." }));
    const error = { kind: "credentials" as const, message: "The login has ended.", retryable: false };
    expect([await ask(), used]).toEqual([{ end: { type: "error", error }, begun: false }, []]);
  });

  test("is not waited for by somebody who stops", async () => {
    const stop = new AbortController();
    const { ask, used } = attempted(() => new Promise(() => {}), stop.signal);
    const asked = ask();
    stop.abort();
    const error = { kind: "aborted" as const, message: "the request was stopped", retryable: false };
    expect([await asked, used]).toEqual([{ end: { type: "error", error }, begun: false }, []]);
  });
});
