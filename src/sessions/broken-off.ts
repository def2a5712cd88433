import type { BrokenOff } from "../protocol/agent-state.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";

/**
 * How a conversation ends that did not come to its end. `back` are the entries from the last one to the root, `calls` what the
 * model had begun to call when Ralph was killed.
 */
export function brokenOff(back: Iterable<SessionEntry>, calls: readonly string[] = []): BrokenOff | undefined {
  const what = whatBroke(back);
  if (what === undefined) return undefined;
  const names = [...new Set(calls)].slice(0, MOST_NAMED).join(", ");
  const begun = names === "" ? "" : ` It had begun to write a call of ${names}, which was not run.`;
  const { happened, rest } = WORDS[what];
  return { what, text: `${happened}${begun} Say "go on" ${rest}, or say what to do instead.` };
}

const MOST_NAMED = 3;

const WORDS: Record<BrokenOff["what"], { happened: string; rest: string }> = {
  answer: { happened: "The last answer broke off; what had arrived of it is kept.", rest: "to have the rest" },
  prompt: { happened: "The last prompt has no answer yet.", rest: "to have one" },
  work: { happened: "The work on the last prompt broke off.", rest: "to have it finished" },
};

function whatBroke(back: Iterable<SessionEntry>): BrokenOff["what"] | undefined {
  for (const entry of back) {
    if (entry.type === "rules-injected" && entry.message !== undefined) return "work";
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "assistant") return brokenAnswer(message);
    return message.role === "user" ? "prompt" : "work";
  }
  return undefined;
}

function brokenAnswer({ stopReason }: AssistantMessage): BrokenOff["what"] | undefined {
  if (stopReason === "cut") return "answer";
  return stopReason === "tool-use" || stopReason === "pause" ? "work" : undefined;
}
