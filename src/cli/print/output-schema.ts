import { readTextFile } from "../../system/text-file.ts";
import { flagText, type RunContext } from "../run-context.ts";
import type { Schema } from "./json-schema-places.ts";

const MAX_BYTES = 1_000_000;

export type OutputSchema = { ok: true; schema?: Schema } | { ok: false; message: string };

/** The schema of `--output-schema`, read and understood. */
export async function outputSchema(context: RunContext): Promise<OutputSchema> {
  const path = flagText(context, "output-schema");
  if (path === undefined) return { ok: true };
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok) return { ok: false, message: `--output-schema: ${file.message}` };
  const { readSchema } = await import("./json-schema-check.ts");
  const document = parsed(file.text);
  if (!document.ok) return { ok: false, message: `--output-schema: ${path} is no JSON: ${document.message}` };
  const read = readSchema(document.value);
  return read.ok ? read : { ok: false, message: `--output-schema: in ${path}, ${read.message}.` };
}

/** For the tail of the prompt: every model can read it, also where its provider knows of no schemas. */
export function schemaInstruction(schema: Schema): string {
  return `When you are done, your last answer has to be one JSON value that fits this JSON Schema, and nothing else, no words and no code fence around it:\n${JSON.stringify(schema)}`;
}

function parsed(text: string): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
