import { EXIT } from "../exit-codes.ts";
import { answerJsonLines } from "../permissions/json-lines.ts";
import type { RunContext } from "../run-context.ts";

/** `ralph permissions path`: answers JSON lines on standard input about what the gate would see. Nothing is opened or run. */
export async function permissions(context: RunContext): Promise<number> {
  const [word] = context.arguments.words;
  if (word !== "path") {
    context.note("Say what to look at: ralph permissions path < lines.jsonl");
    return EXIT.usage;
  }
  const { createPathAnswers } = await import("../permissions/path-lines.ts");
  await answerJsonLines(createPathAnswers(context));
  return EXIT.done;
}
