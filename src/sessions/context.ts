import type { Effort } from "../protocol/effort.ts";
import type { ListedTask } from "../protocol/listed-tasks.ts";
import type { Message, ToolCallPart, UserMessage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { type Compaction, type HistoryReader, type HistoryView, historyView } from "./compaction/history-view.ts";
import { type EntryList, lastOfType } from "./entries/entry-list.ts";
import { neededBranch } from "./entries/needed-branch.ts";
import { type Settled, settleCalls } from "./settle-calls.ts";

/** What a session means for the next request. */
export interface SessionContext {
  /** Always valid for a provider, whatever the entries are. */
  messages: Message[];
  /** `provider/id`: the lasting choice, not one that was made for a moment. Without any, who answered last. */
  model?: string;
  effort?: Effort;
  mode?: string;
  /** Whether the mode is the person's choice. */
  modeIsChosen?: boolean | undefined;
  safe?: boolean;
  name?: string;
  systemPrompt?: string;
  /** The names of the tools the model sees, in their order. */
  advertised?: string[];
  tasks?: ListedTask[];
  /** Calls of which nobody knows whether they took effect. They are settled in `messages` and never repeated. */
  interrupted: ToolCallPart[];
}

/**
 * The context of the chosen branch, for the model that is to read it; without one, for somebody who looks. The name belongs to the
 * session, whichever branch it was given on.
 */
export function contextOf(entries: EntryList, leafId?: string | null, reader?: HistoryReader): SessionContext {
  const first = (branch: readonly SessionEntry[]) => historyView(branch, reader).items[0]?.entryId;
  const context = foldContext(neededBranch(entries, leafId, first), reader);
  const named = lastOfType(entries, "name");
  return named === undefined ? context : { ...context, name: named.name };
}

/** `branch` is the path from the root to the leaf. */
export function foldContext(branch: readonly SessionEntry[], reader?: HistoryReader): SessionContext {
  const { messages, interrupted } = viewedMessages(historyView(branch, reader));
  return { messages, ...choicesOf(branch), interrupted };
}

/** What a view says to a provider. */
export function viewedMessages({ compaction, items }: HistoryView): Settled {
  const kept = items.map(({ message }) => message);
  return settleCalls(compaction === undefined ? kept : [summaryMessage(compaction), ...kept]);
}

function summaryMessage({ summary, pinned = [], server }: Compaction): UserMessage {
  if (server !== undefined)
    return { role: "user", content: [{ type: "text", text: COMPACTED }, ...pinned], compacted: server };
  const text = `<conversation_summary>\nThe conversation up to here was summarised:\n${summary}\n</conversation_summary>`;
  return { role: "user", content: [{ type: "text", text }, ...pinned] };
}

const COMPACTED =
  "<conversation_summary>\nThe conversation up to here was compacted. What follows here was kept word for word.\n</conversation_summary>";

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
      return { mode: entry.mode, modeIsChosen: entry.by === "person" || undefined };
    case "safe-changed":
      return { safe: entry.safe };
    case "tools-advertised":
      return { advertised: entry.names };
    case "tasks-changed":
      return { tasks: entry.tasks };
    case "system-prompt":
      return { systemPrompt: entry.text };
    case "name":
      return { name: entry.name };
    default:
      return {};
  }
}
