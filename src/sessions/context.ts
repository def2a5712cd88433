import type { Effort } from "../protocol/effort.ts";
import type { Message, ToolCallPart, UserMessage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { settleCalls, userText } from "./settle-calls.ts";
import { currentBranch } from "./tree.ts";

/** What a session means for the next request. */
export interface SessionContext {
  /** Always valid for a provider, whatever the entries are. */
  messages: Message[];
  /** `provider/id`: the lasting choice, not one that was made for a moment. Without any, who answered last. */
  model?: string;
  effort?: Effort;
  mode?: string;
  name?: string;
  systemPrompt?: string;
  /** Calls of which nobody knows whether they took effect. They are settled in `messages` and never repeated. */
  interrupted: ToolCallPart[];
}

/** The context of the chosen branch. The name belongs to the session, whichever branch it was given on. */
export function contextOf(entries: readonly SessionEntry[], leafId?: string | null): SessionContext {
  const context = foldContext(currentBranch(entries, leafId));
  const named = entries.findLast((entry) => entry.type === "name");
  return named === undefined ? context : { ...context, name: named.name };
}

/** `branch` is the path from the root to the leaf. */
export function foldContext(branch: readonly SessionEntry[]): SessionContext {
  const { messages, interrupted } = settleCalls(keptMessages(branch));
  return { messages, ...choicesOf(branch), interrupted };
}

type Compaction = Extract<SessionEntry, { type: "compaction" }>;

function keptMessages(branch: readonly SessionEntry[]): Message[] {
  const compaction = lastCompaction(branch);
  if (compaction === undefined) return branch.flatMap(messagesOf);
  const kept = branch.slice(compaction.firstKept).flatMap(messagesOf);
  return [summaryMessage(compaction.entry), ...kept];
}

/** A compaction whose first kept entry was lost counts for nothing: sending too much is better than forgetting. */
function lastCompaction(branch: readonly SessionEntry[]): { entry: Compaction; firstKept: number } | undefined {
  for (let index = branch.length - 1; index >= 0; index--) {
    const entry = branch[index];
    if (entry?.type !== "compaction") continue;
    const firstKept = branch.findLastIndex(({ id }, place) => place <= index && id === entry.firstKeptId);
    if (firstKept !== -1) return { entry, firstKept };
  }
  return undefined;
}

function messagesOf(entry: SessionEntry): Message[] {
  if (entry.type === "message") return [entry.message];
  if (entry.type !== "branch-summary") return [];
  return [userText(`<branch_summary>\nWhat was done on a branch that was left:\n${entry.summary}\n</branch_summary>`)];
}

function summaryMessage({ summary, pinned = [] }: Compaction): UserMessage {
  const text = `<conversation_summary>\nThe conversation up to here was summarised:\n${summary}\n</conversation_summary>`;
  return { role: "user", content: [{ type: "text", text }, ...pinned] };
}

type Choices = Omit<SessionContext, "messages" | "interrupted">;

function choicesOf(branch: readonly SessionEntry[]): Choices {
  const choices: Choices = {};
  let answered: string | undefined;
  for (const entry of branch) {
    if (entry.type === "message" && entry.message.role === "assistant") {
      answered = `${entry.message.provider}/${entry.message.model}`;
    } else if (entry.type !== "message") {
      Object.assign(choices, choiceOf(entry));
    }
  }
  return choices.model === undefined && answered !== undefined ? { ...choices, model: answered } : choices;
}

function choiceOf(entry: SessionEntry): Choices {
  switch (entry.type) {
    case "model-changed":
      return entry.temporary ? {} : { model: entry.model };
    case "effort-changed":
      return { effort: entry.effort };
    case "mode-changed":
      return { mode: entry.mode };
    case "system-prompt":
      return { systemPrompt: entry.text };
    case "name":
      return { name: entry.name };
    default:
      return {};
  }
}
