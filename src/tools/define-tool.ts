import type { AskDraft, Tool, ToolContext, ToolOutput } from "../protocol/tool-runs.ts";
import { type Fields, type InputOf, parametersOf, parseInput } from "./input-fields.ts";

export interface ToolRow<F extends Fields> {
  name: string;
  aliases?: readonly string[];
  /** The text file beside the tool. */
  description: string;
  fields: F;
  isReadOnly: boolean;
  asks(input: InputOf<F>): AskDraft[];
  run(input: InputOf<F>, context: ToolContext): Promise<ToolOutput>;
}

/** A tool from its row: arguments are checked before anything asks or runs. */
export function defineTool<F extends Fields>(row: ToolRow<F>): Tool {
  return {
    name: row.name,
    aliases: row.aliases ?? [],
    description: row.description.trim(),
    parameters: parametersOf(row.fields),
    isReadOnly: row.isReadOnly,
    prepare(input) {
      const parsed = parseInput(row.fields, input);
      if (!parsed.ok) return { message: parsed.message };
      return { asks: row.asks(parsed.value), run: (context) => row.run(parsed.value, context) };
    },
  };
}

/** Words for the model. */
export function textOutput(text: string, details?: ToolOutput["details"]): ToolOutput {
  return { content: [{ type: "text", text }], ...(details === undefined ? {} : { details }) };
}

export function failedOutput(message: string, details?: ToolOutput["details"]): ToolOutput {
  return { ...textOutput(message, details), isError: true };
}
