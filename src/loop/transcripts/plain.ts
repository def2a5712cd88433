import type { AgentLine, TranscriptAdapter } from "./adapter.ts";
import { NO_EVENTS, textEvent } from "./make-event.ts";

// An agent whose output is only text: what it prints is what it says, what it complains about is system text.

export const PLAIN_ADAPTER: TranscriptAdapter<null> = {
  name: "plain",
  capabilities: { roles: false, toolEvents: false, usageEvents: false, promptHiding: false },
  start: () => null,
  step: (state, line) => ({ state, events: [plainText(line)] }),
  flush: (state) => ({ state, events: NO_EVENTS }),
};

/** The error stream is never the assistant: agents echo their prompt there, and a prompt holds the marker. */
export function plainText({ text, stream }: AgentLine) {
  return textEvent(stream === "stdout" ? "AI" : "SYS", text);
}
