import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  contentOf,
  createEditor,
  type EditorState,
  labelledText,
  markersIn,
} from "../../../src/tui/editor/editor-state.ts";
import { viewEditor } from "../../../src/tui/editor/editor-view.ts";
import { searchHistory } from "../../../src/tui/editor/history.ts";
import type { Place } from "../../../src/tui/editor/movement.ts";
import { type EditorAction, updateEditor } from "../../../src/tui/editor/update-editor.ts";
import { lineWidth, textOf } from "../../../src/tui/style/styled-line.ts";
import { graphemesOf } from "../../../src/tui/text/graphemes.ts";

/** The text with the cursor as `|`. */
const shown = ({ text, cursor, markers }: EditorState) =>
  `${labelledText(text.slice(0, cursor), markers)}|${labelledText(text.slice(cursor), markers)}`;
const after = (start: EditorState, ...actions: EditorAction[]) => actions.reduce(updateEditor, start);
const typed = (text: string): EditorAction[] => [...text].map((character) => ({ type: "insert", text: character }));
const move = (to: Place): EditorAction => ({ type: "move", to });
const remove = (to: Place): EditorAction => ({ type: "delete", to });
/** `|` in the text is where the cursor goes. */
function at(marked: string): EditorState {
  const [before = "", rest = ""] = marked.split("|");
  const state = after(createEditor(), { type: "insert", text: before + rest });
  return { ...state, cursor: before.length, undo: [] };
}

describe("moving and deleting", () => {
  test.each([
    ["left", "ab|c", "a|bc"],
    ["left", "a👩‍👩‍👧‍👦|", "a|👩‍👩‍👧‍👦"],
    ["right", "|e\u0301x", "e\u0301|x"],
    ["right", "a|\nb", "a\n|b"],
    ["word-left", "one two_3 |", "one |two_3 "],
    ["word-left", "src/tui|", "src/|tui"],
    ["word-right", "one| two-x", "one two|-x"],
    ["line-start", "a\nbc|d", "a\n|bcd"],
    ["line-end", "a|b\nc", "ab|\nc"],
    ["text-start", "a\nb|", "|a\nb"],
    ["text-end", "|a\nb", "a\nb|"],
  ] as const)("%s leads from %j to %j", (place, from, to) => {
    expect(shown(after(at(from), move(place)))).toBe(to);
  });

  test.each([
    ["left", "a👍🏽|b", "a|b"],
    ["right", "a|漢b", "a|b"],
    ["word-left", "one two|", "one |"],
    ["word-right", "|one two", "| two"],
    ["line-start", "a\nb c|d", "a\n|d"],
    ["line-end", "a|bc\nd", "a|\nd"],
    ["line-end", "a|\nd", "a|d"],
    ["left", "|a", "|a"],
  ] as const)("deleting to %s makes of %j %j", (place, from, to) => {
    expect(shown(after(at(from), remove(place)))).toBe(to);
  });

  test("up and down follow the rows as they are shown and come back to the column they left", () => {
    const up: EditorAction = { type: "move-row", direction: "up", width: 11 };
    const down: EditorAction = { type: "move-row", direction: "down", width: 11 };
    const start = at("long first line\nab\nthird li|ne");
    const states = [[up], [up, up], [up, up, up], [up, up, up, up], [up, down], [up, up, down, down]];
    expect(states.map((actions) => shown(after(start, ...actions)))).toEqual([
      "long first line\nab|\nthird line",
      "long first li|ne\nab\nthird line",
      "long| first line\nab\nthird line",
      "|long first line\nab\nthird line",
      "long first line\nab\nthird li|ne",
      "long first line\nab\nthird li|ne",
    ]);
  });
});

