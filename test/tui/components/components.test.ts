import { describe, expect, test } from "bun:test";
import { renderDiff } from "../../../src/tui/components/diff-view.ts";
import { readableChord, renderKeyHints } from "../../../src/tui/components/key-hints.ts";
import { renderProgress, spinnerFrame } from "../../../src/tui/components/progress.ts";
import { renderRule } from "../../../src/tui/components/rule.ts";
import { moveSelection, renderSelectList } from "../../../src/tui/components/select-list.ts";
import { renderTable } from "../../../src/tui/components/table.ts";
import { type Line, line, textOf } from "../../../src/tui/style/styled-line.ts";
import { createTheme, type Role } from "../../../src/tui/style/theme.ts";

const dark = createTheme("dark");
const ascii = createTheme("ascii");
const texts = (lines: Line[]) => lines.map(textOf);

describe("a list to choose from", () => {
  const items = [
    { label: "first", description: "one" },
    { label: "second", description: "two\n\x1b[2J", isDisabled: true },
    { label: "third" },
  ];
  const view = { items, selected: 2, maximumRows: 5, width: 24, emptyText: "nothing found" };

  test("points at what is chosen and keeps descriptions in a column", () => {
    expect(texts(renderSelectList(view, dark))).toEqual(["  first   one", "  second  two ", "› third"]);
  });

  test("shows the rows around the choice and says how many there are", () => {
    expect(texts(renderSelectList({ ...view, maximumRows: 2 }, ascii))).toEqual(["  second  two ", "> third", "  3/3"]);
  });

  test("marks the letters that were searched for", () => {
    const [row] = renderSelectList({ ...view, items: [{ label: "abc" }], selected: 0, query: "ac" }, dark);
    const { selection, match } = dark.styles;
    const marked = { ...selection, ...match };
    expect(row).toEqual([
      { text: "› ", style: selection },
      { text: "a", style: marked },
      { text: "b", style: selection },
      { text: "c", style: marked },
    ]);
  });

  test("says so when it is empty", () => {
    expect(texts(renderSelectList({ ...view, items: [] }, dark))).toEqual(["nothing found"]);
  });

  test("moves over what cannot be chosen, and round at the ends", () => {
    expect([
      moveSelection(items, 0, 1),
      moveSelection(items, 2, 1),
      moveSelection(items, 0, -1),
      moveSelection([], 0, 1),
    ]).toEqual([2, 0, 2, -1]);
    expect(moveSelection([{ label: "x", isDisabled: true }], 0, 1)).toBe(-1);
    const four = [{ label: "no", isDisabled: true }, ...items.slice(0, 1), ...items];
    expect([moveSelection(four, 1, 8), moveSelection(four, 4, -8), moveSelection(four, 4, 8)]).toEqual([4, 1, 4]);
  });
});

describe("rules, bars and hints", () => {
  test("a rule carries a title", () => {
    expect([textOf(renderRule("Plan", 14, dark)), textOf(renderRule("", 5, ascii))]).toEqual([
      "── Plan ──────",
      "-----",
    ]);
  });

  test("progress is told in digits as well", () => {
    expect([0, 0.5, 1, 7, Number.NaN].map((share) => textOf(renderProgress(share, 15, ascii)))).toEqual([
      "----------   0%",
      "#####-----  50%",
      "########## 100%",
      "########## 100%",
      "----------   0%",
    ]);
  });

  test("a spinner turns with the ticks it is given", () => {
    expect([0, 1, 4, 5].map((tick) => spinnerFrame(tick, ascii))).toEqual(["|", "/", "|", "/"]);
  });

  test("hints that do not fit are left out", () => {
    const hints = [
      { keys: "Enter", action: "send" },
      { keys: "Esc", action: "stop" },
    ];
    expect([textOf(renderKeyHints(hints, 40, dark)), textOf(renderKeyHints(hints, 15, dark))]).toEqual([
      "Enter send   Esc stop",
      "Enter send",
    ]);
    expect(["ctrl+shift+p", "page-up", "ctrl++"].map(readableChord)).toEqual(["Ctrl+Shift+P", "PageUp", "Ctrl++"]);
  });

  test("a table too narrow for columns becomes a list of records", () => {
    const content = {
      header: [line("name"), line("size"), line("note")],
      rows: [
        [line("a"), line("1"), line("long note here")],
        [line("b"), line("2"), line("c")],
      ],
    };
    expect(texts(renderTable(content, 14, dark))).toEqual([
      "name: a",
      "size: 1",
      "note: long",
      "  note here",
      "",
      "name: b",
      "size: 2",
      "note: c",
    ]);
  });
});

describe("a diff", () => {
  const hunks = [
    {
      oldStart: 7,
      newStart: 9,
      lines: [
        { type: "same", text: "keep" },
        { type: "removed", text: "old\tline" },
        { type: "added", text: "new line that is long" },
      ] as const,
    },
    { oldStart: 40, newStart: 40, lines: [{ type: "added", text: "const x = 1" }] as const },
  ];

  test("is numbered and signed, and says what is left out", () => {
    expect(texts(renderDiff(hunks, { width: 20, language: "ts", maximumLines: 10 }, dark))).toEqual([
      " 9   keep",
      " 8 - old line",
      "10 + new line that",
      "     is long",
      "   …",
      "40 + const x = 1",
    ]);
    expect(texts(renderDiff(hunks, { width: 30, language: "", maximumLines: 2 }, ascii))).toEqual([
      "9   keep",
      "8 - old line",
      "... 2 more lines",
    ]);
  });

  test("colours code in what was added and only the sign's colour in what was removed", () => {
    const rows = renderDiff(hunks.slice(1), { width: 40, language: "ts", maximumLines: 10 }, dark);
    const { muted, added, keyword, number } = dark.styles;
    expect(rows).toEqual([
      [
        { text: "40 ", style: muted },
        { text: "+ ", style: added },
        { text: "const", style: { ...added, ...keyword } },
        { text: " x = ", style: added },
        { text: "1", style: { ...added, ...number } },
      ],
    ]);
  });
});

describe("themes", () => {
  test("take colours by role, and ASCII glyphs with any colours", () => {
    const theme = createTheme("light", { colours: { error: "#ff0000" }, hasAsciiGlyphs: true });
    expect([theme.styles.error, theme.glyphs.bullet]).toEqual([{ bold: true, foreground: "#ff0000" }, "*"]);
  });

  test("the one without colours has none", () => {
    const roles = Object.keys(ascii.styles) as Role[];
    expect(
      roles.filter(
        (role) => ascii.styles[role].foreground !== undefined || ascii.styles[role].background !== undefined,
      ),
    ).toEqual([]);
  });
});
