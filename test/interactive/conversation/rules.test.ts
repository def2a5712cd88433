import { expect, test } from "bun:test";
import type { AgentEvent } from "../../../src/protocol/agent-events.ts";
import { answerEvents, DONE, openOnScreen, STARTED, user } from "../../support/conversation-on-screen.ts";

const RULES = [{ name: "no-any", path: "no-any.md" }];

async function finished(events: readonly AgentEvent[]): Promise<string[]> {
  const world = openOnScreen({});
  world.play(...events);
  const seen = await world.seen();
  return seen.slice(
    0,
    seen.findLastIndex((row) => /^[─-]+$/.test(row)),
  );
}

test("an answer that was stopped for a rule stays on the screen with the reason, and the next one follows", async () => {
  const message = { role: "user" as const, content: [{ type: "text" as const, text: "hidden" }] };
  const rows = await finished([
    STARTED,
    user("write x"),
    { type: "message-start", role: "assistant" },
    { type: "message-update", event: { type: "text-delta", index: 0, text: "x as any" } },
    { type: "rules-triggered", rules: RULES, stopped: true, message },
    ...answerEvents("x: number"),
    { type: "rules-triggered", rules: [...RULES, { name: "brief", path: "b.md" }], stopped: false, message },
    DONE,
  ]);
  const words = rows.map((row) => row.trim()).filter((row) => row !== "");
  expect(words).toEqual([
    "› write x",
    "x as any",
    "• This answer was stopped: it broke the rule no-any. The model is told and",
    "answers again.",
    "x: number",
    "• The model is reminded of the rules no-any, brief.",
  ]);
});