describe("killing and yanking", () => {
  test("gathers what is killed in a row and puts it back", () => {
    const killed = after(at("one two three|"), remove("word-left"), remove("word-left"));
    expect([shown(killed), shown(after(killed, move("text-start"), { type: "yank" }))]).toEqual([
      "one |",
      "two three|one ",
    ]);
  });

  test("yanks older kills in place of the newest", () => {
    const state = after(at("aa bb|"), remove("word-left"), move("text-start"), remove("word-right"), { type: "yank" });
    expect([
      shown(state),
      shown(after(state, { type: "yank-older" })),
      shown(after(state, { type: "yank-older" }, { type: "yank-older" })),
    ]).toEqual(["aa| ", "bb| ", "aa| "]);
  });
});

describe("undo", () => {
  test("takes back typing word by word, and redo brings it again", () => {
    const undo: EditorAction = { type: "undo" };
    const state = after(createEditor(), ...typed("one two"));
    expect([
      shown(after(state, undo)),
      shown(after(state, undo, undo, undo)),
      shown(after(state, undo, undo, undo, undo)),
      shown(after(state, undo, { type: "redo" })),
    ]).toEqual(["one |", "|", "|", "one two|"]);
  });

  test("leads back through anything that was done", () => {
    fc.assert(
      fc.property(fc.array(anyEdit(), { maxLength: 30 }), (actions) => {
        let state = createEditor({ limits: { undoSteps: 1000 } });
        for (const action of actions) state = updateEditor(state, action);
        const written = state.text;
        const steps = state.undo.length;
        for (let step = 0; step < steps; step++) state = updateEditor(state, { type: "undo" });
        expect(state.text).toBe("");
        for (let step = 0; step < steps; step++) state = updateEditor(state, { type: "redo" });
        expect(state.text).toBe(written);
      }),
    );
  });
});

describe("history", () => {
  test("what is written after an earlier text was changed or taken away is kept, too", () => {
    const older: EditorAction = { type: "history-older" };
    const newer: EditorAction = { type: "history-newer" };
    const begun = after(createEditor({ history: ["first", "second"] }), older);
    const cleared = after(begun, { type: "replace", text: "" }, { type: "insert", text: "new" }, older, newer);
    const changed = after(begun, { type: "insert", text: "!" }, older, newer);
    expect([cleared.text, changed.text]).toEqual(["new", "second!"]);
  });

  test("goes back and forth and keeps the draft", () => {
    const older: EditorAction = { type: "history-older" };
    const newer: EditorAction = { type: "history-newer" };
    const state = after(
      createEditor({ history: ["first"] }),
      ...typed("second"),
      { type: "submit" },
      ...typed("draft"),
      move("left"),
    );
    const walk = [
      [older],
      [older, older],
      [older, older, older],
      [older, older, newer],
      [older, newer],
      [older, newer, newer],
    ];
    expect(walk.map((actions) => shown(after(state, ...actions)))).toEqual([
      "second|",
      "first|",
      "first|",
      "second|",
      "draf|t",
      "draf|t",
    ]);
  });

  test("is bounded, keeps a repeated text once, and is searched by words", () => {
    const state = ["a one", "b", "b", "c one two"].reduce(
      (before, text) => after(before, { type: "insert", text }, { type: "submit" }),
      createEditor({ limits: { historyEntries: 2 } }),
    );
    expect([state.history.entries, searchHistory(state, "TWO one"), searchHistory(state, "")]).toEqual([
      ["b", "c one two"],
      [1],
      [1, 0],
    ]);
  });
});

