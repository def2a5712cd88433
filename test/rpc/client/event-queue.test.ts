import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { EventQueue, MAX_QUEUED, MAX_QUEUED_FOR_UPDATES } from "../../../src/rpc/client/event-queue.ts";
import type { SessionEvent } from "../../../src/rpc/client/wire-types.ts";

const notice = (message: string): SessionEvent => ({ type: "notice", level: "info", message });
const update = (delta: string): SessionEvent => ({
  type: "message_update",
  message: { role: "assistant", content: [] },
  assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta },
});

describe("an event queue", () => {
  test("gives out everything once and in order, however pushing and taking alternate", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("push", "take")), async (moves) => {
        const queue = new EventQueue(() => {});
        const taken: Promise<IteratorResult<SessionEvent>>[] = [];
        const pushed: SessionEvent[] = [];
        for (const move of moves) {
          if (move === "take") taken.push(queue.next());
          else queue.push(pushed[pushed.push(notice(String(pushed.length))) - 1] ?? notice(""), 1);
        }
        queue.end();
        const got = (await Promise.all(taken)).flatMap(({ done, value }) => (done ? [] : [value]));
        expect([...got, ...(await Array.fromAsync(queue))]).toEqual(pushed);
      }),
    );
  });

  test("leaves out updates alone while too much waits, and says so before the next event", async () => {
    const queue = new EventQueue(() => {});
    queue.push(notice("big"), MAX_QUEUED_FOR_UPDATES);
    queue.push(update("a"), 1);
    queue.push(update("b"), 1);
    queue.push(notice("kept"), 1);
    await queue.next();
    queue.push(update("c"), 1);
    queue.end();
    const left = (await Array.fromAsync(queue)).map((event) => (event.type === "notice" ? event.message : event.type));
    expect(left).toEqual([expect.stringMatching(/^2 updates were left out, /), "kept", "message_update"]);
  });

  test("tells whoever fell behind, after what had come, and takes no more", async () => {
    const closed: string[] = [];
    const queue = new EventQueue(() => closed.push("closed"));
    queue.push(notice("one"), MAX_QUEUED);
    queue.push(notice("two"), 1);
    expect(await queue.next()).toEqual({ done: false, value: notice("one") });
    expect(await queue.next().catch(({ message }) => message)).toBe(
      `Events are not taken fast enough: more than ${MAX_QUEUED} characters wait.`,
    );
    expect([await queue.next(), closed]).toEqual([{ done: true, value: undefined }, ["closed"]]);
  });

  test("holds nothing after the loop was left", async () => {
    const closed: string[] = [];
    const queue = new EventQueue(() => closed.push("closed"));
    queue.push(notice("one"), 1);
    queue.push(notice("two"), 1);
    for await (const _ of queue) break;
    queue.push(notice("three"), 1);
    expect([await Array.fromAsync(queue), closed]).toEqual([[], ["closed"]]);
  });
});
