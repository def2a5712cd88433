import type { JsonObject } from "../protocol/json.ts";
import type { UserMessage } from "../protocol/messages.ts";
import type { Tool } from "../protocol/tool-runs.ts";
import { RalphError } from "./ralph-error.ts";
import description from "./yield.md" with { type: "text" };

/** The hidden tool a result is handed in with. */
export interface YieldTool {
  tool: Tool;
  /** What was handed in during the latest work; then that work is done. */
  last(): { value: unknown } | undefined;
  /** Work begins: nothing was handed in during it yet. */
  begin(): void;
}

export async function createYieldTool(outputSchema: JsonObject | undefined): Promise<YieldTool> {
  const { readSchema, problemsWith } = await import("../cli/print/json-schema-check.ts");
  const schema = readSchema(outputSchema ?? {});
  if (!schema.ok) throw new RalphError("invalid", `outputSchema: ${schema.message}.`);
  // An object is the arguments themselves, so that references in its schema stay what they are.
  const isWhole = outputSchema?.type === "object";
  let last: { value: unknown } | undefined;
  const tool: Tool = {
    name: "yield",
    aliases: [],
    description: description.trim(),
    parameters: isWhole ? outputSchema : wrapped(outputSchema ?? {}),
    isReadOnly: true,
    prepare(input) {
      const hasValue = isWhole || Object.hasOwn(input, "value");
      const value = isWhole ? input : input.value;
      const problems = hasValue ? problemsWith(schema.schema, value) : ['"value" is missing'];
      if (problems.length > 0) return { message: `the result does not fit: ${problems.join("; ")}` };
      return {
        asks: [],
        async run() {
          last = { value };
          return { content: [{ type: "text", text: "Taken." }] };
        },
      };
    },
  };
  return {
    tool,
    last: () => last,
    begin() {
      last = undefined;
    },
  };
}

/** References count from the root of the arguments, so definitions move there. */
function wrapped(schema: JsonObject): JsonObject {
  const { $defs, definitions, $schema: _, ...value } = schema;
  return {
    type: "object",
    properties: { value },
    required: ["value"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

/** How often a model is told that it ended without handing anything in. */
export const MOST_REMINDERS = 2;

export const REMINDER: UserMessage["content"] = [
  { type: "text", text: "You have not handed in the result. Call yield with it now." },
];
