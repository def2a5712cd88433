import { describe, expect, test } from "bun:test";
import type { InputEvent } from "../../../src/tui/keys/input-event.ts";
import { createKeyReader } from "../../../src/tui/keys/key-reader.ts";
import { LONGEST_TYPED } from "../../../src/tui/keys/typed-run.ts";

function read(text: string): InputEvent[] {
  const events: InputEvent[] = [];
  const reader = createKeyReader({ onEvent: (event) => events.push(event), escapeMs: 50, setTimer: () => () => {} });
  reader.feed(new TextEncoder().encode(text));
  reader.stop();
  return events;
}

describe("what a terminal sends at once", () => {
  test("is typed as far as anybody can type it", () => {
    const events = read("x".repeat(LONGEST_TYPED));
    expect([events.length, events[0]]).toEqual([LONGEST_TYPED, { type: "key", chord: "x", text: "x", phase: "press" }]);
  });

  test("is a paste beyond that, and only an Enter behind its last line is a key", () => {
    const text = `${"a line\tof text ä漢\r".repeat(40)}the end`;
    const pasted = { type: "paste", text: text.replaceAll("\r", "\n"), isCut: false } as const;
    expect(read(text)).toEqual([pasted]);
    expect(read(`${text}\r`)).toEqual([pasted, { type: "key", chord: "enter", phase: "press" }]);
  });

  test("keeps other keys where they were", () => {
    const long = "y".repeat(LONGEST_TYPED + 1);
    const paste = { type: "paste", text: long, isCut: false } as const;
    const up = { type: "key", chord: "up", phase: "press" } as const;
    expect(read(`${long}\x1b[A${long}`)).toEqual([paste, up, paste]);
  });
});
