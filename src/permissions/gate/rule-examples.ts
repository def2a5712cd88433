import { analyseCommand } from "../shell/analyse-command.ts";
import { matchesHost, matchesMcp, matchesPath, matchesSegment } from "./match-rule.ts";
import type { PermissionRule } from "./permission-rule.ts";

export interface RuleExamples {
  /** What the rule must be about. */
  match: readonly string[];
  not_match: readonly string[];
}

/** A rule carries its own tests: what is wrong with it by them, if anything is. */
export function ruleFailure(rule: PermissionRule, { match, not_match }: RuleExamples): string | undefined {
  const missed = match.find((example) => !isAbout(rule, example));
  if (missed !== undefined) return `${rule.text} is not used: it does not match its example "${missed}"`;
  const caught = not_match.find((example) => isAbout(rule, example));
  return caught === undefined ? undefined : `${rule.text} is not used: it matches "${caught}", which it should not`;
}

const PLACES = { root: "/workspace", home: "/home", isOnDisk: false };

/** An example is a command, a path, an address or `server:tool`, whatever the rule speaks of. */
function isAbout(rule: PermissionRule, example: string): boolean {
  switch (rule.body.type) {
    case "command":
    case "every-command":
      return analyseCommand(example, { cwd: PLACES.root, home: PLACES.home }).segments.some((segment) =>
        matchesSegment(rule, segment),
      );
    case "path":
      return matchesPath(rule, example.startsWith("/") ? example : `${PLACES.root}/${example}`, PLACES);
    case "host":
      return URL.canParse(example) && matchesHost(rule, new URL(example));
    case "mcp":
      return matchesMcp(rule, example);
    case "category":
      return true;
    case "resource":
      return rule.body.pattern.test(example);
  }
}
