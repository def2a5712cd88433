// A text that is being written, over several lines, as a value.

export interface EditorState {
  /** What is written. A marker stands in it as one private character. */
  readonly text: string;
  /** An offset into the text, always between graphemes. */
  readonly cursor: number;
  /** The column that going up and down returns to after shorter rows. */
  readonly wantedColumn: number | undefined;
  readonly markers: ReadonlyMap<string, Marker>;
  readonly markerCount: number;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** What the last action was, where the next one may continue it: typing is undone in words, kills are gathered. */
  readonly streak: Streak;
  /** What was killed, the latest first. */
  readonly kills: readonly string[];
  readonly history: History;
  /** What a person should know about the last action; for one action only. */
  readonly message: string | undefined;
  readonly limits: EditorLimits;
}

/** A piece of text, or something that is no text at all, shown by its label and edited as one character. */
export interface Marker {
  label: string;
  /** What stands in its place when the text is sent. */
  text: string;
}

export interface Snapshot {
  text: string;
  cursor: number;
}

export type Streak =
  | { type: "none" }
  | { type: "typing" }
  | { type: "kill" }
  | { type: "yank"; start: number; index: number };

export interface History {
  /** The oldest first. */
  entries: readonly string[];
  /** Which entry is shown; undefined for the draft. */
  index: number | undefined;
  /** What was being written when the first entry was fetched. */
  draft: Snapshot;
}

export interface EditorLimits {
  characters: number;
  historyEntries: number;
  undoSteps: number;
  kills: number;
  /** A longer paste becomes a marker. */
  pasteCharacters: number;
  pasteLines: number;
}

export const DEFAULT_LIMITS: EditorLimits = {
  characters: 1_000_000,
  historyEntries: 100,
  undoSteps: 200,
  kills: 30,
  pasteCharacters: 2000,
  pasteLines: 10,
};

export const NO_STREAK: Streak = { type: "none" };

export interface EditorOptions {
  /** Earlier texts, the oldest first. */
  history?: readonly string[];
  limits?: Partial<EditorLimits>;
}

export function createEditor({ history = [], limits = {} }: EditorOptions = {}): EditorState {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return {
    text: "",
    cursor: 0,
    wantedColumn: undefined,
    markers: new Map(),
    markerCount: 0,
    undo: [],
    redo: [],
    streak: NO_STREAK,
    kills: [],
    history: { entries: history.slice(-all.historyEntries), index: undefined, draft: { text: "", cursor: 0 } },
    message: undefined,
    limits: all,
  };
}

/** The text as it is sent: every marker replaced by what it stands for. */
export function contentOf({ text, markers }: EditorState): string {
  return text.replace(MARKER, (sign) => markers.get(sign)?.text ?? "");
}

/** The text as it is read: every marker by its label. */
export function labelledText(text: string, markers: ReadonlyMap<string, Marker>): string {
  return text.replace(MARKER, (sign) => markers.get(sign)?.label ?? "");
}

/** The markers that are in the text now, in order. */
export function markersIn({ text, markers }: EditorState): Marker[] {
  return [...text.matchAll(MARKER)].flatMap(([sign]) => markers.get(sign) ?? []);
}

/** Markers are characters of the last private plane; what others typed or pasted may not hold any. */
const FIRST_MARKER = 0x100000;
const MARKER_COUNT = 0xfffd;
const MARKER = /[\u{100000}-\u{10fffd}]/gu;

export function markerSign(count: number): string {
  return String.fromCodePoint(FIRST_MARKER + (count % MARKER_COUNT));
}

export function withoutMarkers(text: string): string {
  return text.replace(MARKER, "\ufffd");
}

export function isMarker(grapheme: string): boolean {
  return (grapheme.codePointAt(0) ?? 0) >= FIRST_MARKER;
}
