import { expect, test } from "bun:test";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { SESSION_EVENTS, type SessionEvent } from "../../src/rpc/session-event-shapes.ts";
import { startOfSessionEvents, stepSessionEvents } from "../../src/rpc/session-events.ts";

test("an answer that was stopped for a rule ends before ttsr_triggered, and what the model is told stays hidden", () => {
  const rules = [{ name: "no-any", path: "no-any.md" }];
  const message = { role: "user" as const, content: [{ type: "text" as const, text: "hidden" }] };
  const error = { kind: "aborted" as const, message: "stopped", retryable: false };
  const events: AgentEvent[] = [
    { type: "turn-start", turn: 1 },
    { type: "message-start", role: "assistant" },
    { type: "message-update", event: { type: "error", error } },
    { type: "rules-triggered", rules, stopped: true, message },
    { type: "turn-end", turn: 1 },
    { type: "rules-triggered", rules, stopped: false, toolCallId: "c" },
  ];
  let state = startOfSessionEvents();
  const told = events.flatMap((event): SessionEvent[] => {
    const step = stepSessionEvents(state, event);
    state = step.state;
    return step.events;
  });
  expect(told.map(({ type }) => type)).toEqual([
    "turn_start",
    "message_start",
    "message_end",
    "ttsr_triggered",
    "turn_end",
    "ttsr_triggered",
  ]);
  expect(told.filter(({ type }) => type === "ttsr_triggered")).toEqual([
    { type: "ttsr_triggered", rules, interrupted: true },
    { type: "ttsr_triggered", rules, interrupted: false, toolCallId: "c" },
  ]);
  for (const event of told) expect(SESSION_EVENTS[event.type].shape.safeParse(event).success).toBe(true);
  expect(JSON.stringify(told)).not.toContain("hidden");
});
