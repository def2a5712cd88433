import { join } from "node:path";
import type { Outcome, SessionRow, TreeRow } from "../../../interactive/services.ts";
import type { SessionEntry } from "../../../protocol/session-entries.ts";
import type { ExportForm } from "../../../sessions/export/write-export.ts";
import type { ReadSession } from "../../../sessions/read-session.ts";
import type { SessionSummary } from "../../../sessions/session-summary.ts";
import type { RunContext } from "../../run-context.ts";

const MOST_SESSIONS = 500;
const SHOWN_TEXT = 100;

/** The sessions of this folder, newest first. */
export async function listSessions({ paths: places, cwd }: RunContext, current: string): Promise<SessionRow[]> {
  const { listSessions: listed } = await import("../../../sessions/session-list.ts");
  return (await listed({ places, cwd })).slice(0, MOST_SESSIONS).map((session) => rowOf(session, current));
}

/** By the beginning of an id, otherwise by what was said in them. */
export async function searchSessions(context: RunContext, words: string, current: string): Promise<SessionRow[]> {
  const { paths: places, cwd } = context;
  const { listSessions: listed } = await import("../../../sessions/session-list.ts");
  const sessions = await listed({ places, cwd });
  const named = sessions.filter(({ id, name }) => id.startsWith(words) || name === words);
  if (named.length > 0) return named.map((session) => rowOf(session, current));
  const { searchSessions: search } = await import("../../../sessions/search-sessions.ts");
  return (await search(words, { places, sessions })).map(({ session }) => rowOf(session, current));
}

function rowOf({ id, name = "", preview, updatedAt, messageCount }: SessionSummary, current: string): SessionRow {
  return { id, name, preview, changedAt: updatedAt, messages: messageCount, isCurrent: id === current };
}

/** What people and models said, as the tree it forms. */
export async function sessionTree({ paths }: RunContext, path: string): Promise<TreeRow[]> {
  const { readSession } = await import("../../../sessions/read-session.ts");
  const { buildTree } = await import("../../../sessions/tree.ts");
  const read = await readSession(path, paths.blobs);
  if (!read.ok) return [];
  const tree = buildTree(read.entries);
  const branch = new Set(tree.pathTo(tree.lastId).map(({ id }) => id));
  const labels = labelsIn(read.entries);
  const rows: TreeRow[] = [];
  const open: { id: string | null; depth: number }[] = [{ id: null, depth: 0 }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { id, depth } = at;
    const entry = id === null ? undefined : tree.get(id);
    const text = entry === undefined ? undefined : saidIn(entry);
    if (entry !== undefined && text !== undefined)
      rows.push({ entryId: entry.id, depth, ...text, isOnBranch: branch.has(entry.id), ...labels.get(entry.id) });
    const children = tree.children(id);
    const below = children.length > 1 ? depth + 1 : depth;
    for (const child of children.toReversed()) open.push({ id: child.id, depth: below });
  }
  return rows;
}

/** The newest label of an entry counts; an empty one takes it away. */
function labelsIn(entries: readonly SessionEntry[]): Map<string, { label: string }> {
  const labels = new Map<string, { label: string }>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label === null) labels.delete(entry.targetId);
    else labels.set(entry.targetId, { label: entry.label });
  }
  return labels;
}

function saidIn(entry: SessionEntry): Pick<TreeRow, "role" | "text"> | undefined {
  if (entry.type === "compaction") return { role: "other", text: "(the conversation was shortened)" };
  if (entry.type !== "message" || entry.message.role === "tool-result") return undefined;
  const { role, content } = entry.message;
  const words = content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  const text = words.replaceAll(/\s+/g, " ").trim().slice(0, SHOWN_TEXT);
  return text === "" ? undefined : { role, text };
}

/** Into a new file in the working directory; the text of the outcome is its path. */
export async function exportSession(context: RunContext, path: string, kind: ExportForm): Promise<Outcome> {
  const { readSession } = await import("../../../sessions/read-session.ts");
  const { exportName, writeExport } = await import("../../../sessions/export/write-export.ts");
  const session = await readSession(path, context.paths.blobs);
  if (!session.ok) return session;
  const target = join(context.cwd, exportName(session.header.id, kind, context.clock.now()));
  const written = await writeExport(target, await exportedText(session, kind), false);
  return written.ok ? { ok: true, text: target } : written;
}

async function exportedText({ header, entries }: ReadSession, kind: ExportForm): Promise<string> {
  if (kind === "html") return (await import("../../../sessions/export/page.ts")).exportHtml({ header, entries }).html;
  const { currentBranch } = await import("../../../sessions/tree.ts");
  const { exportJsonl, exportMarkdown } = await import("../../../sessions/export.ts");
  return kind === "md" ? exportMarkdown({ header, entries: currentBranch(entries) }) : exportJsonl({ header, entries });
}
