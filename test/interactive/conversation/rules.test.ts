import { expect, test } from "bun:test";
import type { AgentEvent } from "../../../src/protocol/agent-events.ts";
import {
  answerEvents,
  DONE,
  type OpenOptions,
  openOnScreen,
  STARTED,
  user,
} from "../../support/conversation-on-screen.ts";

const RULES = [{ name: "no-any", path: "no-any.md" }];

async function finished(events: readonly AgentEvent[], options: OpenOptions = {}): Promise<string[]> {
  const world = openOnScreen(options);
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

test("what the model was told is named, not shown, in a session that is gone on with", async () => {
  const text = '<rule_reminder>\nYou broke it.\n<rule name="no-any">\nName it.\n</rule>\n</rule_reminder>';
  const rows = await finished([], { earlier: [{ role: "user", content: [{ type: "text", text }] }] });
  const words = rows.map((row) => row.trim()).filter((row) => row !== "");
  expect(words).toContain("› [the model was told of the rule no-any]");
  expect(words.join()).not.toContain("Name it.");
});
