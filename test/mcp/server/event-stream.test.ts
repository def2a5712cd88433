import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { COME_BACK_MS, EventStream } from "../../../src/mcp/server/event-stream.ts";
import { type ManualClock, manualClock } from "../../support/manual-clock.ts";

interface Opened {
  stream: EventStream;
  clock: ManualClock;
  /** What was called back, in order. */
  seen: (string | number)[];
}

function open(isResumable = true): Opened {
  const clock = manualClock();
  const seen: (string | number)[] = [];
  const stream = new EventStream({
    id: "s1",
    isResumable,
    clock,
    onReader: (change) => seen.push(change),
    onAbandoned: () => seen.push("abandoned"),
  });
  return { stream, clock, seen };
}

const FOREVER = { signal: new AbortController().signal, onEnd: () => undefined };

/** A client that remembers the last name it saw, as one does that means to come back. */
function client(stream: EventStream) {
  const got: unknown[] = [];
  let last = 0;
  let reader = stream.read(0, FOREVER).getReader();
  const take = async () => {
    const { value, done } = await reader.read();
    const text = new TextDecoder().decode(value);
    last = Number(/^id: s1-(\d+)$/m.exec(text)?.[1] ?? last);
    const [, data = ""] = /^data: (.+)$/m.exec(text) ?? [];
    if (data !== "") got.push(JSON.parse(data));
    return !done;
  };
  return {
    got,
    take,
    leave: () => reader.cancel(),
    comeBack: () => {
      reader = stream.read(last, FOREVER).getReader();
    },
  };
}

describe("a stream of events", () => {
  test("every event comes once and in order, however often the client goes and comes back", async () => {
    const step = fc.constantFrom("tell", "take", "leave");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { stream, clock } = open();
        const one = client(stream);
        let told = 0;
        // The first bytes only open the stream, as do those after each return.
        let waiting = 1;
        for (const what of steps) {
          if (what === "tell") {
            stream.tell({ n: ++told });
            waiting += 1;
          } else if (what === "take" && waiting > 0) {
            await one.take();
            waiting -= 1;
          } else if (what === "leave") {
            await one.leave();
            one.comeBack();
            waiting = 1 + told - one.got.length;
          }
        }
        stream.answer({ answer: true });
        stream.end();
        while (await one.take());
        const news = Array.from({ length: told }, (_, index) => ({ n: index + 1 }));
        expect(one.got).toEqual([...news, { answer: true }]);
        expect({ pending: clock.pending(), awaited: stream.isAwaited, more: stream.hasMore(told + 1) }).toEqual({
          pending: 0,
          awaited: false,
          more: false,
        });
      }),
    );
  });

  test("a client that does not come back in time is given up, one that does is not", async () => {
    const { stream, clock, seen } = open();
    const one = client(stream);
    await one.take();
    await one.leave();
    await clock.advance(COME_BACK_MS - 1);
    one.comeBack();
    await clock.advance(COME_BACK_MS);
    expect(seen).toEqual([1, -1, 1]);
    await one.leave();
    await clock.advance(COME_BACK_MS);
    expect({ seen, pending: clock.pending() }).toEqual({ seen: [1, -1, 1, -1, "abandoned"], pending: 0 });
  });

  test("one that cannot be resumed is given up with its reader, and its events have no names", async () => {
    const { stream, clock, seen } = open(false);
    const stop = new AbortController();
    const reader = stream.read(0, { ...FOREVER, signal: stop.signal }).getReader();
    stream.tell({ n: 1 });
    const texts = [await reader.read(), await reader.read()].map(({ value }) => new TextDecoder().decode(value));
    expect(texts).toEqual([": \n\n", 'data: {"n":1}\n\n']);
    expect(stream.bytes).toBe(0);
    stop.abort();
    expect({ seen, pending: clock.pending() }).toEqual({ seen: [1, -1, "abandoned"], pending: 0 });
  });

  test("a reader that is gone before it began is noticed", () => {
    const { stream, seen } = open(false);
    stream.read(0, { ...FOREVER, signal: AbortSignal.abort() });
    expect(seen).toEqual([1, -1, "abandoned"]);
  });

  test("of what is told on the way nobody keeps more than 64, and the answer stays", async () => {
    const { stream } = open();
    const one = client(stream);
    for (let n = 1; n <= 100; n += 1) stream.tell({ n });
    stream.answer({ answer: true });
    stream.tell({ n: 101 });
    stream.end();
    while (await one.take());
    const news = Array.from({ length: 63 }, (_, index) => ({ n: index + 38 }));
    expect(one.got).toEqual([...news, { answer: true }, { n: 101 }]);
  });

  test("whoever reads gets signs of life; whoever takes nothing between two of them is cut off", async () => {
    const { stream, seen } = open(false);
    const reader = stream.read(0, FOREVER).getReader();
    await reader.read();
    const waiting = reader.read();
    stream.beat();
    expect(new TextDecoder().decode((await waiting).value)).toBe(": \n\n");
    stream.beat();
    expect(seen).toEqual([1]);
    stream.beat();
    expect(seen).toEqual([1, -1, "abandoned"]);
    expect(await reader.read().catch((error: Error) => error.message)).toBe("The client does not read.");
  });

  test("the newest reader is the one; whoever read before is sent away", async () => {
    const { stream, seen } = open();
    const first = stream.read(0, FOREVER).getReader();
    await first.read();
    const ended = first.read();
    const second = stream.read(0, FOREVER).getReader();
    await second.read();
    stream.answer({ ok: true });
    expect([(await ended).done, new TextDecoder().decode((await second.read()).value)]).toEqual([
      true,
      'id: s1-1\ndata: {"ok":true}\n\n',
    ]);
    expect(seen).toEqual([1, -1, 1]);
  });
});
