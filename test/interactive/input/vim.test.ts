import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NEW_VIM, vimWords } from "../../../src/interactive/input/vim/vim-state.ts";
import { stepVim } from "../../../src/interactive/input/vim/vim-step.ts";
import { createEditor } from "../../../src/tui/editor/editor-state.ts";
import { updateEditor } from "../../../src/tui/editor/update-editor.ts";
import { graphemesOf } from "../../../src/tui/text/graphemes.ts";
import { keyEvent, openOnScreen } from "../../support/conversation-on-screen.ts";

/** `|` stands before the cursor. Keys are characters; `<esc>` and `<redo>` are named. */
function edit(before: string, keys: string): string {
  const cursor = before.indexOf("|");
  const text = before.replace("|", "");
  let editor = updateEditor(createEditor(), { type: "replace-span", start: 0, end: 0, text, cursor });
  editor = { ...editor, undo: [] };
  let vim = { ...NEW_VIM, mode: "normal" as "normal" | "insert" };
  for (const [, named, sign = ""] of keys.matchAll(/<(esc|redo)>|([\s\S])/gu)) {
    const key = named === "esc" ? keyEvent("escape") : named === "redo" ? keyEvent("ctrl+r") : keyEvent(sign);
    const step = stepVim({ vim, editor }, key);
    if (step !== undefined) ({ vim, editor } = { vim: { ...NEW_VIM, ...step.vim }, editor: step.editor });
    else if (key.text !== undefined) editor = updateEditor(editor, { type: "insert", text: key.text });
  }
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

describe("the editing of vi", () => {
  test.each([
    // movements
    ["one| two", "h", "on|e two"],
    ["|one two", "l", "o|ne two"],
    ["on|e", "l", "on|e"],
    ["a\n|b", "h", "a\n|b"],
    ["|one, two", "w", "one|, two"],
    ["|one, two", "2w", "one, |two"],
    ["one |two", "b", "|one two"],
    ["|one two", "e", "on|e two"],
    ["|one two", "2e", "one tw|o"],
    ["  on|e", "0", "|  one"],
    ["  on|e", "^", "  |one"],
    ["|one\ntwo", "$", "on|e\ntwo"],
    ["a\nb\n|c", "gg", "|a\nb\nc"],
    ["|a\nb\nc", "G", "a\nb\n|c"],
    ["|a\nb\nc", "2G", "a\n|b\nc"],
    ["|a.b.c", "f.", "a|.b.c"],
    ["|a.b.c", "t.", "|a.b.c"],
    ["|a.b.c", "f.;", "a.b|.c"],
    ["|a.b.c", "t.;", "a.|b.c"],
    ["|a.b.c", "2f.,", "a|.b.c"],
    ["a.b.|c", "F.", "a.b|.c"],
    ["a.b.c|d", "T.", "a.b.|cd"],
    // deleting and changing
    ["|one", "x", "|ne"],
    ["|one", "2x", "|e"],
    ["on|e", "x", "o|n"],
    ["|one two", "dw", "|two"],
    ["|one two three", "2dw", "|three"],
    ["|one two three", "d2w", "|three"],
    ["|one\ntwo", "dw", "|\ntwo"],
    ["one |two", "db", "|two"],
    ["|one two", "de", "| two"],
    ["o|ne two", "diw", "| two"],
    ["o|ne two", "ciwx<esc>", "|x two"],
    ["|one two", "cwx<esc>", "|x two"],
    ["one |two\nx", "D", "one| \nx"],
    ["one |two\nx", "Ca<esc>", "one |a\nx"],
    ["a\nb|b\nc", "dd", "a\n|c"],
    ["a\n|b", "dd", "|a"],
    ["|a", "dd", "|"],
    ["|a\nb\nc", "2dd", "|c"],
    ["a\nb|b\nc", "ccx<esc>", "a\n|x\nc"],
    ["|a\nb\nc", "dj", "|c"],
    ["a\nb\n|c", "dk", "|a"],
    ["a\n|b\nc", "dG", "|a"],
    ["a\n|b\nc", "dgg", "|c"],
    ["|a.b.c", "dt.", "|.b.c"],
    ["|a.b.c", "df.", "|b.c"],
    // copying and putting back
    ["|a\nb", "yyp", "a\n|a\nb"],
    ["a\n|b", "yyP", "a\n|b\nb"],
    ["|one two", "dwP", "one| two"],
    ["|ab", "xp", "b|a"],
    ["|ab", "x3p", "baa|a"],
    // single commands
    ["|abc", "rx", "|xbc"],
    ["|abc", "2rx", "x|xc"],
    ["|ab", "5rx", "|ab"],
    ["|aBc", "3~", "Ab|C"],
    ["|one", "ax<esc>", "o|xne"],
    ["o|ne", "Ix<esc>", "|xone"],
    ["|one", "Ax<esc>", "one|x"],
    ["|a\nb", "ox<esc>", "a\n|x\nb"],
    ["a\n|b", "Ox<esc>", "a\n|x\nb"],
    ["|one two", "dwu", "|one two"],
    ["|one two", "dwu<redo>", "|two"],
    ["|one", "d<esc>x", "|ne"],
    ["|one", "dqx", "|ne"],
    ["|漢字", "x", "|字"],
  ])("%p and %p give %p", (before, keys, after) => {
    expect(edit(before, keys)).toBe(after);
  });

  test("any keys leave the cursor on a character and throw nothing", () => {
    const keys = fc.array(fc.constantFrom(..."hjklwbe0^$gGxdDcCiyapPur~ft;,123.IAoO", "escape", "ctrl+r"), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b.", " ", "\n", "漢", "👩‍👩‍👧", "é")), keys, (parts, typed) => {
        let editor = updateEditor(createEditor(), { type: "replace", text: parts.join("") });
        let vim = NEW_VIM;
        for (const key of ["escape", ...typed]) {
          const event = keyEvent(key);
          const step = stepVim({ vim, editor }, event);
          if (step === undefined) {
            if (event.text !== undefined) editor = updateEditor(editor, { type: "insert", text: event.text });
            continue;
          }
          ({ vim, editor } = step);
          const starts = [...graphemesOf(editor.text)].map(({ start }) => start);
          expect([...starts, editor.text.length]).toContain(editor.cursor);
          expect(vimWords(vim)).toMatch(/^(INSERT|NORMAL)/);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("has its mode beside the status, leaves the writing by Esc before it stops any work, and goes on writing after sending", async () => {
    const world = openOnScreen({ keys: { preset: "vim" }, history: ["earlier"] });
    world.type("hello");
    expect((await world.seen()).at(-1)).toStartWith("INSERT · ");
    world.press("escape", "b", "d");
    expect((await world.seen()).at(-1)).toStartWith("NORMAL d · ");
    world.press("w", "k");
    expect(world.app.draft).toBe("earlier");
    expect(world.calls).toEqual([]);
    world.press("enter");
    expect([world.calls.map(([name]) => name), (await world.seen()).at(-1)?.startsWith("INSERT")]).toEqual([
      ["prompt"],
      true,
    ]);
  });
});
