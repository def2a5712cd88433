import type { Message } from "../protocol/messages.ts";
import { readStoredSession, type SessionFailure } from "./read-session.ts";
import { sessionTotals } from "./totals.ts";

/** What a list shows of a session. */
export interface SessionSummary {
  id: string;
  path: string;
  cwd: string;
  /** When it began; ISO 8601. */
  at: string;
  /** When it was last written to; wall clock, milliseconds. */
  updatedAt: number;
  name?: string;
  /** The beginning of the first thing a person said, on one line. */
  preview: string;
  /** Of people and models, on all branches. */
  messageCount: number;
  /** Who answered last, as `provider/id`. */
  model?: string;
  parentSession?: string;
  /** US dollars, of the answers whose price was known; absent when there was none. */
  cost?: number;
}

export type SummaryContent = Omit<SessionSummary, "path" | "updatedAt">;

const PREVIEW_LENGTH = 120;

export async function summarizeSession(
  path: string,
): Promise<({ ok: true } & { summary: SummaryContent }) | SessionFailure> {
  const read = await readStoredSession(path);
  if (!read.ok) return read;
  const { id, cwd, at, parentSession } = read.header;
  const { cost } = sessionTotals(read.entries);
  const summary: SummaryContent = {
    id,
    cwd,
    at,
    preview: "",
    messageCount: 0,
    ...(parentSession && { parentSession }),
    ...(cost !== undefined && { cost }),
  };
  for (const entry of read.entries) {
    if (entry.type === "name") summary.name = entry.name;
    if (entry.type === "model-changed" && !entry.temporary) summary.model = entry.model;
    if (entry.type !== "message" || entry.message.role === "tool-result" || entry.commandIds !== undefined) continue;
    summary.messageCount++;
    if (entry.message.role === "assistant") summary.model = `${entry.message.provider}/${entry.message.model}`;
    else if (summary.preview === "") summary.preview = previewOf(entry.message, entry.blobs?.length ?? 0);
  }
  return { ok: true, summary };
}

function previewOf(message: Message, blobs: number): string {
  const words = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  const line = words.replaceAll(/\s+/g, " ").trim();
  if (line === "" && blobs > 0) return "[a long text or a picture]";
  return [...line.slice(0, PREVIEW_LENGTH * 2)].slice(0, PREVIEW_LENGTH).join("");
}
