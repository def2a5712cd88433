// What comes from a terminal's keyboard side.

export type InputEvent = KeyEvent | PasteEvent | FocusEvent | AnswerEvent;

export interface KeyEvent {
  type: "key";
  /** The key with its modifiers, in one fixed spelling: `a`, `shift+a`, `ctrl+alt+up`, `f5`. */
  chord: string;
  /** What the key types, if it types something. */
  text?: string;
  phase: "press" | "repeat" | "release";
}

export interface PasteEvent {
  type: "paste";
  /** Line ends are line feeds. It may hold anything else: it comes from others. */
  text: string;
  /** Whether it was longer than the bound, and the rest is missing. */
  isCut: boolean;
}

export interface FocusEvent {
  type: "focus";
  isFocused: boolean;
}

export interface AnswerEvent {
  type: "answer";
  answer: TerminalAnswer;
}

export type TerminalAnswer =
  | { type: "device-attributes"; attributes: number[] }
  | { type: "cursor-position"; row: number; column: number }
  | { type: "background-colour"; colour: `#${string}` }
  | { type: "keyboard-protocol"; flags: number }
  | { type: "mode"; mode: number; isKnown: boolean }
  | { type: "name"; name: string };
