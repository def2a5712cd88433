import { type EditorState, type Marker, NO_STREAK } from "./editor-state.ts";
import {
  deleteTo,
  insertMarker,
  insertPaste,
  insertText,
  redo,
  replaceAll,
  replaceSpan,
  undo,
  yank,
  yankOlder,
} from "./edits.ts";
import { goToEntry, leaveHistory, newerEntry, olderEntry, startNext } from "./history.ts";
import { offsetOf, type Place, verticalMove } from "./movement.ts";

export type EditorAction =
  | { type: "insert"; text: string }
  | { type: "paste"; text: string }
  | { type: "insert-marker"; marker: Marker }
  | { type: "delete"; to: Place }
  | { type: "move"; to: Place }
  | { type: "move-to"; offset: number }
  | { type: "replace-span"; start: number; end: number; text: string; cursor?: number }
  | { type: "move-row"; direction: "up" | "down"; width: number }
  | { type: "yank" }
  | { type: "yank-older" }
  | { type: "undo" }
  | { type: "redo" }
  | { type: "history-older" }
  | { type: "history-newer" }
  | { type: "history-entry"; index: number }
  | { type: "replace"; text: string }
  | { type: "submit" };

/** The text after an action. What is typed, moved or undone is decided here and nowhere else. */
export function updateEditor(before: EditorState, action: EditorAction): EditorState {
  const state = before.message === undefined ? before : { ...before, message: undefined };
  if (action.type === "move-row") return moveRow(state, action.direction, action.width);
  if (action.type === "move") return { ...still(state), cursor: offsetOf(state, action.to) };
  if (action.type === "move-to")
    return { ...still(state), cursor: Math.max(0, Math.min(state.text.length, action.offset)) };
  const next = isHistory(action) ? changed(state, action) : leaveHistory(state, changed(state, action));
  return next.wantedColumn === undefined ? next : { ...next, wantedColumn: undefined };
}

function changed(
  state: EditorState,
  action: Exclude<EditorAction, { type: "move" | "move-row" | "move-to" }>,
): EditorState {
  switch (action.type) {
    case "insert":
      return insertText(state, action.text);
    case "paste":
      return insertPaste(state, action.text);
    case "insert-marker":
      return insertMarker(state, action.marker);
    case "delete":
      return deleteTo(state, action.to);
    case "yank":
      return yank(state);
    case "yank-older":
      return yankOlder(state);
    case "undo":
      return undo(state);
    case "redo":
      return redo(state);
    case "history-older":
      return olderEntry(state);
    case "history-newer":
      return newerEntry(state);
    case "history-entry":
      return goToEntry(state, action.index);
    case "replace-span":
      return replaceSpan(state, action);
    case "replace":
      return replaceAll(state, action.text);
    case "submit":
      return startNext(state);
  }
}

function isHistory({ type }: EditorAction): boolean {
  return type === "history-older" || type === "history-newer" || type === "history-entry";
}

function still(state: EditorState): EditorState {
  return { ...state, wantedColumn: undefined, streak: NO_STREAK };
}

/** Where there is no row to go to, the cursor goes to the start or the end of the text. */
function moveRow(state: EditorState, direction: "up" | "down", width: number): EditorState {
  const move = verticalMove(state, direction, width);
  if (move !== undefined) return { ...state, ...move, streak: NO_STREAK };
  return { ...still(state), cursor: direction === "up" ? 0 : state.text.length };
}
