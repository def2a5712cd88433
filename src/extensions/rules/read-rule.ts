import { readFrontMatter } from "./front-matter.ts";
import { INTERRUPT_MODES, type Rule } from "./rule.ts";
import { looksLikeGlob, scopesOfGlob, splitScopes } from "./rule-scope.ts";

export interface RuleFile {
  name: string;
  path: string;
  text: string;
}

/** Fields of the wrong type are as if they were not there. `isFallback`: the head was no YAML. */
export function readRule({ name, path, text }: RuleFile): { rule: Rule; isFallback: boolean } {
  const { fields, body, isFallback } = readFrontMatter(text);
  const { condition, scope } = watching(fields);
  const interruptMode = INTERRUPT_MODES.find((mode) => mode === (fields.interruptMode ?? fields.interrupt_mode));
  const description = textIn(fields.description);
  const globs = textsIn(fields.globs);
  const rule: Rule = {
    name,
    path,
    content: body,
    ...(globs.length === 0 ? {} : { globs }),
    ...(fields.alwaysApply === true || fields.alwaysApply === "true" ? { alwaysApply: true as const } : {}),
    ...(description === undefined ? {} : { description }),
    ...(condition.length === 0 ? {} : { condition }),
    ...(scope.length === 0 ? {} : { scope }),
    ...(interruptMode === undefined ? {} : { interruptMode }),
  };
  return { rule, isFallback };
}

const CATCH_ALL = ".*";

/** A condition that is a glob means files of that kind, whatever is written into them. */
function watching(fields: Readonly<Record<string, unknown>>): { condition: string[]; scope: string[] } {
  const given = textsIn(fields.condition ?? fields.ttsr_trigger ?? fields.ttsrTrigger);
  const globs = given.filter(looksLikeGlob);
  const expressions = given.filter((text) => !looksLikeGlob(text));
  const scope = textsIn(fields.scope).flatMap(splitScopes);
  // With expressions beside the globs, those say what is looked for in these files.
  const condition = globs.length > 0 && expressions.length === 0 ? [CATCH_ALL] : expressions;
  return { condition, scope: [...scope, ...globs.flatMap(scopesOfGlob)] };
}

const MOST_TEXTS = 50;

function textsIn(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value.slice(0, MOST_TEXTS) : [value];
  return texts.flatMap((text) => textIn(text) ?? []);
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
