import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { RunContext } from "../run-context.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { settingFlags } from "../settings/setting-flags.ts";
import { trustOf } from "../trust/project-trust.ts";

export interface FolderWish {
  cwd: string;
  /** The session to go on with; a new one where it is undefined. */
  sessionId: string | undefined;
  note(text: string): void;
}

export type ContextIn = { ok: true; context: RunContext } | { ok: false; message: string };

/** The same run in another folder, with the settings and the trust that count there. */
export async function contextIn(context: RunContext, { cwd, sessionId, note }: FolderWish): Promise<ContextIn> {
  if (!isAbsolute(cwd)) return { ok: false, message: `The folder must be absolute, not "${cwd}".` };
  if (!isFolder(cwd)) return { ok: false, message: `${cwd} is not a folder.` };
  const { paths, environment, memo, clock } = context;
  const flags = new Map(context.arguments.flags);
  if (sessionId !== undefined) flags.set("resume", sessionId);
  const given = { ...context.arguments, flags };
  const isTrusted = flags.has("trust") ? () => true : trustOf({ cwd, paths, clock });
  const settings = await loadSettings({ paths, cwd, environment, flags: settingFlags(given), memo, isTrusted });
  return { ok: true, context: { ...context, arguments: given, cwd, settings, isTrusted, note } };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
