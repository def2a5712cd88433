import type { OpenQuestion } from "./claude-questions.ts";
import { NO_TOOLS, type OpenTools } from "./open-tools.ts";
import type { StreamedText } from "./streamed-text.ts";

export interface ClaudeState {
  /** A line was an event, so the output is JSON and what is none is not the assistant. */
  hasEvents: boolean;
  /** An event other than the result came: the conversation itself is printed. */
  isStream: boolean;
  open: OpenTools;
  /** Asked and not answered yet. */
  questions: readonly OpenQuestion[];
  hasAsked: boolean;
  /** The message whose tokens were counted last: it comes once for each of its parts. */
  counted: string | undefined;
  /** The part that is arriving in pieces. */
  stream: StreamedText | undefined;
  /** The newest limit that refused. */
  limit: { until?: string } | undefined;
  hasEnded: boolean;
}

export const CLAUDE_START: ClaudeState = {
  hasEvents: false,
  isStream: false,
  open: NO_TOOLS,
  questions: [],
  hasAsked: false,
  counted: undefined,
  stream: undefined,
  limit: undefined,
  hasEnded: false,
};
