import { EXIT } from "../exit-codes.ts";
import { chooseModel } from "../model-choice.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";

/** `ralph` with nothing to do: where things stand and what to type next. */
export async function welcome(context: RunContext, version: string): Promise<number> {
  const chosen = await chooseModel(context);
  const state = chosen.ok ? `Ready to ask ${chosen.model.provider}/${chosen.model.id}.` : chosen.problem.message;
  const lines = [
    `ralph ${version}`,
    "",
    state,
    "",
    '  ralph -p "explain this error" < build.log',
    "  ralph -p --model scripted/demo hello ",
    "  ralph models                           what can be used, and why something cannot",
    "  ralph doctor                           what is missing and how to fix it",
    "  ralph --help",
  ];
  print(`${lines.join("\n")}\n`);
  return EXIT.done;
}
