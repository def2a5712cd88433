// Everything a key can do, by a name that people may bind to other keys. The order is that of `/hotkeys`.

export interface ActionRow {
  id: string;
  description: string;
  /** In the spelling of the toolkit: `ctrl+shift+p`. */
  chords: readonly string[];
  /** Instead, with the preset of this name. */
  sofos?: readonly string[];
}

export const ACTIONS = [
  { id: "app.interrupt", description: "stop the work, or close what is open", chords: ["escape"] },
  { id: "app.clear", description: "clear the input; twice: leave", chords: ["ctrl+c"] },
  { id: "app.exit", description: "leave, when the input is empty", chords: ["ctrl+d"] },
  { id: "app.suspend", description: "put Ralph into the background", chords: ["ctrl+z"] },
  { id: "app.message.send", description: "send", chords: ["enter"] },
  {
    id: "app.message.followUp",
    description: "send when the work is done",
    chords: ["ctrl+enter", "ctrl+j"],
    sofos: ["ctrl+enter"],
  },
  {
    id: "app.message.dequeue",
    description: "take the newest waiting message back",
    chords: ["alt+up"],
    sofos: ["ctrl+up"],
  },
  { id: "app.model.select", description: "choose a model", chords: ["ctrl+l"] },
  { id: "app.model.cycleForward", description: "the next model", chords: ["ctrl+p"] },
  { id: "app.model.cycleBackward", description: "the model before", chords: ["ctrl+shift+p"] },
  { id: "app.model.selectTemporary", description: "choose a model that is not kept", chords: ["alt+p"] },
  { id: "app.plan.toggle", description: "plan mode on or off", chords: ["alt+shift+p"] },
  { id: "app.thinking.cycle", description: "how hard the model thinks", chords: ["shift+tab"] },
  { id: "app.thinking.toggle", description: "show or hide thinking", chords: ["ctrl+t"] },
  { id: "app.tools.expand", description: "show or hide the output of tools", chords: ["ctrl+o"] },
  { id: "app.history.search", description: "search earlier prompts", chords: ["ctrl+r"] },
  { id: "app.editor.external", description: "write in your own editor", chords: ["ctrl+g"] },
  { id: "app.clipboard.pasteImage", description: "paste a picture", chords: ["ctrl+v", "alt+v"] },
  { id: "app.clipboard.copyLine", description: "copy the last answer", chords: ["alt+shift+l"] },
  { id: "app.clipboard.copyPrompt", description: "copy what is written", chords: ["alt+shift+c"] },
  { id: "app.tree.fold", description: "fold a branch of the tree", chords: ["ctrl+left", "alt+left"] },
  { id: "app.tree.unfold", description: "unfold a branch of the tree", chords: ["ctrl+right", "alt+right"] },
  {
    id: "tui.input.newLine",
    description: "a new line",
    chords: ["shift+enter", "alt+enter"],
    sofos: ["shift+enter", "alt+enter", "ctrl+j"],
  },
  { id: "tui.input.tab", description: "take the suggestion", chords: ["tab"] },
  { id: "tui.editor.cursorUp", description: "up, or an earlier prompt", chords: ["up"] },
  { id: "tui.editor.cursorDown", description: "down, or a later prompt", chords: ["down"] },
  { id: "tui.editor.historyOlder", description: "an earlier prompt", chords: ["ctrl+up"], sofos: ["alt+up"] },
  { id: "tui.editor.historyNewer", description: "a later prompt", chords: ["ctrl+down"], sofos: ["alt+down"] },
  { id: "tui.editor.cursorLeft", description: "left", chords: ["left", "ctrl+b"] },
  { id: "tui.editor.cursorRight", description: "right", chords: ["right", "ctrl+f"] },
  { id: "tui.editor.cursorWordLeft", description: "a word left", chords: ["alt+left", "ctrl+left", "alt+b"] },
  { id: "tui.editor.cursorWordRight", description: "a word right", chords: ["alt+right", "ctrl+right", "alt+f"] },
  { id: "tui.editor.cursorLineStart", description: "to the start of the line", chords: ["home", "ctrl+a"] },
  { id: "tui.editor.cursorLineEnd", description: "to the end of the line", chords: ["end", "ctrl+e"] },
  { id: "tui.editor.deleteCharBackward", description: "delete backwards", chords: ["backspace", "shift+backspace"] },
  { id: "tui.editor.deleteCharForward", description: "delete forwards", chords: ["delete"] },
  {
    id: "tui.editor.deleteWordBackward",
    description: "delete a word backwards",
    chords: ["ctrl+w", "alt+backspace", "ctrl+backspace"],
  },
  {
    id: "tui.editor.deleteWordForward",
    description: "delete a word forwards",
    chords: ["alt+d", "alt+delete", "ctrl+delete"],
  },
  { id: "tui.editor.deleteToLineStart", description: "delete to the start of the line", chords: ["ctrl+u"] },
  { id: "tui.editor.deleteToLineEnd", description: "delete to the end of the line", chords: ["ctrl+k"] },
  { id: "tui.editor.yank", description: "put back what was deleted", chords: ["ctrl+y"] },
  { id: "tui.editor.yankPop", description: "put back what was deleted before that", chords: ["alt+y"] },
  { id: "tui.editor.undo", description: "undo", chords: ["ctrl+-", "ctrl+/", "ctrl+_"] },
  { id: "tui.editor.redo", description: "redo", chords: ["alt+-", "alt+/"] },
  { id: "tui.select.up", description: "up in a list", chords: ["up", "ctrl+p"] },
  { id: "tui.select.down", description: "down in a list", chords: ["down", "ctrl+n"] },
  { id: "tui.select.pageUp", description: "a page up in a list", chords: ["page-up"] },
  { id: "tui.select.pageDown", description: "a page down in a list", chords: ["page-down"] },
  { id: "tui.select.confirm", description: "choose", chords: ["enter"] },
  { id: "tui.select.cancel", description: "close a list", chords: ["escape", "ctrl+c"] },
] as const satisfies readonly ActionRow[];

export type ActionId = (typeof ACTIONS)[number]["id"];

/** Where a key counts: two actions may share a chord when they are never wanted in the same place. */
export function placeOf(id: string): "prompt" | "list" {
  return id.startsWith("tui.select.") || id.startsWith("app.tree.") ? "list" : "prompt";
}

export function isActionId(id: string): id is ActionId {
  return ACTIONS.some((row) => row.id === id);
}
