import type { Cheat } from "../../protocol/loop-entries.ts";
import type { CheckResult } from "../../protocol/receipts.ts";

// What the harness found after the last try, told to the agent that tries next.

const MOST_CHECKS = 5;
const LONGEST_TAIL = 2000;
const LONGEST_COMMAND = 500;
const MOST_CHEATS = 10;

export interface PromptFeedback {
  failed: readonly CheckResult[];
  cheats: readonly Cheat[];
  /** Sentences of the harness: nothing was changed, the time was up … */
  remarks: readonly string[];
}

/** Empty where there is nothing to tell. What checks printed is fenced: it is data, whatever it says. */
export function describeFeedback({ failed, cheats, remarks }: PromptFeedback): string {
  const more = failed.length - MOST_CHECKS;
  const pieces = [
    ...remarks.map(oneLine),
    ...failed.slice(0, MOST_CHECKS).map(describeCheck),
    ...(more > 0 ? [`${more} more checks failed.`] : []),
    ...(cheats.length === 0 ? [] : [describeCheats(cheats)]),
  ];
  return pieces.length === 0 ? "" : ["## What happened last time", ...pieces].join("\n\n");
}

function describeCheck({ command, exit, passesWithout, tail }: CheckResult): string {
  const shown = fenced(cut(command, LONGEST_COMMAND));
  if (exit === 0 && passesWithout === true)
    return `This check passes without your work too, so it proves nothing:\n${shown}`;
  const ending = exit === 124 ? "was ended because its time was up" : `ended with exit code ${exit}`;
  const printed = tail.trim() === "" ? "It printed nothing." : `The end of what it printed:\n${fenced(lastOf(tail))}`;
  return `This check ${ending}:\n${shown}\n${printed}`;
}

function describeCheats(cheats: readonly Cheat[]): string {
  const lines = cheats.slice(0, MOST_CHEATS).map(({ detail }) => `- ${oneLine(detail)}`);
  return [
    "The last try also did this. It was put back or did not count, and the person who started the run is told; do the work instead:",
    ...lines,
  ].join("\n");
}

function fenced(text: string): string {
  const clean = text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, "");
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${clean.trimEnd()}\n${fence}`;
}

function lastOf(text: string): string {
  return text.length > LONGEST_TAIL ? `…${text.slice(-LONGEST_TAIL)}` : text;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function oneLine(text: string): string {
  return cut(text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, " "), LONGEST_COMMAND);
}
