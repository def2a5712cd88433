import * as z from "zod";
import type { JsonObject } from "../../protocol/json.ts";

// What a server of the Model Context Protocol offers. Who serves knows the wire; who makes these knows the work.

export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface ServedTool {
  name: string;
  title: string;
  description: string;
  hints: ToolHints;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  /** A text says what is wrong with the arguments. */
  prepare(input: unknown): ((context: CallContext) => Promise<ServedResult>) | string;
}

export interface CallContext {
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
  /** For whoever asked to be told; `progress` grows. */
  progress(progress: { progress: number; total?: number; message?: string }): void;
}

export type ServedResult = { ok: true; value: JsonObject } | { ok: false; message: string };

export interface ServedResource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

export interface ServedResources {
  /** Those that are there now. */
  list(): Promise<readonly ServedResource[]>;
  /** Undefined where there is no such thing. */
  read(uri: string): Promise<{ text: string; mimeType: string } | { message: string } | undefined>;
}

export interface ToolRow<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  hints: ToolHints;
  /** Both strict: what they do not name is refused. */
  input: Input;
  output: Output;
  run(
    input: z.infer<Input>,
    context: CallContext,
  ): Promise<{ ok: true; value: z.infer<Output> } | { ok: false; message: string }>;
}

/** A tool from its row: arguments are checked before anything runs. */
export function serveTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  row: ToolRow<Input, Output>,
): ServedTool {
  const { name, title, description, hints } = row;
  return {
    name,
    title,
    description,
    hints,
    inputSchema: schemaOf(row.input),
    outputSchema: schemaOf(row.output),
    prepare(input) {
      const parsed = row.input.safeParse(input ?? {});
      if (!parsed.success) return mistakesIn(parsed.error);
      return async (context) => (await row.run(parsed.data, context)) as ServedResult;
    },
  };
}

function schemaOf(shape: z.ZodObject): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(shape) as JsonObject;
  return schema;
}

const MOST_MISTAKES = 5;
/** A name nobody knows may be as long as a line. */
const LONGEST_MISTAKE = 300;

function mistakesIn({ issues }: z.ZodError): string {
  const lines = issues.slice(0, MOST_MISTAKES).map(({ path, message }) => {
    const where = path.map(String).join(".");
    return (where === "" ? message : `${where}: ${message}`).slice(0, LONGEST_MISTAKE);
  });
  return `The arguments do not fit: ${lines.join("; ")}.`;
}
