import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import type { AdapterOptions } from "./adapter.ts";
import { textEvent } from "./make-event.ts";

// Codex prints the prompt before it begins. Lines equal to the prompt are hidden, whatever they hold: a role word or the marker in
// the prompt says nothing about the agent.

export interface PromptEcho {
  lines: readonly string[];
  /** The line that is expected next. */
  next: number;
  isShown: boolean;
  progressEvery: number;
}

const DEFAULT_PROGRESS_EVERY = 50;

export function startEcho({ prompt, showPrompt, promptProgressEvery }: AdapterOptions): PromptEcho {
  const lines = prompt.trimEnd().split("\n");
  return {
    lines: prompt.trim() === "" ? [] : lines,
    next: 0,
    isShown: showPrompt ?? false,
    progressEvery: promptProgressEvery ?? DEFAULT_PROGRESS_EVERY,
  };
}

export function isEchoing({ next, lines }: PromptEcho): boolean {
  return next < lines.length;
}

export type EchoStep =
  | { type: "same"; echo: PromptEcho; events: TranscriptEvent[] }
  /** Not the prompt: the line is read like any other, and nothing is hidden from here on. */
  | { type: "different"; echo: PromptEcho; events: TranscriptEvent[] };

export function stepEcho(echo: PromptEcho, line: string): EchoStep {
  const { lines, next, isShown } = echo;
  if (lines[next]?.trimEnd() === line.trimEnd()) {
    const events = isShown ? [textEvent("PROMPT", line)] : notesOf(echo);
    return { type: "same", echo: { ...echo, next: next + 1 }, events };
  }
  const note = `The prompt that Codex shows differs from the one it was given at line ${next + 1}: from here on it is shown.`;
  return { type: "different", echo: { ...echo, next: lines.length }, events: isShown ? [] : [textEvent("SYS", note)] };
}

function notesOf({ lines, next, progressEvery }: PromptEcho): TranscriptEvent[] {
  const count = next + 1;
  const isLast = count === lines.length;
  const isProgress = progressEvery > 0 && count % progressEvery === 0 && !isLast;
  return [
    ...(next === 0 ? [`The prompt (${counted(lines.length)}) is hidden.`] : []),
    ...(isProgress ? [`${count.toLocaleString("en")} of ${counted(lines.length)} of the prompt.`] : []),
    ...(isLast ? [`End of the prompt: ${counted(count)} hidden.`] : []),
  ].map((text) => textEvent("PROMPT", text));
}

function counted(lines: number): string {
  return `${lines.toLocaleString("en")} ${lines === 1 ? "line" : "lines"}`;
}
