import { describe, expect, test } from "bun:test";
import { readChord } from "../../../src/tui/keys/chord.ts";
import type { InputEvent } from "../../../src/tui/keys/input-event.ts";
import { createKeyReader } from "../../../src/tui/keys/key-reader.ts";

const encoder = new TextEncoder();

test("an Escape is a key when nothing follows in time, and no timer is left behind", () => {
  const events: string[] = [];
  const timers: (() => void)[] = [];
  const reader = createKeyReader({
    onEvent: (event) => events.push(event.type === "key" ? event.chord : event.type),
    escapeMs: 50,
    setTimer: (callback) => {
      timers.push(callback);
      return () => timers.splice(timers.indexOf(callback), 1);
    },
  });
  const feed = (text: string) => reader.feed(encoder.encode(text));
  feed("\x1b");
  expect([events.splice(0), timers.length]).toEqual([[], 1]);
  feed("[A");
  expect([events.splice(0), timers.length]).toEqual([["up"], 0]);
  feed("\x1b");
  for (const callback of timers.splice(0)) callback();
  expect([events.splice(0), timers.length]).toEqual([["escape"], 0]);
  feed("\x1b");
  reader.stop();
  expect([events.splice(0), timers.length]).toEqual([[], 0]);
});

describe("a paste whose end got lost", () => {
  const open = () => {
    const events: InputEvent[] = [];
    const timers: (() => void)[] = [];
    const reader = createKeyReader({
      onEvent: (event) => events.push(event),
      escapeMs: 50,
      setTimer: (callback) => {
        timers.push(callback);
        return () => timers.splice(timers.indexOf(callback), 1);
      },
    });
    const feed = (text: string) => reader.feed(encoder.encode(text));
    const pass = () => {
      for (const callback of timers.splice(0)) callback();
    };
    return { events, feed, pass };
  };
  const pasted = (text: string): InputEvent => ({ type: "paste", text, isCut: false });

  test.each(["\x03", "\x1b[99;5u"])("is ended by Ctrl+C (%j) after a silence, and nothing of it is lost", (key) => {
    const { events, feed, pass } = open();
    feed("\x1b[200~one\rtwo\x1b[20");
    pass();
    feed(key);
    feed("x");
    expect(events).toEqual([pasted("one\ntwo\x1b[20"), { type: "key", chord: "x", text: "x", phase: "press" }]);
  });

  test("is not taken for lost while it comes: a Ctrl+C in it is text", () => {
    const { events, feed, pass } = open();
    feed("\x1b[200~one");
    feed("\x03");
    pass();
    feed("two\x03");
    feed("\x1b[201~");
    expect(events).toEqual([pasted("one\x03two\x03")]);
  });
});

describe("a chord as people write it", () => {
  test.each([
    ["Ctrl+P", "ctrl+p"],
    ["Shift+Ctrl+P", "ctrl+shift+p"],
    ["alt+PageUp", "alt+page-up"],
    ["Esc", "escape"],
    ["Ctrl++", "ctrl++"],
    ["+", "+"],
    ["F12", "f12"],
    ["Cmd+Option+x", "alt+super+x"],
    ["Hyper+x", undefined],
    ["Ctrl+nothing", undefined],
    ["", undefined],
  ])("%j is %j", (written, chord) => {
    expect(readChord(written)).toBe(chord);
  });
});
