// What the keys mean in `ralph attach`. Pure: what was read goes in, what to do comes out.

export type ViewAction = "interactive" | "stop" | "checkpoint" | "leave";

const VIEW_KEYS: Record<string, ViewAction> = {
  i: "interactive",
  s: "stop",
  c: "checkpoint",
  q: "leave",
  "\x03": "leave",
  "\x04": "leave",
};

/** While the loop is watched. Keys that send a sequence mean nothing. */
export function viewActions(typed: string): ViewAction[] {
  return [...typed.replace(SEQUENCES, "")].flatMap((key) => VIEW_KEYS[key.toLowerCase()] ?? []);
}

/** Arrows, function keys, keys with Alt, reports of the mouse, and Esc itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are what this is about
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/gs;

const ESCAPE = "\x1b";
/** Ctrl-] */
const LEAVE = "\x1d";
/** How long after Esc another key belongs to it. */
export const ESCAPE_WAIT_MS = 400;

export interface TypedStep {
  /** For the program in the terminal. */
  send: string;
  leave: boolean;
  /** Esc was pressed, and what follows within the wait decides what it means. */
  isWaiting: boolean;
}

/**
 * While the agent is talked to. Esc by itself leaves, once nothing follows it; pressed twice it is one Esc for the program, and
 * with another key it is a sequence for the program. Ctrl-] leaves at once.
 */
export function typedStep(wasWaiting: boolean, typed: string): TypedStep {
  const end = typed.indexOf(LEAVE);
  const before = wasWaiting ? ESCAPE : "";
  if (end !== -1) return { send: typed.slice(0, end), leave: true, isWaiting: false };
  const whole = before + typed;
  if (whole === ESCAPE) return { send: "", leave: false, isWaiting: true };
  return { send: whole === ESCAPE + ESCAPE ? ESCAPE : whole, leave: false, isWaiting: false };
}
