import * as z from "zod";
import { createPathClassifier } from "../../permissions/paths/classify-path.ts";
import { PATH_OPERATIONS, type PathRequest } from "../../permissions/paths/path-request.ts";
import type { RunContext } from "../run-context.ts";
import type { LineAnswer } from "./json-lines.ts";

const pathLine = z
  .object({
    workspace: z.string(),
    op: z.enum(PATH_OPERATIONS),
    path: z.string(),
    dest: z.string().optional(),
    cwd: z.string().optional(),
    home: z.string().optional(),
    protected: z.array(z.string()).optional(),
    grants: z.array(z.string()).optional(),
  })
  .refine(({ op, dest }) => dest !== undefined || (op !== "copy" && op !== "move"), {
    path: ["dest"],
    error: "a copy and a move need dest",
  });

/** Answers the lines of `ralph permissions path`. */
export function createPathAnswers({ home, paths, clock }: RunContext): (value: unknown) => LineAnswer {
  const classify = createPathClassifier({ home, own: paths, now: clock.now });
  return (value) => {
    const line = pathLine.safeParse(value);
    if (!line.success) return { error: problemsOf(line.error) };
    const request: PathRequest = line.data;
    const verdict = classify(request);
    // Who asks with grants wants to know what they change: what they cover is as good as inside.
    return { ...verdict, ...(verdict.grants === undefined ? {} : { class: "inside" }) };
  };
}

function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; ");
}
