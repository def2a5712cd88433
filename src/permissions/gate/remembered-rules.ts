import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { asArray, asObject, asString } from "../../protocol/json.ts";
import { errorCode } from "../../system/file-failure.ts";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { acquireLock } from "../../system/lock.ts";

// What a person answered for good, by workspace. It lies with the user's data and never in the workspace: a folder somebody else
// made cannot bring answers along.

const VERSION = 1;
/** More answers than anybody gives; a file that grew beyond is not read. */
const MOST_BYTES = 4_000_000;

export interface RememberedRules {
  allow: string[];
  deny: string[];
}

/** A file that cannot be read counts for nothing that allows; `problem` says so. */
export function readRememberedRules(path: string, workspace: string): RememberedRules & { problem?: string } {
  const file = readFile(path);
  if (!file.ok) return { allow: [], deny: [], problem: file.message };
  return rulesOf(asObject(file.workspaces[workspace]));
}

function rulesOf(entry: Record<string, unknown> | undefined): RememberedRules {
  const texts = (value: unknown) => asArray(value).flatMap((item) => asString(item) ?? []);
  return { allow: texts(entry?.allow), deny: texts(entry?.deny) };
}

type RulesFile = { ok: true; workspaces: Record<string, unknown> } | { ok: false; message: string };

function readFile(path: string): RulesFile {
  try {
    const text = readFileSync(path, "utf8");
    if (text.length > MOST_BYTES) return { ok: false, message: `${path} is larger than ${MOST_BYTES} bytes.` };
    const file = asObject(JSON.parse(text));
    const workspaces = asObject(file?.workspaces);
    if (file?.version !== VERSION || workspaces === undefined)
      return { ok: false, message: `${path} is not a file of remembered permissions this Ralph can read.` };
    return { ok: true, workspaces };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { ok: true, workspaces: {} };
    return { ok: false, message: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export interface RuleToRemember {
  workspace: string;
  effect: "allow" | "deny";
  rule: string;
}

/** Resolves when it is on the disk; with a message when it could not be kept. */
export async function rememberRule(
  path: string,
  { workspace, effect, rule }: RuleToRemember,
): Promise<string | undefined> {
  const made = await ensureDirectory(dirname(path), 0o700);
  if (!made.ok) return made.message;
  const lock = await acquireLock(`${path}.lock`, { owner: "ralph", waitMs: LOCK_WAIT_MS });
  if (!lock.ok) return "the rule was not kept: another Ralph is writing the file";
  try {
    const file = readFile(path);
    if (!file.ok) return file.message;
    const before = rulesOf(asObject(file.workspaces[workspace]));
    const after = { ...before, [effect]: [...new Set([...before[effect], rule])] };
    const workspaces = { ...file.workspaces, [workspace]: after };
    const text = `${JSON.stringify({ version: VERSION, workspaces }, null, 2)}\n`;
    const written = await writeFileAtomic(path, text, { mode: 0o600 });
    return written.ok ? undefined : written.message;
  } finally {
    await lock.release();
  }
}

const LOCK_WAIT_MS = 2000;
