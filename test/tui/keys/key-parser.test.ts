import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { InputEvent } from "../../../src/tui/keys/input-event.ts";
import { INITIAL_KEYS, isWaiting, MAXIMUM_PASTE, settleKeys, stepKeys } from "../../../src/tui/keys/key-parser.ts";

const encoder = new TextEncoder();

/** Sequence → chord, and what it types. */
const KEYS: [sent: string, chord: string, text?: string][] = [
  ["a", "a", "a"],
  ["A", "shift+a", "A"],
  ["ß", "ß", "ß"],
  ["Ä", "shift+ä", "Ä"],
  ["😀", "😀", "😀"],
  [" ", "space", " "],
  ["\r", "enter"],
  ["\n", "ctrl+j"],
  ["\t", "tab"],
  ["\x01", "ctrl+a"],
  ["\x1a", "ctrl+z"],
  ["\x00", "ctrl+space"],
  ["\x1f", "ctrl+_"],
  ["\x7f", "backspace"],
  ["\x08", "ctrl+backspace"],
  ["\x1bb", "alt+b"],
  ["\x1bB", "alt+shift+b"],
  ["\x1b\r", "alt+enter"],
  ["\x1b\x7f", "alt+backspace"],
  ["\x1b\x01", "ctrl+alt+a"],
  ["\x1b[A", "up"],
  ["\x1bOA", "up"],
  ["\x1b[1;5C", "ctrl+right"],
  ["\x1b[1;8D", "ctrl+alt+shift+left"],
  ["\x1b\x1b[A", "alt+up"],
  ["\x1b[H", "home"],
  ["\x1b[4~", "end"],
  ["\x1b[3;5~", "ctrl+delete"],
  ["\x1b[5~", "page-up"],
  ["\x1b[Z", "shift+tab"],
  ["\x1bOP", "f1"],
  ["\x1b[[E", "f5"],
  ["\x1b[24~", "f12"],
  ["\x1b[1;2R", "shift+f3"],
  ["\x1b[13;2u", "shift+enter"],
  ["\x1b[13;5u", "ctrl+enter"],
  ["\x1b[27u", "escape"],
  ["\x1b[97;5u", "ctrl+a"],
  ["\x1b[112;6u", "ctrl+shift+p"],
  ["\x1b[27;6;80~", "ctrl+shift+p"],
  ["\x1b[27;2;13~", "shift+enter"],
  ["\x1b[97:65;2u", "shift+a", "A"],
  ["\x1b[1089::99;5u", "ctrl+c"],
  ["\x1b[97;1;228u", "a", "ä"],
  ["\x1b[57414u", "enter"],
  ["\x1b[57404u", "5", "5"],
  ["\x1b[57376;3u", "alt+f13"],
];

describe("keys", () => {
  for (const [sent, chord, text] of KEYS) {
    test(`${JSON.stringify(sent)} is ${chord}`, () => {
      expect(read(sent)).toEqual([{ type: "key", chord, ...(text === undefined ? {} : { text }), phase: "press" }]);
    });
  }

  test("the phase of a key is told where the terminal tells it", () => {
    expect(read("\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u\x1b[1;1:3A")).toEqual([
      { type: "key", chord: "a", text: "a", phase: "press" },
      { type: "key", chord: "a", text: "a", phase: "repeat" },
      { type: "key", chord: "a", phase: "release" },
      { type: "key", chord: "up", phase: "release" },
    ]);
  });

  test("mouse reports, lone modifiers and sequences nobody knows are no keys", () => {
    expect(read("\x1b[<0;10;20M\x1b[<0;10;20m\x1b[M !!\x1b[57441;2u\x1b[999~\x1b[5;5t\x1bPjunk\x1b\\x")).toEqual([
      { type: "key", chord: "x", text: "x", phase: "press" },
    ]);
  });

  test("focus and answers of the terminal are told apart from keys", () => {
    const sent =
      "\x1b[I\x1b[O\x1b[?62;4;22c\x1b[?12;40R\x1b[24;80R\x1b]11;rgb:1e1e/2020/ffff\x1b\\\x1b]11;#FAFAFA\x07\x1b[?5u\x1b[?2026;2$y\x1b[?2026;0$y\x1bP>|kitty(0.40)\x1b\\";
    expect(read(sent)).toEqual([
      { type: "focus", isFocused: true },
      { type: "focus", isFocused: false },
      { type: "answer", answer: { type: "device-attributes", attributes: [62, 4, 22] } },
      { type: "answer", answer: { type: "cursor-position", row: 12, column: 40 } },
      { type: "answer", answer: { type: "cursor-position", row: 24, column: 80 } },
      { type: "answer", answer: { type: "background-colour", colour: "#1e20ff" } },
      { type: "answer", answer: { type: "background-colour", colour: "#fafafa" } },
      { type: "answer", answer: { type: "keyboard-protocol", flags: 5 } },
      { type: "answer", answer: { type: "mode", mode: 2026, isKnown: true } },
      { type: "answer", answer: { type: "mode", mode: 2026, isKnown: false } },
      { type: "answer", answer: { type: "name", name: "kitty(0.40)" } },
    ]);
  });
});

