import { stat } from "node:fs/promises";
import { createFile } from "../../system/create-file.ts";
import type { FileFailure } from "../../system/file-failure.ts";
import { writeFileAtomic } from "../../system/files.ts";

/** Others need not read what was said. */
const PRIVATE = 0o600;

export type ExportForm = "html" | "md" | "jsonl";

/** What an exported session is called where nobody said it; `now` in milliseconds. */
export function exportName(id: string, form: ExportForm, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[:T]/g, "-");
  return `ralph-${id}-${time}.${form}`;
}

/** The whole text or nothing. A file that is there stays as it is, or is replaced and keeps its own rights. */
export async function writeExport(
  path: string,
  text: string,
  mayReplace: boolean,
): Promise<{ ok: true } | FileFailure> {
  if (mayReplace) {
    const exists = (await stat(path).catch(() => undefined)) !== undefined;
    return writeFileAtomic(path, text, exists ? {} : { mode: PRIVATE });
  }
  const created = await createFile(path, text, PRIVATE);
  if (!created.ok || created.isNew) return created.ok ? { ok: true } : created;
  return { ok: false, reason: "exists", message: `${path} is there already.` };
}
