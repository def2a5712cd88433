import { asObject, type JsonObject } from "../protocol/json.ts";
import { dropOptionalNulls } from "./tool-schema.ts";

export interface ToolInput {
  input: Record<string, unknown>;
  invalidInput?: string;
}

/** Reads the argument text of a call. Text that is no JSON object is kept as it is, so that the model can be told. */
export function parseToolInput(text: string, parameters: Record<string, unknown> | undefined): ToolInput {
  if (text.trim() === "") return { input: {} };
  const input = asObject(parseJson(text));
  if (input === undefined) return { input: {}, invalidInput: text };
  return {
    input:
      parameters === undefined ? input : (dropOptionalNulls(input, parameters as JsonObject) as ToolInput["input"]),
  };
}

/** undefined where the text is not JSON, which never stands for a JSON value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
