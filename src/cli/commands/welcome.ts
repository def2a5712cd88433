import { EXIT } from "../exit-codes.ts";
import { chooseModel } from "../model-choice.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";

/** `ralph` with nothing to do: where things stand and what to type next; without any model, what it would look like. */
export async function welcome(context: RunContext, version: string): Promise<number> {
  const chosen = await chooseModel(context);
  const asksNothing = context.arguments.flags.size === 0;
  if (!chosen.ok && chosen.problem.type === "no-model" && asksNothing)
    return demonstration(context, version, chosen.problem.message);
  const state = chosen.ok ? `Ready to ask ${chosen.model.provider}/${chosen.model.id}.` : chosen.problem.message;
  const lines = [
    `ralph ${version}`,
    "",
    state,
    "",
    '  ralph -p "explain this error" < build.log',
    "  ralph run tasks/NAME                   stories, until they are proven done",
    "  ralph demo                             the whole loop, without a key",
    "  ralph models                           what can be used, and why something cannot",
    "  ralph doctor                           what is missing and how to fix it",
    "  ralph --help",
  ];
  print(`${lines.join("\n")}\n`);
  return EXIT.done;
}

async function demonstration(context: RunContext, version: string, message: string): Promise<number> {
  print(`ralph ${version}\n\n${message}\n\n`);
  return (await import("../loop/demo/demo.ts")).demo(context);
}
