import { asArray, asObject, asString } from "../../protocol/json.ts";
import { readTextFile } from "../../system/text-file.ts";
import { type ClaudeEntry, type ClaudePlaces, readClaudeRule } from "./claude-rule.ts";
import type { PermissionRule, RuleEffect } from "./permission-rule.ts";

// The `permissions` block of Claude Code's settings files. Nothing else in them counts.

/** Of a project, in its top folder. */
export const CLAUDE_PROJECT_FILES: readonly string[] = [".claude/settings.json", ".claude/settings.local.json"];

/** A file as it was read, once. */
export type ClaudeFile = { shown: string } & ({ ok: true; entries: ClaudeEntry[] } | { ok: false; message: string });

/** Rules of settings that were read, and what of them does not count. */
export interface ClaudeRules {
  rules: PermissionRule[];
  problems: string[];
}

const MOST_BYTES = 1_000_000;
const MOST_RULES = 1000;
const EFFECTS: readonly RuleEffect[] = ["deny", "ask", "allow"];

/** `shown` is how it is named to a person. A file that is not there says nothing. */
export function readClaudeFile(path: string, shown: string): ClaudeFile {
  const file = readTextFile(path, { maxBytes: MOST_BYTES });
  if (!file.ok)
    return file.reason === "missing"
      ? { shown, ok: true, entries: [] }
      : { shown, ok: false, message: file.message.replace(/\.$/, "") };
  return { shown, ...entriesIn(file.text, shown) };
}

/**
 * What files say; those that are `allowing` may also allow. One that cannot be read may deny anything, so everything but looking
 * is asked about.
 */
export function claudeRules(
  files: readonly { file: ClaudeFile; allowing: boolean }[],
  places: ClaudePlaces,
): ClaudeRules {
  const read = files.map(({ file, allowing }) => rulesOf(file, allowing, places));
  return { rules: read.flatMap(({ rules }) => rules), problems: read.flatMap(({ problems }) => problems) };
}

/** What files allow, and its digest: another list is known to be another one. */
export function allowedBy(files: readonly ClaudeFile[]): { allows: ClaudeEntry[]; digest: string } {
  const entries = files.flatMap((file) => (file.ok ? file.entries : []));
  const allows = entries.filter(({ effect }) => effect === "allow");
  const text = JSON.stringify(allows.map(({ text: rule, origin }) => [origin, rule]));
  return { allows, digest: Bun.SHA256.hash(text, "hex") };
}

function rulesOf(file: ClaudeFile, allowing: boolean, places: ClaudePlaces): ClaudeRules {
  if (!file.ok) {
    const { rules } = readClaudeRule({ text: "permissions", effect: "ask", origin: file.shown }, places);
    return { rules, problems: [`${file.message}, so everything but looking is asked about. Correct it`] };
  }
  const counted = file.entries.filter(({ effect }) => effect !== "allow" || allowing);
  const readings = counted.map((entry) => readClaudeRule(entry, places));
  return {
    rules: readings.flatMap(({ rules }) => rules),
    problems: readings.flatMap(({ problem }) => problem ?? []),
  };
}

type Entries = { ok: true; entries: ClaudeEntry[] } | { ok: false; message: string };

function entriesIn(text: string, shown: string): Entries {
  const document = parsed(text);
  if (document === undefined) return { ok: false, message: `${shown} is not a JSON object` };
  if (document.permissions === undefined) return { ok: true, entries: [] };
  const block = asObject(document.permissions);
  if (block === undefined) return { ok: false, message: `permissions of ${shown} is no object` };
  const entries: ClaudeEntry[] = [];
  for (const effect of EFFECTS) {
    const texts = textsOf(block[effect]);
    if (texts === undefined) return { ok: false, message: `${effect} of ${shown} is no list of rules` };
    entries.push(...texts.map((rule) => ({ text: rule, effect, origin: shown })));
  }
  return entries.length > MOST_RULES
    ? { ok: false, message: `${shown} has more than ${MOST_RULES} rules` }
    : { ok: true, entries };
}

/** Comments are let pass, as Claude Code does. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(Bun.JSONC.parse(text.replace(/^\uFEFF/, "")));
  } catch {
    return undefined;
  }
}

function textsOf(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  const texts = asArray(value).flatMap((text) => asString(text) ?? []);
  return Array.isArray(value) && texts.length === value.length ? texts : undefined;
}
