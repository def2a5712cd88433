import { describe, expect, test } from "bun:test";
import { contextOf } from "../../src/sessions/context.ts";
import { createMemorySession } from "../../src/sessions/session.ts";
import { toldRules } from "../../src/sessions/told-rules.ts";
import { sessionTotals } from "../../src/sessions/totals.ts";
import { answer, chain, said, user } from "../support/session-samples.ts";

function told(...names: string[]) {
  const content = [{ type: "text" as const, text: `keep to ${names}` }];
  return { type: "rules-injected" as const, names, message: { role: "user" as const, content } };
}

describe("rules a session was told", () => {
  const drafts = [
    said(user("one")),
    told("a", "b"),
    said(answer("yes")),
    { type: "rules-injected" as const, names: ["c"] },
    said(answer("well")),
    told("a"),
    said(answer("done")),
  ];

  test("are known with how many answers came since, on their branch alone", async () => {
    const entries = chain(...drafts);
    const after = (leafId: string | null) => Object.fromEntries(toldRules(entries, leafId));
    expect([after("e7"), after("e4"), after("e2"), after("e1"), after(null)]).toEqual([
      { a: 1, b: 3, c: 2 },
      { a: 1, b: 1, c: 0 },
      { a: 0, b: 0 },
      {},
      {},
    ]);
    const session = createMemorySession({ cwd: "/" });
    for (const draft of drafts) await session.append(draft);
    expect(Object.fromEntries(toldRules(session.entries, session.leafId))).toEqual(after("e7"));
  });

  test("stand in the conversation where they were told, and outlive a compaction", () => {
    const messages = contextOf(chain(...drafts)).messages;
    expect(messages.filter(({ role }) => role === "user")).toEqual([
      user("one"),
      user("keep to a,b"),
      user("keep to a"),
    ]);
    const compaction = { type: "compaction" as const, summary: "short", firstKeptId: "e6", tokensBefore: 1 };
    const entries = chain(...drafts, compaction);
    expect(Object.fromEntries(toldRules(entries, "e8"))).toEqual({ a: 1, b: 3, c: 2 });
  });

  test("count what the answer used that was dropped for them", () => {
    const usage = { input: 7, output: 2, cacheRead: 0, cacheWrite: 0 };
    const entries = chain(said(user("one")), { ...told("a"), usage, cost: 0.5 });
    expect(sessionTotals(entries)).toEqual({ turns: 0, usage, cost: 0.5, unpricedTurns: 0, largestPrompt: 0 });
  });
});
