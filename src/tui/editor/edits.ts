import { sanitise } from "../text/sanitise.ts";
import {
  type EditorState,
  type Marker,
  markerSign,
  NO_STREAK,
  type Snapshot,
  type Streak,
  withoutMarkers,
} from "./editor-state.ts";
import { offsetOf, type Place } from "./movement.ts";

// Changes of the text. Each can be undone; typing is undone in words.

export function insertText(state: EditorState, given: string): EditorState {
  const text = withoutMarkers(sanitise(given));
  if (text === "") return state;
  const isTyping = text.length <= 2 && text.trim() !== "";
  const continues = isTyping && state.streak.type === "typing";
  const streak: Streak = isTyping ? { type: "typing" } : NO_STREAK;
  return replaceRange(state, { start: state.cursor, end: state.cursor, text, streak, continues });
}

/** A large paste is shown as a marker, so that what is written around it stays in sight. */
export function insertPaste(state: EditorState, given: string): EditorState {
  const text = withoutMarkers(sanitise(given));
  const lines = text.split("\n").length;
  if (text.length <= state.limits.pasteCharacters && lines <= state.limits.pasteLines) {
    return insertText({ ...state, streak: NO_STREAK }, text);
  }
  const size = lines > 1 ? `+${lines} lines` : `${text.length} characters`;
  return insertMarker(state, { label: `[paste #${state.markerCount + 1} ${size}]`, text });
}

export function insertMarker(state: EditorState, marker: Marker): EditorState {
  if (contentLength(state) + marker.text.length > state.limits.characters) return tooLong(state);
  const sign = markerSign(state.markerCount);
  const known = { ...state, markers: new Map(state.markers).set(sign, marker), markerCount: state.markerCount + 1 };
  return replaceRange(known, { start: state.cursor, end: state.cursor, text: sign });
}

/** Deletes up to a place. What is deleted in words or lines is kept for yanking; several in a row are kept as one. */
export function deleteTo(state: EditorState, place: Place): EditorState {
  const other = targetOf(state, place);
  const [start, end] = [Math.min(state.cursor, other), Math.max(state.cursor, other)];
  if (start === end) return state;
  const isKill = place !== "left" && place !== "right";
  const removed = state.text.slice(start, end);
  const next = replaceRange(state, { start, end, text: "", streak: isKill ? { type: "kill" } : NO_STREAK });
  return isKill ? { ...next, kills: gathered(state, removed, other < state.cursor) } : next;
}

/** At the end of a line there is nothing to kill but the line end itself, and the same at its start. */
function targetOf(state: EditorState, place: Place): number {
  const offset = offsetOf(state, place);
  if (offset !== state.cursor) return offset;
  if (place === "line-end") return offsetOf(state, "right");
  return place === "line-start" ? offsetOf(state, "left") : offset;
}

function gathered({ kills, streak, limits }: EditorState, removed: string, isBefore: boolean): string[] {
  const [last, ...older] = kills;
  if (streak.type !== "kill" || last === undefined) return [removed, ...kills].slice(0, limits.kills);
  return [isBefore ? removed + last : last + removed, ...older];
}

export function yank(state: EditorState): EditorState {
  const killed = state.kills[0];
  if (killed === undefined) return state;
  const streak: Streak = { type: "yank", start: state.cursor, index: 0 };
  return replaceRange(state, { start: state.cursor, end: state.cursor, text: killed, streak });
}

/** Right after a yank: what was killed before takes its place. */
export function yankOlder(state: EditorState): EditorState {
  const { streak, kills } = state;
  if (streak.type !== "yank" || kills.length === 0) return state;
  const index = (streak.index + 1) % kills.length;
  return replaceRange(state, {
    start: streak.start,
    end: state.cursor,
    text: kills[index] ?? "",
    streak: { ...streak, index },
    continues: true,
  });
}

export function undo(state: EditorState): EditorState {
  const [last, ...older] = state.undo;
  if (last === undefined) return state;
  return { ...state, ...last, undo: older, redo: [snapshotOf(state), ...state.redo], streak: NO_STREAK };
}

export function redo(state: EditorState): EditorState {
  const [next, ...later] = state.redo;
  if (next === undefined) return state;
  return { ...state, ...next, redo: later, undo: [snapshotOf(state), ...state.undo], streak: NO_STREAK };
}

/** Another text as a whole, as one step. */
export function replaceAll(state: EditorState, text: string): EditorState {
  return replaceRange(state, { start: 0, end: state.text.length, text: withoutMarkers(sanitise(text)) });
}

/** A part of the text, given as it stands in an editor: markers in it stay markers. Undone as one step. */
export function replaceSpan(
  state: EditorState,
  { start, end, text, cursor }: { start: number; end: number; text: string; cursor?: number },
): EditorState {
  const next = replaceRange(state, { start, end, text });
  const isWithin = cursor !== undefined && next.message === undefined;
  return isWithin ? { ...next, cursor: Math.max(0, Math.min(next.text.length, cursor)) } : next;
}

interface TextChange {
  start: number;
  end: number;
  text: string;
  streak?: Streak;
  /** Whether it is undone together with the change before it. */
  continues?: boolean;
}

function replaceRange(state: EditorState, change: TextChange): EditorState {
  const { start, end, text, streak = NO_STREAK, continues = false } = change;
  const grows = text.length > end - start;
  if (grows && contentLength(state) + text.length - (end - start) > state.limits.characters) return tooLong(state);
  const undoSteps = continues ? state.undo : [snapshotOf(state), ...state.undo].slice(0, state.limits.undoSteps);
  return {
    ...state,
    text: state.text.slice(0, start) + text + state.text.slice(end),
    cursor: start + text.length,
    undo: undoSteps,
    redo: [],
    streak,
  };
}

function contentLength({ text, markers }: EditorState): number {
  let length = text.length;
  for (const [sign, marker] of markers) if (text.includes(sign)) length += marker.text.length;
  return length;
}

function tooLong(state: EditorState): EditorState {
  const limit = state.limits.characters.toLocaleString("en");
  return {
    ...state,
    message: `Not inserted: the text may have ${limit} characters. Put the rest into a file and name it.`,
  };
}

export function snapshotOf({ text, cursor }: EditorState): Snapshot {
  return { text, cursor };
}
