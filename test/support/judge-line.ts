import { posix } from "node:path";
import { analyseCommand } from "../../src/permissions/shell/analyse-command.ts";
import { type CommandDecision, judgeCommand, type PathClass } from "../../src/permissions/shell/judge-command.ts";
import { readRule } from "../../src/permissions/shell/rules.ts";

// A command judged as `ralph permissions check` would, in a workspace that is not on disk.

export const WORKSPACE = "/w/project";
export const HOME = "/home/dev";

export interface JudgedLine {
  command: string;
  cwd?: string;
  allow_rules: unknown[];
}

export function judgeLine({ command, cwd = WORKSPACE, allow_rules }: JudgedLine): CommandDecision {
  const rules = allow_rules.flatMap((rule) => readRule(rule) ?? []);
  return judgeCommand(analyseCommand(command, { cwd, home: HOME }), rules, { home: HOME, classifyPath: lexicalClass });
}

export function lexicalClass(path: string): PathClass {
  const way = posix.relative(WORKSPACE, path);
  if (way === ".." || way.startsWith("../")) return "external";
  const parts = way.split("/");
  if (parts.some((part) => /^\.env(\..*)?$/i.test(part))) return "protected";
  if (/^\.git\/(hooks|config)(\/|$)/i.test(way) || /^\.(ralph|vscode)(\/|$)/i.test(way)) return "protected";
  return "inside";
}
