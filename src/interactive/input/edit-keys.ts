import type { EditorAction } from "../../tui/editor/update-editor.ts";
import type { ActionId } from "../keys/actions.ts";
import type { KeyMap } from "../keys/key-map.ts";

/** What each key does to the text; those that need more than the text are not here. */
const EDITS: readonly [ActionId, EditorAction][] = [
  ["tui.input.newLine", { type: "insert", text: "\n" }],
  ["tui.editor.cursorLeft", { type: "move", to: "left" }],
  ["tui.editor.cursorRight", { type: "move", to: "right" }],
  ["tui.editor.cursorWordLeft", { type: "move", to: "word-left" }],
  ["tui.editor.cursorWordRight", { type: "move", to: "word-right" }],
  ["tui.editor.cursorLineStart", { type: "move", to: "line-start" }],
  ["tui.editor.cursorLineEnd", { type: "move", to: "line-end" }],
  ["tui.editor.deleteCharBackward", { type: "delete", to: "left" }],
  ["tui.editor.deleteCharForward", { type: "delete", to: "right" }],
  ["tui.editor.deleteWordBackward", { type: "delete", to: "word-left" }],
  ["tui.editor.deleteWordForward", { type: "delete", to: "word-right" }],
  ["tui.editor.deleteToLineStart", { type: "delete", to: "line-start" }],
  ["tui.editor.deleteToLineEnd", { type: "delete", to: "line-end" }],
  ["tui.editor.yank", { type: "yank" }],
  ["tui.editor.yankPop", { type: "yank-older" }],
  ["tui.editor.undo", { type: "undo" }],
  ["tui.editor.redo", { type: "redo" }],
  ["tui.editor.historyOlder", { type: "history-older" }],
  ["tui.editor.historyNewer", { type: "history-newer" }],
];

export function editOfKey(chord: string, keys: KeyMap): EditorAction | undefined {
  return EDITS.find(([action]) => keys.means(chord, action))?.[1];
}
