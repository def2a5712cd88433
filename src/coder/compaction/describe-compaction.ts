import type { CompactionResult } from "../../protocol/agent-events.ts";
import { spelled } from "../../sessions/compaction/spelled-number.ts";

/** One or two sentences for a person. */
export function describeCompaction(result: CompactionResult): string {
  switch (result.type) {
    case "promoted":
      return `The conversation goes on with ${result.model}, which has a larger window.`;
    case "summarised":
      return `${result.messages} messages were ${result.way === "server" ? "compacted by the provider" : "summarised"}: ${change(result)}. They stay in the session.`;
    case "pruned":
      return result.problem === undefined
        ? `${results(result.results)} shortened for the model: ${change(result)}.`
        : `No summary was made (${result.problem}); ${results(result.results)} shortened for the model: ${change(result)}.`;
    case "trimmed":
      return `${result.messages} old messages were left out without a summary (${result.problem}): ${change(result)}. They stay in the session.`;
    case "failed":
      return `The conversation was not shortened: ${result.problem}.`;
    case "interrupted":
      return "Compaction was stopped; the conversation is as it was.";
  }
}

function change({ tokensBefore, tokensAfter }: { tokensBefore: number; tokensAfter: number }): string {
  return `${spelled(tokensBefore)} → ${spelled(tokensAfter)} tokens`;
}

function results(count: number): string {
  return count === 1 ? "1 large tool result was" : `${count} large tool results were`;
}
