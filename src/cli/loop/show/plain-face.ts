import type { LoopNews } from "../../../loop/loop-news.ts";
import { entryLines } from "./entry-lines.ts";
import type { Signs } from "./signs.ts";
import {
  lastTranscriptLines,
  NEW_TRANSCRIPT,
  type TranscriptState,
  type TranscriptView,
  transcriptLines,
} from "./transcript-lines.ts";

export interface PlainView extends TranscriptView {
  signs: Signs;
  showFinal: boolean;
}

/** Everything as lines, each written once: for pipes, logs, screen readers and small terminals. */
export function createPlainFace(view: PlainView, write: (text: string) => void): (news: LoopNews) => void {
  let state: TranscriptState = NEW_TRANSCRIPT;
  const say = (lines: readonly string[]) => {
    if (lines.length > 0) write(`${lines.join("\n")}\n`);
  };
  return (news) => {
    if (news.type === "line") {
      if (view.raw) say([news.line.text]);
      else state = showEvents(state, news, { view, say });
      return;
    }
    const { entry } = news;
    if (entry.type === "agent-ended") {
      say(lastTranscriptLines(state));
      state = NEW_TRANSCRIPT;
      if (view.showFinal && entry.finalMessage !== "") say(["", entry.finalMessage, ""]);
    }
    say(entryLines(entry, view.signs));
  };
}

interface Showing {
  view: PlainView;
  say: (lines: readonly string[]) => void;
}

function showEvents(
  state: TranscriptState,
  news: Extract<LoopNews, { type: "line" }>,
  { view, say }: Showing,
): TranscriptState {
  let next = state;
  for (const event of news.events) {
    const step = transcriptLines(next, event, { view, signs: view.signs });
    next = step.state;
    say(step.lines);
  }
  return next;
}
