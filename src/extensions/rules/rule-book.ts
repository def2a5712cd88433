import type { Rule } from "./rule.ts";
import list from "./rule-list.md" with { type: "text" };

// Which rule goes where: those with a condition watch answers, those that always apply stand in the prompt whole, those with a
// description are named there. The rest is for nobody.

export interface RuleBook {
  watching: readonly Rule[];
  always: readonly Rule[];
  listed: readonly Rule[];
}

export function sortRules(rules: readonly Rule[]): RuleBook {
  const quiet = rules.filter(({ condition }) => condition === undefined);
  return {
    watching: rules.filter(({ condition }) => condition !== undefined),
    always: quiet.filter(({ alwaysApply, content }) => alwaysApply && content !== ""),
    listed: quiet.filter(({ alwaysApply, description }) => !alwaysApply && description !== undefined),
  };
}

const MOST_ALWAYS_BYTES = 32 * 1024;
const MOST_LIST_BYTES = 8 * 1024;
const LONGEST_DESCRIPTION = 300;
const MOST_GLOBS = 8;

/** What stands in the prompt; `notes` say what found no room. */
export function rulesPrompt({ always, listed }: RuleBook): { text: string; notes: string[] } {
  const notes: string[] = [];
  const whole = withinBytes(always.map(wholeText), MOST_ALWAYS_BYTES);
  for (const { path } of always.slice(whole.length))
    notes.push(`The rule ${path} was left out: rules that always apply may have ${MOST_ALWAYS_BYTES} bytes together.`);
  const lines = withinBytes(listed.map(line), MOST_LIST_BYTES);
  if (lines.length < listed.length)
    notes.push(
      `${listed.length - lines.length} rules are not named to the model: their list may have ${MOST_LIST_BYTES} bytes. They can still be read as rule://<name>.`,
    );
  const named = lines.length === 0 ? [] : [`${String(list).trim()}\n${lines.join("\n")}`];
  return { text: [...whole, ...named].join("\n\n"), notes };
}

function wholeText(rule: Rule): string {
  return `<rule name="${rule.name}">\n${rule.content}\n</rule>`;
}

function line({ name, description = "", globs = [] }: Rule): string {
  const words = description.replace(/\s+/g, " ").slice(0, LONGEST_DESCRIPTION);
  const files = globs.length === 0 ? "" : ` (files: ${globs.slice(0, MOST_GLOBS).join(", ")})`;
  return `- ${name}: ${words}${files}`;
}

/** As many from the beginning as fit. */
function withinBytes(texts: readonly string[], most: number): string[] {
  let left = most;
  const fitting = texts.findIndex((text) => {
    left -= Buffer.byteLength(text) + 1;
    return left < 0;
  });
  return fitting === -1 ? [...texts] : texts.slice(0, fitting);
}

const ADDRESS = /^rule:\/\//i;

export function isRuleAddress(path: string): boolean {
  return ADDRESS.test(path.trim());
}

export type ReadRuleResult = { ok: true; content: string; contentType: string } | { ok: false; message: string };

/** What `rule://<name>` holds. Rules that watch are not read: they come by themselves. */
export function readRuleAddress({ always, listed }: RuleBook, url: string): ReadRuleResult {
  const name = url.trim().replace(ADDRESS, "");
  const readable = [...always, ...listed];
  const rule = readable.find((candidate) => candidate.name === name || candidate.name === decoded(name));
  if (rule !== undefined) return { ok: true, content: rule.content, contentType: "text/markdown" };
  const names = readable.map((candidate) => candidate.name).join(", ");
  return { ok: false, message: `There is no rule "${name}". There is: ${names}.` };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
