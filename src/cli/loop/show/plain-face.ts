import type { LoopNews } from "../../../loop/loop-news.ts";
import {
  type CalloutState,
  calloutLines,
  calloutsOf,
  foldCallouts,
  startCallouts,
} from "../../../loop/transcripts/callouts.ts";
import type { TokenPrices } from "../../../loop/transcripts/usage-cost.ts";
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
  /** The agent's lines as they come instead of what they mean. */
  raw: boolean;
  signs: Signs;
  /** The task's name. */
  task: string;
  showFinal: boolean;
  prices: TokenPrices;
}

export interface PlainOutput {
  /** Lines of Ralph's own. */
  say(text: string): void;
  /** Lines as the agent printed them. */
  repeat(text: string): void;
}

type LineNews = Extract<LoopNews, { type: "line" }>;

/** Everything as lines, each written once: for pipes, logs, screen readers and small terminals. */
export function createPlainFace(view: PlainView, output: PlainOutput): (news: LoopNews) => void {
  let state: TranscriptState = NEW_TRANSCRIPT;
  let callouts: CalloutState | undefined;
  const say = (lines: readonly string[]) => {
    if (lines.length > 0) output.say(`${lines.join("\n")}\n`);
  };
  const showEvents = ({ events, capabilities }: LineNews) => {
    callouts ??= startCallouts(capabilities, view.prices);
    for (const event of events) {
      callouts = foldCallouts(callouts, event);
      const step = transcriptLines(state, event, { view, signs: view.signs, hidesPrompt: capabilities.promptHiding });
      state = step.state;
      if (!view.raw) say(step.lines);
    }
  };
  /** What an iteration leaves unsaid, and its summaries. */
  const endTranscript = (finalMessage: string) => {
    if (!view.raw) say(lastTranscriptLines(state));
    if (callouts !== undefined) say(calloutLines(calloutsOf(callouts)));
    state = NEW_TRANSCRIPT;
    callouts = undefined;
    if (view.showFinal && finalMessage !== "") say(["", finalMessage, ""]);
  };
  return (news) => {
    if (news.type === "line") {
      if (view.raw) output.repeat(`${news.line.text}\n`);
      showEvents(news);
      return;
    }
    if (news.entry.type === "agent-ended") endTranscript(news.entry.finalMessage);
    say(entryLines(news.entry, view));
  };
}
