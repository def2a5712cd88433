import { asObject, type JsonObject, parseJson } from "../protocol/json.ts";
import { dropOptionalNulls } from "./tool-schema.ts";

export interface ToolInput {
  input: Record<string, unknown>;
  invalidInput?: string;
}

/** Reads the argument text of a call. Text that is no JSON object is kept as it is, so that the model can be told. */
export function parseToolInput(text: string, parameters: Record<string, unknown> | undefined): ToolInput {
  if (text.trim() === "") return { input: {} };
  const input = asObject(parseJson(text));
  if (input === undefined || isTooDeep(text)) return { input: {}, invalidInput: text };
  return {
    input:
      parameters === undefined ? input : (dropOptionalNulls(input, parameters as JsonObject) as ToolInput["input"]),
  };
}

/** Deeper than any tool's schema, and shallow enough for everything that walks or writes it. */
const MAX_DEPTH = 200;

/** Counts brackets as they stand, those in strings included, which only makes it stricter for absurd arguments. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
