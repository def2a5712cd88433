import { isNudge } from "../../agent/nudges.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import type { SessionStats } from "../../rpc/agent-port.ts";
import type { Session } from "../../sessions/session.ts";
import { sessionTotals } from "../../sessions/totals.ts";
import { currentBranch } from "../../sessions/tree.ts";

// What programs are told of the session that is open.

export interface BranchPrompt {
  entryId: string;
  parentId: string | null;
  text: string;
}

/** What the person said on the branch, oldest first. */
export function promptsIn(session: Session): BranchPrompt[] {
  return currentBranch(session.entries, session.storedLeafId).flatMap((entry) => promptOf(entry) ?? []);
}

/** Undefined for everything the person did not say. */
export function promptOf(entry: SessionEntry | undefined): BranchPrompt | undefined {
  if (entry?.type !== "message" || entry.message.role !== "user" || entry.commandIds !== undefined) return undefined;
  if (isNudge(entry.message)) return undefined;
  return { entryId: entry.id, parentId: entry.parentId, text: textOf(entry.message) };
}

function textOf({ content }: UserMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Messages of the branch; tokens and cost of all branches, because all of them were paid for. */
export function statsOf(session: Session): SessionStats {
  const counts = { userMessages: 0, assistantMessages: 0, toolCalls: 0, toolResults: 0 };
  for (const entry of currentBranch(session.entries, session.storedLeafId)) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") counts.userMessages++;
    else if (message.role === "tool-result") counts.toolResults++;
    else {
      counts.assistantMessages++;
      counts.toolCalls += message.content.filter(({ type }) => type === "tool-call").length;
    }
  }
  const { usage, cost } = sessionTotals(session.entries);
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    ...(session.path === undefined ? {} : { sessionFile: session.path }),
    sessionId: session.header.id,
    ...counts,
    totalMessages: counts.userMessages + counts.assistantMessages + counts.toolResults,
    tokens: { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite },
    ...(cost === undefined ? {} : { cost }),
  };
}

/** What was kept under this kind, oldest first. */
export function keptIn({ entries }: Session, kind: string): unknown[] {
  return [...entries.rows()].flatMap((row) => {
    const entry = entries.typeOf(row) === "custom" ? entries.read(row) : undefined;
    return entry?.type === "custom" && entry.kind === kind ? [entry.data] : [];
  });
}
