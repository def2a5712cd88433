import * as z from "zod";
import { commandPaths } from "../../permissions/gate/command-paths.ts";
import { createPathClassifier } from "../../permissions/paths/classify-path.ts";
import { analyseCommand } from "../../permissions/shell/analyse-command.ts";
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
    const verdictOf = commandPaths(classify, workspace);
    return { ...judgeCommand(analysis, rules, { home, classifyPath: (path, kind) => verdictOf(path, kind).class }) };
  };
}

function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}
