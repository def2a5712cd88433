import { describe, expect, test } from "bun:test";
import { MOST_JOINED_OUTPUT } from "../../src/rpc/joined-updates.ts";
import { createOutbound, MAX_HELD, MAX_HELD_FOR_UPDATES, type RpcOutput } from "../../src/rpc/outbound.ts";
import type { SessionEvent } from "../../src/rpc/session-event-shapes.ts";

/** An output whose reader takes everything or nothing. */
function slowOutput() {
  const lines: string[] = [];
  let held = 0;
  let reading = Promise.withResolvers<void>();
  const output: RpcOutput = {
    write(text) {
      lines.push(text);
      held += text.length;
    },
    drained: () => reading.promise,
    get held() {
      return held;
    },
  };
  const take = () => {
    held = 0;
    return lines.splice(0).map((line) => JSON.parse(line));
  };
  const letRead = async () => {
    held = 0;
    const before = reading;
    reading = Promise.withResolvers<void>();
    before.resolve();
    await before.promise;
    await Promise.resolve();
  };
  return { output, take, letRead };
}

const piece = (delta: string, type: "text_delta" | "thinking_delta" = "text_delta"): SessionEvent => ({
  type: "message_update",
  message: { role: "assistant", content: [] },
  assistantMessageEvent: { type, contentIndex: 0, delta },
});
const notice = (message: string): SessionEvent => ({ type: "notice", level: "info", message });
const FULL = notice("x".repeat(MAX_HELD_FOR_UPDATES));

const told = (frames: { seq: number; payload: { event: SessionEvent } }[]) =>
  frames.map(({ seq, payload: { event } }) => [seq, wordsOf(event)]);

function wordsOf(event: SessionEvent): string {
  if (event.type === "notice") return event.message;
  if (event.type !== "message_update" || !("delta" in event.assistantMessageEvent)) return event.type;
  return `${event.assistantMessageEvent.type} ${event.assistantMessageEvent.delta}`;
}

describe("frames that go out", () => {
  test("are numbered by session, each with an id of its own", () => {
    const { output, take } = slowOutput();
    const { event, send } = createOutbound({ output, run: "r", onStuck: () => {} });
    event("a", { type: "agent_start" });
    event("b", { type: "agent_start" });
    send({ type: "ready" });
    event("a", { type: "turn_start" });
    const frame = (session_id: string, seq: number, frame_id: string, event_type: string) => ({
      type: "event",
      protocol_version: 2,
      session_id,
      seq,
      frame_id,
      payload: { event_type, event: { type: event_type } },
    });
    expect(take()).toEqual([
      frame("a", 1, "frame_r_1", "agent_start"),
      frame("b", 1, "frame_r_2", "agent_start"),
      { type: "ready" },
      frame("a", 2, "frame_r_3", "turn_start"),
    ]);
  });

  test("join pieces while nobody reads, and send them before anything else or when somebody reads again", async () => {
    const { output, take, letRead } = slowOutput();
    const { event } = createOutbound({ output, run: "r", onStuck: () => {} });
    event("a", piece("1"));
    event("a", FULL);
    for (const text of ["2", "3"]) event("a", piece(text));
    event("a", piece("thought", "thinking_delta"));
    event("a", { type: "turn_start" });
    for (const text of ["4", "5"]) event("a", piece(text));
    event("b", piece("other"));
    const seen = take();
    expect(told(seen).map(([seq, what]) => [seq, String(what).slice(0, 20)])).toEqual([
      [1, "text_delta 1"],
      [2, "x".repeat(20)],
      [3, "text_delta 23"],
      [4, "thinking_delta thoug"],
      [5, "turn_start"],
      [6, "text_delta 45"],
    ]);
    await letRead();
    expect(told(take())).toEqual([[1, "text_delta other"]]);
    event("a", piece("6"));
    expect(told(take())).toEqual([[7, "text_delta 6"]]);
  });

  test("keep so much of a tool's output while nobody reads, and say how much is missing", () => {
    const { output, take } = slowOutput();
    const { event } = createOutbound({ output, run: "r", onStuck: () => {} });
    const printed = (toolCallId: string, text: string): SessionEvent => ({
      ...{ type: "tool_execution_update", toolCallId, toolName: "shell", args: {} },
      partialResult: { content: [{ type: "text", text }] },
    });
    event("a", FULL);
    for (let round = 0; round < 3; round++) {
      event("a", printed("one", "y".repeat(MOST_JOINED_OUTPUT / 2)));
      event("a", printed("two", `${round}`));
    }
    event("a", { type: "turn_start" });
    const [, one, two, missing, start] = take();
    expect([one.payload.event.toolCallId, one.payload.event.partialResult.content[0].text.length]).toEqual([
      "one",
      MOST_JOINED_OUTPUT,
    ]);
    expect([two.payload.event.partialResult.content, missing.payload.event.message, start.seq]).toEqual([
      [{ type: "text", text: "012" }],
      "131072 characters of output were left out, because more than 1048576 characters waited to be read. The results of the tools are complete.",
      5,
    ]);
  });

  test("end when far too much waits, once, and nothing follows", () => {
    const { output, take } = slowOutput();
    let stuck = 0;
    const { event, send } = createOutbound({ output, run: "r", onStuck: () => stuck++ });
    event("a", notice("x".repeat(MAX_HELD)));
    event("a", notice("later"));
    send({ type: "ready" });
    expect([stuck, take().length]).toEqual([1, 1]);
  });
});
