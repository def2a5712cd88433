import { EXIT } from "../exit-codes.ts";
import { answerJsonLines, type LineAnswer } from "../permissions/json-lines.ts";
import type { RunContext } from "../run-context.ts";

type Answers = (context: RunContext) => Promise<(value: unknown) => LineAnswer>;

const VERBS: Record<string, Answers> = {
  check: async (context) => (await import("../permissions/check-lines.ts")).createCheckAnswers(context),
  path: async (context) => (await import("../permissions/path-lines.ts")).createPathAnswers(context),
};

/** `ralph permissions check|path|simulate`: answers JSON lines on standard input about what the gate would say. Nothing is opened or run. */
export async function permissions(context: RunContext): Promise<number> {
  const [verb, rule] = context.arguments.words;
  if (verb === "simulate") return (await import("../permissions/simulate.ts")).simulate(context, rule);
  const answers = VERBS[verb ?? ""];
  if (answers === undefined) {
    context.note("Say what to look at: ralph permissions check < lines.jsonl, or path < lines.jsonl, or simulate RULE");
    return EXIT.usage;
  }
  await answerJsonLines(await answers(context));
  return EXIT.done;
}
