import type { SessionEntry } from "../../protocol/session-entries.ts";

// The small lines between messages: what was chosen, shortened or taken back.

export interface NoteWords {
  text: string;
  /** Markdown that stands behind it, folded. */
  more?: string | undefined;
  /** What a program printed, folded too. */
  output?: string | undefined;
}

/** Undefined for entries a reader has no use for. */
export function noteOf(entry: SessionEntry): NoteWords | undefined {
  switch (entry.type) {
    case "model-changed":
      return { text: `Model: ${entry.model}${entry.temporary === true ? ", for the moment" : ""}` };
    case "effort-changed":
      return { text: `Effort: ${entry.effort}` };
    case "mode-changed":
      return { text: `Mode: ${entry.mode}${entry.by === "model" ? ", chosen by the model" : ""}` };
    case "safe-changed":
      return { text: entry.safe ? "Only tools that look" : "All tools" };
    case "compaction":
      return { text: shortenedText(entry), more: entry.summary };
    case "pruned":
      return { text: `Old results were shortened for the model: ${fromTo(entry.tokensBefore, entry.tokensAfter)}` };
    case "compaction-failed":
      return { text: `The conversation could not be shortened: ${entry.reason}` };
    case "compaction-undone":
      return { text: "The shortening was taken back" };
    case "command":
      return { text: `You ran: ${entry.command} (${entry.ending})`, output: entry.output };
    case "branch-summary":
      return { text: "Summary of another branch", more: entry.summary };
    case "rules-injected":
      return {
        text: `The model was told of the rules it broke: ${entry.names.join(", ")}`,
        ...(entry.message === undefined ? {} : { more: textIn(entry.message.content) }),
      };
    case "undo-started":
      return { text: "What a turn changed in files was taken back" };
    case "queued":
      return { text: "A message waited here and was not sent", more: textIn(entry.message.content) };
    default:
      return undefined;
  }
}

function shortenedText({
  tokensBefore,
  tokensAfter,
}: {
  tokensBefore: number;
  tokensAfter?: number | undefined;
}): string {
  return `The conversation was shortened for the model: ${fromTo(tokensBefore, tokensAfter)}`;
}

function fromTo(before: number, after: number | undefined): string {
  const written = (value: number) => value.toLocaleString("en-US");
  return after === undefined ? `${written(before)} tokens before` : `${written(before)} → ${written(after)} tokens`;
}

function textIn(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text = "[picture]" }) => text).join("\n\n");
}
