import { describe, expect, test } from "bun:test";
import { createOutbound, MAX_HELD, MAX_HELD_FOR_UPDATES, type RpcOutput } from "../../src/rpc/outbound.ts";
import type { SessionEvent } from "../../src/rpc/session-event-shapes.ts";

/** An output whose reader takes everything or nothing. */
function slowOutput() {
  const lines: string[] = [];
  let held = 0;
  const output: RpcOutput = {
    write(text) {
      lines.push(text);
      held += text.length;
    },
    drained: () => Promise.resolve(),
    get held() {
      return held;
    },
  };
  const take = () => {
    held = 0;
    return lines.splice(0).map((line) => JSON.parse(line));
  };
  return { output, take };
}

const piece = (delta: string): SessionEvent => ({
  type: "message_update",
  message: { role: "assistant", content: [] },
  assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta },
});
const notice = (message: string): SessionEvent => ({ type: "notice", level: "info", message });
const FULL = notice("x".repeat(MAX_HELD_FOR_UPDATES));

const told = (frames: { seq: number; payload: { event: SessionEvent } }[]) =>
  frames.map(({ seq, payload: { event } }) => [seq, event.type === "notice" ? event.message : event.type]);

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

  test("leave out updates while nobody reads, say how many, and keep the numbers without gaps", () => {
    const { output, take } = slowOutput();
    const { event } = createOutbound({ output, run: "r", onStuck: () => {} });
    event("a", piece("1"));
    event("a", FULL);
    event("a", piece("2"));
    event("a", piece("3"));
    event("a", { type: "turn_start" });
    expect(told(take()).map(([seq, what]) => [seq, String(what).slice(0, 20)])).toEqual([
      [1, "message_update"],
      [2, "x".repeat(20)],
      [3, "turn_start"],
    ]);
    event("a", piece("4"));
    event("a", piece("5"));
    expect(told(take())).toEqual([
      [
        4,
        "2 updates were left out, because more than 1048576 characters waited to be read. What has ended since is complete.",
      ],
      [5, "message_update"],
      [6, "message_update"],
    ]);
  });

  test("say before the end of the work what was left out, although still nobody reads", () => {
    const { output, take } = slowOutput();
    const { event } = createOutbound({ output, run: "r", onStuck: () => {} });
    event("a", FULL);
    event("a", piece("1"));
    const totals = { turns: 1, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    event("a", { type: "agent_end", messages: [], outcome: { type: "done" }, totals });
    expect(told(take()).map(([seq, what]) => [seq, String(what).slice(0, 12)])).toEqual([
      [1, "x".repeat(12)],
      [2, "1 updates we"],
      [3, "agent_end"],
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
