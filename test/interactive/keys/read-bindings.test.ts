import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ACTIONS, placeOf } from "../../../src/interactive/keys/actions.ts";
import { createKeyMap, PRESETS, presetChords } from "../../../src/interactive/keys/key-map.ts";
import { nameNow } from "../../../src/interactive/keys/old-names.ts";
import { readBindings } from "../../../src/interactive/keys/read-bindings.ts";
import { readChord } from "../../../src/tui/keys/chord.ts";

const read = (file: unknown) => readBindings(JSON.stringify(file));

describe("keybindings.json", () => {
  test("binds an action to a chord or to several, in any case, and an empty list switches it off", () => {
    const wishes = read({ "app.exit": "Ctrl+Q", "app.clear": ["CTRL+SHIFT+c", "Alt+PageUp"], "app.suspend": [] });
    expect(wishes).toEqual({
      preset: "default",
      bindings: { "app.clear": ["ctrl+shift+c", "alt+page-up"], "app.exit": ["ctrl+q"], "app.suspend": [] },
      warnings: [],
    });
    const { keys, warnings } = createKeyMap(wishes);
    expect([
      keys.means("ctrl+q", "app.exit"),
      keys.means("ctrl+d", "app.exit"),
      keys.chordsOf("app.suspend"),
      keys.isRemapped("app.exit"),
      keys.isRemapped("app.interrupt"),
      warnings,
    ]).toEqual([true, false, [], true, false, []]);
  });

  test("sending keeps a key: without one not even /exit could be sent", () => {
    expect(read({ "app.message.send": [], "app.exit": [] })).toEqual({
      preset: "default",
      bindings: { "app.exit": [] },
      warnings: ["keybindings.json: app.message.send needs a key. It is as without the file."],
    });
  });

  test("old names are migrated and written in the order of the table; today's name wins", () => {
    const file = {
      selectUp: "ctrl+k",
      interrupt: "ctrl+x",
      "app.interrupt": "escape",
      preset: "sofos",
      cycleModelForward: ["f2"],
      mystery: "f3",
    };
    expect(read(file)).toEqual({
      preset: "sofos",
      bindings: { "app.interrupt": ["escape"], "app.model.cycleForward": ["f2"], "tui.select.up": ["ctrl+k"] },
      warnings: [
        "keybindings.json: interrupt is app.interrupt now, and that is there too: interrupt is left out.",
        'keybindings.json: there is no action "mystery". See /hotkeys.',
      ],
      migrated: `${JSON.stringify(
        {
          preset: "sofos",
          "app.interrupt": "escape",
          "app.model.cycleForward": ["f2"],
          "tui.select.up": "ctrl+k",
          mystery: "f3",
        },
        undefined,
        2,
      )}\n`,
    });
  });

  test("a migrated file needs no further migration", () => {
    const { migrated = "" } = read({ cursorUp: "ctrl+k", submit: "ctrl+s" });
    expect(readBindings(migrated)).toEqual({
      preset: "default",
      bindings: { "app.message.send": ["ctrl+s"], "tui.editor.cursorUp": ["ctrl+k"] },
      warnings: [
        "keybindings.json: Ctrl+K is bound to tui.editor.cursorUp and tui.editor.deleteToLineEnd; tui.editor.cursorUp gets it.",
      ],
    });
  });

  test("what cannot be read or used is a warning, and the rest counts", () => {
    expect(readBindings("{").warnings.map((text) => text.replace(/\(.*\)/, "(…)"))).toEqual([
      "keybindings.json: it is no JSON (…). The keys are as without it.",
    ]);
    expect(read([1]).warnings).toEqual([
      'keybindings.json: it must be an object like {"app.exit": "Ctrl+D"}. The keys are as without it.',
    ]);
    expect(readBindings("")).toEqual({ preset: "default", bindings: {}, warnings: [] });
    expect(
      read({
        preset: "emacs",
        keybindings: {},
        "app.modle.select": "f1",
        "app.exit": 3,
        "app.clear": "Hyper+Q",
        "app.suspend": "f9",
      }),
    ).toEqual({
      preset: "default",
      bindings: { "app.suspend": ["f9"] },
      warnings: [
        'keybindings.json: there is no preset "emacs". There are: default, sofos, vim.',
        'keybindings.json: app.clear: "Hyper+Q" is no key.',
        "keybindings.json: app.exit must be a key or a list of keys. It is as without the file.",
        'keybindings.json: there is no action "keybindings". Write the actions themselves into the file.',
        'keybindings.json: there is no action "app.modle.select". Is app.model.select meant?',
      ],
    });
  });

  test("two actions of one place on one chord are told, those of different places are not", () => {
    expect(read({ "app.history.search": "ctrl+t" }).warnings).toEqual([
      "keybindings.json: Ctrl+T is bound to app.thinking.toggle and app.history.search; app.thinking.toggle gets it.",
    ]);
    expect(read({ "tui.select.down": "ctrl+t" }).warnings).toEqual([]);
  });

  test("any text is read without throwing", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => Array.isArray(readBindings(text).warnings)));
  });
});

describe("the table of actions", () => {
  test("has readable chords, each for one action of a place, in every preset", () => {
    for (const preset of PRESETS) {
      const used = ACTIONS.flatMap((row) => presetChords(row, preset).map((chord) => `${placeOf(row.id)} ${chord}`));
      expect(used.filter((chord, index) => used.indexOf(chord) !== index)).toEqual([]);
      for (const row of ACTIONS) for (const chord of presetChords(row, preset)) expect(readChord(chord)).toBe(chord);
    }
  });

  test("knows every old name without a doubt", () => {
    expect([nameNow("interrupt"), nameNow("up"), nameNow("fold"), nameNow("app.nothing"), nameNow("toString")]).toEqual(
      ["app.interrupt", "tui.select.up", "app.tree.fold", undefined, undefined],
    );
  });
});
