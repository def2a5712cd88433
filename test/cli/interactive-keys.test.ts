import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACTIONS, type ActionId } from "../../src/interactive/keys/actions.ts";
import type { ScriptTurn } from "../../src/protocol/script.ts";
import { type Hands, type HandsOptions, handsOnEmulator, handsOnTmux, tmuxProgram } from "../support/hands.ts";
import { plain } from "../support/pictures.ts";
import { rehearsalHome } from "../support/rehearsal.ts";
import { ralphCommand } from "../support/run-ralph.ts";
import type { TempWorkspace } from "../support/temp-workspace.ts";

// Every action of the table of keys, by its first chord, in a shell as a person has it.

setDefaultTimeout(60_000);

const TURNS: ScriptTurn[] = [
  { when: "slowly", steps: [{ text: "Slowly " }, { wait: 600_000 }] },
  { repeat: 20, steps: [{ thinking: "Hm." }, { text: "Answered." }] },
];
const EMPTY = /─\n›\n/;
const IDLE = /\n(play|other)\/(first|second)/;

/** What the chord does with a text: chords before it, and what stands in the input after it and an X. */
interface Edit {
  text: string;
  before?: readonly string[];
  becomes: string;
}

const EDITS: Partial<Record<ActionId, Edit>> = {
  "tui.input.newLine": { text: "ab", becomes: "ab\n  X" },
  "tui.editor.cursorUp": { text: "ab", before: ["shift+enter", "c"], becomes: "aXb\n  c" },
  "tui.editor.cursorDown": { text: "ab", before: ["shift+enter", "c", "up"], becomes: "ab\n  cX" },
  "tui.editor.cursorLeft": { text: "ab", becomes: "aXb" },
  "tui.editor.cursorRight": { text: "ab", before: ["home"], becomes: "aXb" },
  "tui.editor.cursorWordLeft": { text: "one two", becomes: "one Xtwo" },
  "tui.editor.cursorWordRight": { text: "one two", before: ["home"], becomes: "oneX two" },
  "tui.editor.cursorLineStart": { text: "one two", becomes: "Xone two" },
  "tui.editor.cursorLineEnd": { text: "one two", before: ["home"], becomes: "one twoX" },
  "tui.editor.deleteCharBackward": { text: "abc", becomes: "abX" },
  "tui.editor.deleteCharForward": { text: "abc", before: ["home"], becomes: "Xbc" },
  "tui.editor.deleteWordBackward": { text: "one two", becomes: "one X" },
  "tui.editor.deleteWordForward": { text: "one two", before: ["home"], becomes: "X two" },
  "tui.editor.deleteToLineStart": { text: "one two", before: ["alt+b"], becomes: "Xtwo" },
  "tui.editor.deleteToLineEnd": { text: "one two", before: ["alt+b"], becomes: "one X" },
  "tui.editor.yank": { text: "one two", before: ["ctrl+w"], becomes: "one twoX" },
  "tui.editor.yankPop": { text: "one two", before: ["ctrl+w", "b", "ctrl+w", "ctrl+y"], becomes: "one twoX" },
  "tui.editor.undo": { text: "one two", before: ["ctrl+w"], becomes: "one twoX" },
  "tui.editor.redo": { text: "one two", before: ["ctrl+w", "ctrl+-"], becomes: "one X" },
  "tui.editor.historyOlder": { text: "", becomes: "/themeX" },
  "tui.editor.historyNewer": { text: "kept", before: ["ctrl+up"], becomes: "keptX" },
  "tui.input.tab": { text: "/hel", becomes: "/help X" },
};

type Play = (hands: Hands, chord: string) => Promise<unknown>;

/** In a list of four themes. */
function inList(before: readonly string[], expected: RegExp): Play {
  return async (hands, chord) => {
    await hands.type("/theme");
    await hands.press("enter");
    await hands.see("── Theme");
    await hands.press(...before, chord);
    await hands.see(expected);
    await hands.press("escape");
    await hands.gone("── Theme");
  };
}

function shows(pattern: RegExp | string, ...closing: string[]): Play {
  return async (hands, chord) => {
    await hands.press(chord);
    await hands.see(pattern);
    if (closing.length === 0) return;
    await hands.press(...closing);
    await hands.gone(pattern);
  };
}

