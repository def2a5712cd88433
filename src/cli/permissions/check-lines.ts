import * as z from "zod";
import { createPathClassifier, type PathClassifier } from "../../permissions/paths/classify-path.ts";
import type { PathClass, PathOperation } from "../../permissions/paths/path-request.ts";
import { analyseCommand } from "../../permissions/shell/analyse-command.ts";
import type { PathUseKind } from "../../permissions/shell/command-analysis.ts";
import { judgeCommand } from "../../permissions/shell/judge-command.ts";
import { readRule } from "../../permissions/shell/rules.ts";
import type { RunContext } from "../run-context.ts";
import type { LineAnswer } from "./json-lines.ts";

const checkLine = z.object({
  command: z.string(),
  workspace: z.string().startsWith("/").optional(),
  cwd: z.string().startsWith("/").optional(),
  allow_rules: z.array(z.unknown()).optional(),
});

/**
 * Answers the lines of `ralph permissions check`. Only the rules of the line are in force, with what no rule allows and the
 * limits of the workspace. A rule nobody can read allows nothing.
 */
export function createCheckAnswers({ home, paths, clock, cwd: here }: RunContext): (value: unknown) => LineAnswer {
  const classify = createPathClassifier({ home, own: paths, now: clock.now });
  return (value) => {
    const line = checkLine.safeParse(value);
    if (!line.success) return { decision: "deny", reason: `not a request: ${problemsOf(line.error)}` };
    const { command, workspace = here, cwd = workspace, allow_rules = [] } = line.data;
    const rules = allow_rules.map(readRule).filter((rule) => rule !== undefined);
    const analysis = analyseCommand(command, { cwd, home });
    return { ...judgeCommand(analysis, rules, { home, classifyPath: pathJudge(classify, workspace) }) };
  };
}

function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}

const OPERATIONS: Record<PathUseKind, PathOperation> = {
  read: "read",
  look: "read",
  write: "write",
  execute: "read",
  enter: "read",
};

function pathJudge(classify: PathClassifier, workspace: string) {
  const classOf = (path: string, op: PathOperation) => classify({ workspace, op, path }).class;
  const known = new Map<string, PathClass>();
  return (path: string, kind: PathUseKind): PathClass => {
    const key = `${kind} ${path}`;
    // What runs in a folder takes its configuration from there, so a folder nobody may write to is not entered either.
    const isKept = kind === "enter" && classOf(path, "write") === "protected";
    const found = known.get(key) ?? (isKept ? "protected" : classOf(path, OPERATIONS[kind]));
    known.set(key, found);
    return found;
  };
}
