import { createAutomaton, type PatternAutomaton } from "./pattern-automaton.ts";
import { type PatternTree, parsePattern } from "./pattern-syntax.ts";
import type { Rule } from "./rule.ts";
import { DEFAULT_SCOPES, parseScope, type Scope } from "./rule-scope.ts";

/** A rule whose conditions are ready to be looked for. */
export interface WatchedRule {
  rule: Rule;
  scopes: readonly Scope[];
  automaton: PatternAutomaton;
}

/** More would make every piece of an answer slow. */
const MOST_WATCHED = 50;

/** Conditions and scopes nobody can read are left out with a note, and so is a rule that has none left. */
export function prepareRules(rules: readonly Rule[]): { watched: WatchedRule[]; notes: string[] } {
  const notes: string[] = [];
  const watched: WatchedRule[] = [];
  for (const rule of rules) {
    const prepared = watched.length < MOST_WATCHED ? prepare(rule, notes) : undefined;
    if (prepared !== undefined) watched.push(prepared);
  }
  if (rules.length > MOST_WATCHED)
    notes.push(
      `${rules.length} rules have conditions. Only the first ${MOST_WATCHED} that can be used are watched for.`,
    );
  return { watched, notes };
}

function prepare(rule: Rule, notes: string[]): WatchedRule | undefined {
  const scopes = scopesOf(rule, notes);
  const patterns = (rule.condition ?? []).flatMap((condition) => patternOf(condition, rule, notes));
  if (scopes.length === 0 || patterns.length === 0) return undefined;
  const result = createAutomaton(patterns);
  if (result.ok) return { rule, scopes, automaton: result.automaton };
  notes.push(`The condition of the rule ${rule.path} cannot be used: ${result.message}.`);
  return undefined;
}

function scopesOf({ scope, path }: Rule, notes: string[]): readonly Scope[] {
  if (scope === undefined) return DEFAULT_SCOPES;
  return scope.flatMap((token) => {
    const parsed = parseScope(token);
    if (parsed === undefined)
      notes.push(
        `The scope "${token}" of the rule ${path} is not known. Known are text, thinking, tool, tool:<name>, <name>(glob).`,
      );
    return parsed ?? [];
  });
}

function patternOf(condition: string, { path }: Rule, notes: string[]): PatternTree[] {
  const parsed = parsePattern(condition);
  if (parsed.ok) return [parsed.tree];
  notes.push(`The condition "${condition.slice(0, 80)}" of the rule ${path} cannot be used: ${parsed.message}.`);
  return [];
}