/** Those that do more than change the text, in an order in which each finds what it needs. */
const PLAYS: Partial<Record<ActionId, Play>> = {
  "app.message.send": async (hands, chord) => {
    await hands.type("hello");
    await hands.press(chord);
    await hands.see(/› hello\n[\s\S]*Answered\.\n[\s\S]*\n› *\n/);
  },
  "app.clear": async (hands, chord) => {
    await hands.type("not this");
    await hands.see("› not this");
    await hands.press(chord);
    await hands.see(EMPTY);
  },
  "app.message.followUp": async (hands, chord) => {
    await hands.type("slowly");
    await hands.press("enter");
    await hands.see(/Slowly[\s\S]*working/);
    await hands.type("after that");
    await hands.press(chord);
    await hands.see("later: after that");
  },
  "app.message.dequeue": shows("› after that", "ctrl+u"),
  "app.interrupt": async (hands, chord) => {
    await hands.see("working");
    await hands.press(chord);
    await hands.see("Stopped.");
    await hands.see(IDLE);
  },
  "app.suspend": async (hands, chord) => {
    await hands.type("half a thought");
    await hands.see("› half a thought");
    await hands.press(chord);
    await hands.see(/Stopped +\S*[\s\S]*shell> $|Stopped[\s\S]*shell>/);
    await hands.type("fg");
    await hands.press("enter");
    await hands.see(/› half a thought\n/);
    await hands.press("ctrl+u");
  },
  "app.model.select": shows("── Model ─", "escape"),
  "app.model.selectTemporary": shows("── Model for now ─", "escape"),
  "app.model.cycleForward": async (hands, chord) => {
    await hands.press(chord);
    await hands.see(/\n(other\/second \w+ · )?other\/second/);
  },
  "app.model.cycleBackward": shows(/\n(play\/first \w+ · )?play\/first(?!')/),
  "app.plan.toggle": shows(/\n.*plan mode/, "alt+shift+p"),
  "app.thinking.cycle": shows(/\neffort \w+|Not done/),
  "app.thinking.toggle": shows("thinking is shown", "ctrl+t"),
  "app.tools.expand": shows("output is shown from now on", "ctrl+o"),
  "app.history.search": shows(/── Earlier prompts[\s\S]*hello/, "escape"),
  "app.editor.external": shows("› from the editor", "ctrl+u"),
  "app.clipboard.pasteImage": shows(/› \[.*\]/, "ctrl+u"),
  "app.clipboard.copyLine": shows(/\ncopied/),
  "app.clipboard.copyPrompt": async (hands, chord) => {
    await hands.type("this text");
    await hands.press(chord);
    await hands.see(/› this text\n.*copied/);
    await hands.press("ctrl+u");
  },
  "app.tree.fold": async (hands, chord) => {
    await branch(hands);
    await hands.type("/tree");
    await hands.press("enter");
    await hands.see(/── Go back to[\s\S]*elsewhere/);
    await hands.press("up", "up");
    await hands.press(chord, chord);
    await hands.see(/── Go back to[\s\S]*› {1,3}\+ /);
  },
  "app.tree.unfold": async (hands, chord) => {
    await hands.press(chord);
    await hands.gone(/› {1,3}\+ /);
    await hands.press("escape");
    await hands.gone("── Go back to");
  },
  "tui.select.down": inList([], /› light/),
  "tui.select.up": inList(["down", "down"], /› light/),
  "tui.select.pageDown": inList([], /› ascii/),
  "tui.select.pageUp": inList(["down", "down", "down"], /› dark/),
  "tui.select.confirm": async (hands, chord) => {
    await hands.type("/theme");
    await hands.press("enter");
    await hands.see("── Theme");
    await hands.press("down", chord);
    await hands.gone("── Theme");
  },
  "tui.select.cancel": async (hands, chord) => {
    await hands.type("/theme");
    await hands.press("enter");
    await hands.see("── Theme");
    await hands.press(chord);
    await hands.gone("── Theme");
  },
  "app.exit": async (hands, chord) => {
    await hands.press(chord);
    await hands.see(/To go on: ralph -r \S+\nshell>/);
  },
};

/** Two branches below the first answer. */
async function branch(hands: Hands): Promise<void> {
  await hands.type("/tree");
  await hands.press("enter");
  await hands.see("── Go back to");
  await hands.press("down");
  await hands.press("down");
  await hands.press("enter");
  await hands.see("The next message goes on from there");
  await hands.type("elsewhere");
  await hands.press("enter");
  await hands.see(/› elsewhere\n[\s\S]*Answered\.[\s\S]*\n›\n/);
}

async function edit(hands: Hands, chord: string, { text, before = [], becomes }: Edit): Promise<void> {
  if (text !== "") await hands.type(text);
  for (const one of before) await (one.length === 1 ? hands.type(one) : hands.press(one));
  await hands.press(chord);
  await hands.type("X");
  await hands.see(new RegExp(`─\\n› ${RegExp.escape(becomes)}\\n`));
  await hands.press("ctrl+c");
  await hands.see(EMPTY);
}

test("each action is used once here", () => {
  const used = [...Object.keys(PLAYS), ...Object.keys(EDITS)];
  expect(used.toSorted()).toEqual(ACTIONS.map(({ id }): string => id).toSorted());
});

const isWithoutTmux = tmuxProgram === null;

describe("every key does what /hotkeys says", () => {
  test("in a terminal that knows all keys", () => useAll(handsOnEmulator));
  test.skipIf(isWithoutTmux)(`in tmux${isWithoutTmux ? " (skipped: no tmux here)" : ""}`, () => useAll(handsOnTmux));
});

async function useAll(open: (options: HandsOptions) => Promise<Hands>): Promise<void> {
  await using workspace = rehearsalHome(TURNS);
  await using hands = await open({ workspace, environment: environmentOf(workspace) });
  await hands.type([...ralphCommand(), "--model", "play/first"].map((word) => `'${word}'`).join(" "));
  await hands.press("enter");
  await hands.see(/\nplay\/first/);
  for (const [id, play] of Object.entries(PLAYS)) {
    if (id === "app.exit") for (const [name, row] of Object.entries(EDITS)) await edit(hands, chordOf(name), row);
    await play(hands, chordOf(id)).catch((error: Error) => {
      throw new Error(`${id}: ${error.message}`);
    });
  }
}

function chordOf(id: string): string {
  return ACTIONS.find((row) => row.id === id)?.chords[0] ?? "";
}

/** An editor, and programs of a desktop that has a clipboard. */
function environmentOf(workspace: TempWorkspace): Record<string, string> {
  const program = (name: string, text: string) =>
    chmodSync(workspace.write(`bin/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
  program("an-editor", `printf 'from the editor' > "$1"`);
  program("pbcopy", "cat > /dev/null");
  program("pngpaste", `cat "$(dirname "$0")/picture.png"`);
  writeFileSync(join(workspace.root, "bin/picture.png"), plain(4, 4));
  return { PATH: `${join(workspace.root, "bin")}:${workspace.environment.PATH}`, EDITOR: "an-editor", VISUAL: "" };
}