describe("a large paste", () => {
  const big = Array.from({ length: 120 }, (_, index) => `line ${index}`).join("\n");

  test("is one character with a label and is sent whole", () => {
    const state = after(createEditor(), ...typed("see "), { type: "paste", text: big }, ...typed("!"));
    expect([shown(state), contentOf(state), markersIn(state)]).toEqual([
      "see [paste #1 +120 lines]!|",
      `see ${big}!`,
      [{ label: "[paste #1 +120 lines]", text: big }],
    ]);
    expect(shown(after(state, move("left"), remove("left")))).toBe("see |!");
    expect(contentOf(after(state, { type: "submit" }, { type: "history-older" }))).toBe(`see ${big}!`);
  });

  test("a small one is text, without what could steer a terminal", () => {
    expect(shown(after(createEditor(), { type: "paste", text: "a\x1b[2J\nb" }))).toBe("a\nb|");
  });

  test("beyond the bound is refused with a message, and nothing is lost", () => {
    const state = after(createEditor({ limits: { characters: 10 } }), ...typed("12345"), {
      type: "paste",
      text: "678901",
    });
    expect([shown(state), state.message]).toEqual([
      "12345|",
      "Not inserted: the text may have 10 characters. Put the rest into a file and name it.",
    ]);
    expect(after(state, move("left")).message).toBeUndefined();
  });

  test("nobody can forge a marker by pasting its character", () => {
    const state = after(createEditor(), { type: "paste", text: big }, { type: "insert", text: "\u{100000}" });
    expect(contentOf(state)).toBe(`${big}\ufffd`);
  });
});

describe("the view", () => {
  const view = (state: EditorState, width: number, maximumRows = 10) => {
    const { rows, ...rest } = viewEditor(state, { width, maximumRows, markerStyle: { bold: true } });
    return { ...rest, rows: rows.map(textOf) };
  };

  test("breaks after words and puts the cursor where it is", () => {
    expect(view(at("one two three|"), 9)).toEqual({
      rows: ["one two ", "three"],
      cursor: { row: 1, column: 5 },
      hiddenAbove: 0,
      hiddenBelow: 0,
      isAtTop: false,
      isAtBottom: true,
    });
  });

  test("shows the rows around the cursor when there are too many", () => {
    expect(view(at("1\n2\n3|\n4\n5"), 20, 3)).toEqual({
      rows: ["2", "3", "4"],
      cursor: { row: 1, column: 1 },
      hiddenAbove: 1,
      hiddenBelow: 1,
      isAtTop: false,
      isAtBottom: false,
    });
  });

  test("counts wide characters and labels in cells", () => {
    const state = after(
      createEditor(),
      { type: "insert", text: "漢字" },
      { type: "insert-marker", marker: { label: "[image #1]", text: "" } },
    );
    expect(view(state, 40).cursor).toEqual({ row: 0, column: 14 });
  });

  test("never has a row wider than the width or a cursor outside, and the cursor stays between graphemes", () => {
    fc.assert(
      fc.property(fc.array(anyEdit(), { maxLength: 40 }), fc.integer({ min: 24, max: 40 }), (actions, width) => {
        const state = after(createEditor(), ...actions);
        const { rows, cursor } = viewEditor(state, { width, maximumRows: 5, markerStyle: {} });
        const starts = [...graphemesOf(state.text)].map(({ start }) => start);
        expect([...starts, state.text.length]).toContain(state.cursor);
        expect(rows.every((row) => lineWidth(row) < width) && cursor.column < width && cursor.row < rows.length).toBe(
          true,
        );
      }),
      { numRuns: 300 },
    );
  });
});

function anyEdit(): fc.Arbitrary<EditorAction> {
  const place = fc.constantFrom<Place>(
    "left",
    "right",
    "word-left",
    "word-right",
    "line-start",
    "line-end",
    "text-start",
    "text-end",
  );
  return fc.oneof(
    fc.record({
      type: fc.constant("insert" as const),
      text: fc.constantFrom("a", "word ", "漢", "👩‍👩‍👧‍👦", "\n", " ", "é", "long text here"),
    }),
    fc.constant<EditorAction>({ type: "paste", text: "x\n".repeat(20) }),
    fc.record({ type: fc.constant("move" as const), to: place }),
    fc.record({ type: fc.constant("delete" as const), to: place }),
    fc.record({
      type: fc.constant("move-row" as const),
      direction: fc.constantFrom("up" as const, "down" as const),
      width: fc.constant(20),
    }),
    fc.constantFrom<EditorAction>({ type: "yank" }, { type: "yank-older" }),
  );
}
