import { describe, expect, test } from "bun:test";
import * as z from "zod";
import type { HttpSession } from "../../../src/mcp/server/http-session.ts";
import { HttpSessions, MOST_SESSIONS } from "../../../src/mcp/server/http-sessions.ts";
import { readMessage } from "../../../src/mcp/server/read-message.ts";
import { serveTool } from "../../../src/mcp/server/served-tools.ts";
import { manualClock } from "../../support/manual-clock.ts";

const BIG = "x".repeat(6_000_000);
const FOREVER = { signal: new AbortController().signal, onEnd: () => undefined };

const big = serveTool({
  name: "big",
  title: "Big",
  description: "Says much",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.strictObject({ text: z.string() }),
  run: async () => ({ ok: true, value: { text: BIG } }),
});

function open() {
  const resources = { list: async () => [], read: async () => undefined };
  const clock = manualClock();
  const sessions = new HttpSessions({ offer: { version: "1", instructions: "", tools: [big], resources }, clock });
  const begin = async (): Promise<HttpSession | undefined> => {
    const session = sessions.open();
    if (session === undefined) return undefined;
    const params = { protocolVersion: "2025-11-25" };
    await session.answer([readMessage({ jsonrpc: "2.0", id: 0, method: "initialize", params })]);
    sessions.keep(session);
    return session;
  };
  return { sessions, begin, clock };
}

describe("the sessions of the server over HTTP", () => {
  test("with all of them in use there is none for one more, until one ends", async () => {
    const { sessions, begin, clock } = open();
    const all = await Promise.all(Array.from({ length: MOST_SESSIONS }, begin));
    for (const session of all) session?.listen().read(0, FOREVER);
    expect([await begin(), sessions.size, clock.pending()]).toEqual([undefined, MOST_SESSIONS, 1]);
    const [first] = all;
    if (first !== undefined) sessions.end(first);
    expect([(await begin()) !== undefined, sessions.size]).toEqual([true, MOST_SESSIONS]);
    sessions.endAll();
    expect([sessions.size, clock.pending()]).toEqual([0, 0]);
  });

  test("when too much waits altogether, the one that lets most wait is ended", async () => {
    const { sessions, begin } = open();
    const call = (id: number) => readMessage({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "big" } });
    const all = await Promise.all(Array.from({ length: 11 }, begin));
    for (const [index, session] of all.entries()) {
      session?.answerAsEvents([call(1)]).read(0, FOREVER);
      if (index === 3) session?.answerAsEvents([call(2)]).read(0, FOREVER);
    }
    const answered = () =>
      all.every((session, index) => (session?.waitingBytes ?? 0) > BIG.length * (index === 3 ? 3 : 1));
    while (!answered()) await Promise.resolve();
    const kept = () => all.map((session) => session !== undefined && sessions.find(session.id) !== undefined);
    expect(kept()).toEqual(all.map((_, index) => index !== 3));
    expect(kept()).toEqual(all.map((_, index) => index !== 3));
    sessions.endAll();
  });

  test("of what was answered a session keeps the last 16, and nothing that is long", async () => {
    const { begin } = open();
    const session = await begin();
    const ask = async (id: number, method: string, params = {}) => {
      const stream = session?.answerAsEvents([readMessage({ jsonrpc: "2.0", id, method, params })]);
      return new Response(stream?.read(0, FOREVER)).text();
    };
    for (let id = 1; id <= 20; id += 1) expect(await ask(id, "ping")).toContain(`"id":${id},`);
    const kept = () => Array.from({ length: 21 }, (_, index) => session?.resume(`s${index + 1}-0`) !== undefined);
    const last16 = Array.from({ length: 21 }, (_, index) => index >= 4 && index < 20);
    expect(kept()).toEqual(last16);
    expect((await ask(21, "tools/call", { name: "big" })).length).toBeGreaterThan(BIG.length);
    expect(kept()).toEqual(last16);
  });
});
