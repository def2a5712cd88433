import type { CoderRules } from "../../coder/coder-rules.ts";
import { unknown } from "../parse-arguments.ts";
import { sessionRules } from "../rules/session-rules.ts";
import { flagText, type RunContext } from "../run-context.ts";
import type { Schema } from "./json-schema-places.ts";
import { type RunLimits, readLimits } from "./limits.ts";
import { outputSchema, schemaInstruction } from "./output-schema.ts";
import { systemPrompt } from "./system-prompt.ts";

/** What the flags say about how a model is asked. */
export interface RunChoices {
  system: { base: string; dynamic: string };
  limits: RunLimits;
  rules?: CoderRules;
  maxOutputTokens?: number;
  /** What the last answer has to fit. */
  outputSchema?: Schema;
}

/** Or why they cannot be used. `savedPrompt` is the system prompt of a session that is gone on with. */
export async function runChoices(context: RunContext, savedPrompt: string | undefined): Promise<RunChoices | string> {
  const limit = flagText(context, "max-output-tokens");
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    return `--max-output-tokens needs a whole number above 0, not "${limit}".`;
  const limits = readLimits(context);
  if (typeof limits === "string") return limits;
  const unknownTool = await unknownToolIn(context);
  if (unknownTool !== undefined) return unknownTool;
  const { prompt: rulesText, rules } = await sessionRules(context);
  const system = await systemPrompt(context, { saved: savedPrompt, rules: rulesText });
  if (typeof system === "string") return system;
  const output = await outputSchema(context);
  if (!output.ok) return output.message;
  const choices = {
    system,
    limits,
    ...(rules === undefined ? {} : { rules }),
    ...(limit === undefined ? {} : { maxOutputTokens: Number(limit) }),
  };
  return output.schema === undefined ? choices : withSchema(choices, output.schema);
}

/** Every model is told what the last answer has to be. */
export function withSchema(choices: RunChoices, schema: Schema): RunChoices {
  const { base, dynamic } = choices.system;
  return {
    ...choices,
    system: { base, dynamic: `${dynamic}\n\n${schemaInstruction(schema)}` },
    outputSchema: schema,
  };
}

/** What is wrong with `--tools`. */
async function unknownToolIn(context: RunContext): Promise<string | undefined> {
  const given = flagText(context, "tools");
  if (given === undefined || given === "none") return undefined;
  const { toolSpellings } = await import("../../coder/all-tools.ts");
  const known = toolSpellings();
  const wrong = given.split(",").find((name) => !known.includes(name.trim()));
  return wrong === undefined ? undefined : unknown("tool", wrong.trim(), known);
}