describe("a paste", () => {
  test("is one event, whatever is in it", () => {
    expect(read("\x1b[200~one\r\ntwo\rthree\x1b[A\x1b[20\x1b\x1b[201~x")).toEqual([
      { type: "paste", text: "one\ntwo\nthree\x1b[A\x1b[20\x1b", isCut: false },
      { type: "key", chord: "x", text: "x", phase: "press" },
    ]);
  });

  test("of many megabytes comes whole up to the bound, and what follows it is typed", () => {
    const sent = encoder.encode(`\x1b[200~${"p".repeat(MAXIMUM_PASTE + 10)}\x1b[201~x`);
    expect(readInPieces(sent, 65_536)).toEqual([
      { type: "paste", text: "p".repeat(MAXIMUM_PASTE), isCut: true },
      { type: "key", chord: "x", text: "x", phase: "press" },
    ]);
  });
});

describe("an Escape", () => {
  test.each([
    ["\x1b", ["escape"]],
    ["\x1b\x1b", ["escape", "escape"]],
    ["\x1b[", ["alt+["]],
    ["\x1bO", ["alt+shift+o"]],
    ["\x1b]", ["alt+]"]],
  ])("%j that nothing follows in time is %j", (sent, chords) => {
    const { state, events } = stepKeys(INITIAL_KEYS, encoder.encode(sent));
    expect(events).toEqual([]);
    expect(settleKeys(state)).toEqual({
      state: INITIAL_KEYS,
      events: chords.map((chord) => ({ type: "key", chord, phase: "press" })),
    });
  });

  test("keeps a longer start of a sequence waiting for its end", () => {
    const { state } = stepKeys(INITIAL_KEYS, encoder.encode("\x1b[1;5"));
    expect(settleKeys(state)).toEqual({ state, events: [] });
    expect(stepKeys(state, encoder.encode("C")).events).toEqual([{ type: "key", chord: "ctrl+right", phase: "press" }]);
  });
});

describe("however the bytes are cut", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...KEYS.map(([sent]) => sent),
      "\x1b[200~",
      "\x1b[201~",
      "\x1b",
      "\x1b]11;",
      "\x1b\\",
      "\x07",
      "\x1bP",
      "漢字",
    ),
    fc.string({ unit: "grapheme", maxLength: 5 }),
  );
  const bytes = fc.oneof(
    fc.array(piece, { maxLength: 20 }).map((pieces) => encoder.encode(pieces.join(""))),
    fc.uint8Array({ maxLength: 40 }),
  );

  test("an answer is an answer", () => {
    const sent = encoder.encode("\x1b]11;rgb:00/00/00\x1b\\\x1bP>|foot\x1b\\");
    const whole = readCut(sent, [sent.length]);
    expect(whole.events.map(({ type }) => type)).toEqual(["answer", "answer"]);
    for (let cut = 1; cut < sent.length; cut++) expect(readCut(sent, [cut, sent.length])).toEqual(whole);
  });

  test("a paste is a paste", () => {
    const sent = encoder.encode("\x1b[200~a\x1b[201\x1b[201~b");
    const whole = readCut(sent, [sent.length]);
    expect(whole.events.map(({ type }) => type)).toEqual(["paste", "key"]);
    for (let cut = 1; cut < sent.length; cut++) expect(readCut(sent, [cut, sent.length])).toEqual(whole);
  });

  test("the events are the same", () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (sent, sizes) => {
        expect(readCut(sent, sizes)).toEqual(readCut(sent, [sent.length + 1]));
      }),
      { numRuns: 1000 },
    );
  });
});

function read(sent: string): InputEvent[] {
  const { state, events } = stepKeys(INITIAL_KEYS, encoder.encode(sent));
  expect(isWaiting(state)).toBe(false);
  return events;
}

function readInPieces(sent: Uint8Array, size: number): InputEvent[] {
  return readCut(sent, [size]).events;
}

function readCut(sent: Uint8Array, sizes: number[]) {
  let state = INITIAL_KEYS;
  const events: InputEvent[] = [];
  for (let at = 0, turn = 0; at < sent.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const step = stepKeys(state, sent.subarray(at, at + size));
    state = step.state;
    events.push(...step.events);
    at += size;
  }
  const settled = settleKeys(state);
  return {
    events: [...events, ...settled.events],
    pending: settled.state.pending,
    text: settled.state.paste?.parts.join(""),
  };
}
