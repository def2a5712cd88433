import type { OpenCoder } from "../coder/open-coder.ts";
import type { AgentEvent, AgentOutcome, AgentTotals } from "../protocol/agent-events.ts";
import type { Message, UserMessage } from "../protocol/messages.ts";

/** How the work on a prompt ended. */
export interface PromptResult {
  /** `done`, or why not. What the outside world does is told here and never thrown. */
  outcome: AgentOutcome;
  totals: AgentTotals;
  /** The last words of the model. */
  text: string;
  /** What was handed in with `yield` during the work, in a box, because it may be anything. */
  yielded?: { value: unknown };
}

export interface WatchedWork {
  ended: Promise<PromptResult>;
  /** Nothing was begun. */
  forget(): void;
}

export interface Watching {
  coder: Pick<OpenCoder, "subscribe">;
  message: UserMessage;
  yielded(): PromptResult["yielded"];
}

/** Waits for the end of the work in which this message is answered. To be called before the message is handed over. */
export function watchWork({ coder, message: { content }, yielded }: Watching): WatchedWork {
  const ended = Promise.withResolvers<PromptResult>();
  let isBegun = false;
  let text = "";
  const stop = coder.subscribe((event: AgentEvent) => {
    // A message that waited is a copy with the same parts.
    if (event.type === "message-end" && event.message.content === content) isBegun = true;
    if (event.type === "message-end" && event.message.role === "assistant") text = textOf(event.message);
    if (event.type !== "agent-end") return;
    const { outcome, totals } = event;
    // What still waits when work is done is worked on next; otherwise it stays where it is.
    if (!isBegun && outcome.type === "done") return;
    stop();
    const value = yielded();
    ended.resolve({ outcome, totals, text, ...(value === undefined ? {} : { yielded: value }) });
  });
  return { ended: ended.promise, forget: stop };
}

function textOf({ content }: Message): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
