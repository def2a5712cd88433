import type { Effort } from "../protocol/effort.ts";
import type { ListedTask } from "../protocol/listed-tasks.ts";
import type { SessionContext } from "../sessions/context.ts";
import type { AppendEntryResult, EntryDraft, Session } from "../sessions/session.ts";

/** What a resumed session must find again to send the same bytes. */
export interface SessionChoices {
  /** `provider/id`. */
  model: string;
  effort: Effort;
  systemPrompt: string;
  mode: string;
  safe: boolean;
  advertised: readonly string[];
  tasks: readonly ListedTask[];
}

/**
 * Keeps a choice for a resume. In a session in which nothing was said yet there is nothing to keep, and a file that nobody needs
 * would be left behind: the first prompt brings all choices along.
 */
export async function keepChoice(session: Session, draft: EntryDraft): Promise<AppendEntryResult | undefined> {
  return session.leafId === null ? undefined : session.append(draft);
}

/** The entries that say what differs from what the session already knows; for a new one, everything that is not usual. */
export function entriesOfChoices(known: Partial<SessionContext>, now: SessionChoices): EntryDraft[] {
  const drafts: EntryDraft[] = [];
  if (known.model !== now.model) drafts.push({ type: "model-changed", model: now.model });
  if (known.effort !== now.effort) drafts.push({ type: "effort-changed", effort: now.effort });
  if (known.systemPrompt !== now.systemPrompt) drafts.push({ type: "system-prompt", text: now.systemPrompt });
  if ((known.mode ?? "default") !== now.mode) drafts.push({ type: "mode-changed", mode: now.mode, by: "person" });
  if ((known.safe ?? false) !== now.safe) drafts.push({ type: "safe-changed", safe: now.safe });
  if (!isSame(known.advertised ?? [], now.advertised))
    drafts.push({ type: "tools-advertised", names: [...now.advertised] });
  if (known.tasks === undefined && now.tasks.length > 0) drafts.push({ type: "tasks-changed", tasks: [...now.tasks] });
  return drafts;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}
