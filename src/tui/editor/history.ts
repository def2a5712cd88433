import { type EditorState, labelledText, NO_STREAK } from "./editor-state.ts";
import { snapshotOf } from "./edits.ts";

// Texts that were sent before. Going back to them keeps what is being written.

export function olderEntry(state: EditorState): EditorState {
  const { entries, index } = state.history;
  return showEntry(state, (index ?? entries.length) - 1);
}

export function newerEntry(state: EditorState): EditorState {
  const { index } = state.history;
  return index === undefined ? state : showEntry(state, index + 1);
}

function showEntry(state: EditorState, index: number): EditorState {
  const { entries } = state.history;
  if (index < 0) return state;
  const draft = state.history.index === undefined ? snapshotOf(state) : state.history.draft;
  const text = entries[index];
  const shown = text === undefined ? draft : { text, cursor: text.length };
  return {
    ...state,
    ...shown,
    history: { entries, draft, index: text === undefined ? undefined : index },
    wantedColumn: undefined,
    streak: NO_STREAK,
    undo: text === undefined && state.history.index === undefined ? state.undo : [],
    redo: [],
  };
}

/**
 * An earlier text that was changed is what is being written now, and going on to others keeps it. Where something was being written
 * before that, it stays the one to come back to, until the text is emptied.
 */
export function leaveHistory(before: EditorState, state: EditorState): EditorState {
  const { history, text } = state;
  if (history.index === undefined || text === before.text) return state;
  if (history.draft.text !== "" && text !== "") return state;
  return { ...state, history: { ...history, index: undefined } };
}

/** The text was sent: it becomes the latest entry, and an empty one is begun. The same text twice in a row is kept once. */
export function startNext(state: EditorState): EditorState {
  const { entries } = state.history;
  const isWorthIt = state.text.trim() !== "" && entries.at(-1) !== state.text;
  const kept = isWorthIt ? [...entries, state.text].slice(-state.limits.historyEntries) : entries;
  return {
    ...state,
    text: "",
    cursor: 0,
    wantedColumn: undefined,
    undo: [],
    redo: [],
    streak: NO_STREAK,
    markers: new Map([...state.markers].filter(([sign]) => kept.some((text) => text.includes(sign)))),
    history: { entries: kept, index: undefined, draft: { text: "", cursor: 0 } },
  };
}

/** Entries that hold all words of the query, the latest first, by their places. */
export function searchHistory({ history, markers }: EditorState, query: string): number[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found: number[] = [];
  for (let index = history.entries.length - 1; index >= 0; index--) {
    const entry = labelledText(history.entries[index] ?? "", markers).toLowerCase();
    if (words.every((word) => entry.includes(word))) found.push(index);
  }
  return found;
}

export function goToEntry(state: EditorState, index: number): EditorState {
  return state.history.entries[index] === undefined ? state : showEntry(state, index);
}
