import { join } from "node:path";
import { asObject, asString, parseJson } from "../protocol/json.ts";
import { ensureDirectory, writeFileAtomic } from "../system/files.ts";
import { readTextFile } from "../system/text-file.ts";
import type { SummaryContent } from "./session-summary.ts";

// What was found out about session files, so that a list need not read them all again. It is only a cache: whatever is wrong
// with it, the sessions themselves are read instead, and a row counts only for the size and time it was made for.

export interface IndexRow {
  size: number;
  modified: number;
  summary: SummaryContent;
}

/** By the path of the session file. */
export type SessionIndex = Map<string, IndexRow>;

const VERSION = 2;
const MAX_BYTES = 64 * 1024 * 1024;

export function readIndex(cacheDirectory: string): SessionIndex {
  const file = readTextFile(indexPath(cacheDirectory), { maxBytes: MAX_BYTES });
  const content = file.ok ? asObject(parseJson(file.text)) : undefined;
  const rows = content?.version === VERSION ? asObject(content.rows) : undefined;
  return new Map(Object.entries(rows ?? {}).filter((row): row is [string, IndexRow] => isRow(row[1])));
}

/** Nobody waits for a cache that cannot be written. */
export async function writeIndex(cacheDirectory: string, index: SessionIndex): Promise<void> {
  const made = await ensureDirectory(cacheDirectory, 0o700);
  if (!made.ok) return;
  const content = JSON.stringify({ version: VERSION, rows: Object.fromEntries(index) });
  await writeFileAtomic(indexPath(cacheDirectory), content, { mode: 0o600 });
}

function indexPath(cacheDirectory: string): string {
  return join(cacheDirectory, "sessions.json");
}

function isRow(value: unknown): value is IndexRow {
  const row = asObject(value);
  const summary = asObject(row?.summary);
  if (typeof row?.size !== "number" || typeof row.modified !== "number" || summary === undefined) return false;
  const { id, cwd, at, preview, messageCount } = summary;
  const hasTexts = [id, cwd, at, preview].every((text) => asString(text) !== undefined);
  const hasOptions = [summary.name, summary.model, summary.parentSession].every(
    (text) => text === undefined || typeof text === "string",
  );
  const hasCost = summary.cost === undefined || typeof summary.cost === "number";
  return hasTexts && hasOptions && hasCost && typeof messageCount === "number";
}
