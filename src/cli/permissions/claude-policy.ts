import { realpathSync } from "node:fs";
import { join } from "node:path";
import {
  allowedBy,
  CLAUDE_PROJECT_FILES,
  type ClaudeFile,
  type ClaudeRules,
  claudeRules,
  readClaudeFile,
} from "../../permissions/gate/claude-settings.ts";
import type { RunContext } from "../run-context.ts";
import { projectRoot } from "../settings/load-settings.ts";
import { trustStore } from "../trust/project-trust.ts";

/**
 * What counts of Claude Code's settings: the person's own, and those of a trusted project. What a project allows counts only as it
 * was shown when its folder was trusted: a file that changed since, or that nobody was shown, takes away and allows nothing.
 */
export function claudePolicy(context: RunContext): ClaudeRules {
  const isWanted = context.settings.values["permissions.claude"] !== false;
  const project = realpathSync(projectRoot(context.cwd));
  const own = readClaudeFile(join(context.home, ".claude", "settings.json"), "~/.claude/settings.json");
  const theirs = project !== context.home && context.isTrusted() ? claudeFilesOf(project) : [];
  const { allows, digest } = allowedBy(theirs);
  const isShown = allows.length > 0 && isWanted && trustStore(context).allowsOf(project) === digest;
  const { rules, problems } = claudeRules(
    [...(isWanted ? [{ file: own, allowing: true }] : []), ...theirs.map((file) => ({ file, allowing: isShown }))],
    { workspace: realpathSync(context.cwd), project },
  );
  const [first] = isWanted && !isShown ? allows : [];
  return { rules, problems: first === undefined ? problems : [notShown(first.origin), ...problems] };
}

export function claudeFilesOf(project: string): ClaudeFile[] {
  return CLAUDE_PROJECT_FILES.map((name) => readClaudeFile(join(project, name), name));
}

function notShown(file: string): string {
  return `What ${file} allows does not count: you were not shown it as it is now. See it and accept it: ralph trust`;
}
