import type { InputEvent, KeyEvent } from "./input-event.ts";

/** Nobody types so much within one reading: it was pasted in a terminal that does not mark pastes. */
export const LONGEST_TYPED = 256;

/**
 * Long runs of text become a paste: one insertion instead of thousands, and line ends within it send nothing. An Enter behind the
 * last line stays a key.
 */
export function joinTyped(events: readonly InputEvent[]): InputEvent[] {
  const joined: InputEvent[] = [];
  let run: KeyEvent[] = [];
  for (const event of events) {
    if (textOf(event) !== undefined) {
      run.push(event as KeyEvent);
      continue;
    }
    joined.push(...settled(run), event);
    run = [];
  }
  return [...joined, ...settled(run)];
}

function settled(run: readonly KeyEvent[]): InputEvent[] {
  if (run.length <= LONGEST_TYPED) return [...run];
  const isSent = run.at(-1)?.chord === "enter";
  const pasted = isSent ? run.slice(0, -1) : run;
  const paste: InputEvent = { type: "paste", text: pasted.map((key) => textOf(key) ?? "").join(""), isCut: false };
  return isSent ? [paste, ...run.slice(-1)] : [paste];
}

/** What a key puts into a text; undefined for anything else. */
function textOf(event: InputEvent): string | undefined {
  if (event.type !== "key" || event.phase === "release") return undefined;
  if (event.chord === "enter") return "\n";
  return event.chord === "tab" ? "\t" : event.text;
}
