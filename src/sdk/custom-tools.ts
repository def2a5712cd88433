import type { Json, JsonObject } from "../protocol/json.ts";
import type { AskDraft, Tool, ToolContext, ToolOutput } from "../protocol/tool-runs.ts";
import type { WireImage, WireText } from "../rpc/wire-shapes.ts";
import type { EventBus } from "./event-bus.ts";
import { RalphError } from "./ralph-error.ts";

/** A function of the program that the model may call. */
export interface CustomTool {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  description: string;
  /** JSON Schema of type object. Calls whose arguments do not fit never reach `execute`. */
  parameters: JsonObject;
  /** It changes nothing: then calls of it may run beside each other, and modes that only look allow it. */
  isReadOnly?: boolean;
  /** What a call wants to do, for the gate. Without it nothing is asked: it is the program's own code. */
  asks?(input: Record<string, unknown>): AskDraft[];
  /** What it throws is told to the model as the failure of the call. */
  execute(
    input: Record<string, unknown>,
    context: CustomToolContext,
  ): CustomToolResult | string | Promise<CustomToolResult | string>;
}

export interface CustomToolResult {
  content: readonly (WireText | WireImage)[];
  isError?: boolean;
  /** For programs; the model does not see it. */
  details?: Json;
}

export interface CustomToolContext extends TaskContext {
  toolCallId: string;
  /** Aborted when the work is stopped. */
  signal: AbortSignal;
  /** Output as it comes. */
  update(text: string): void;
}

/** What the options of the session said, for tools that start agents of their own. */
export interface TaskContext {
  cwd: string;
  eventBus: EventBus;
  taskDepth: number;
  parentTaskPrefix?: string;
  outputSchema?: JsonObject;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools as an agent runs them. */
export async function readCustomTools(tools: readonly CustomTool[], task: TaskContext): Promise<Tool[]> {
  if (tools.length === 0) return [];
  const { toolSpellings } = await import("../coder/all-tools.ts");
  const taken = new Set([...toolSpellings(), "search_tools", "switch_mode", "yield"]);
  const read: Tool[] = [];
  for (const tool of tools) {
    if (!NAME.test(tool.name))
      throw new RalphError("invalid", `"${tool.name}" is no name for a tool: letters, digits, _ and -, at most 64.`);
    if (taken.has(tool.name))
      throw new RalphError("invalid", `There is a tool ${tool.name} already. Give yours another name.`);
    taken.add(tool.name);
    read.push(await toolOf(tool, task));
  }
  return read;
}

async function toolOf(tool: CustomTool, task: TaskContext): Promise<Tool> {
  const { name, description, parameters } = tool;
  const { readSchema, problemsWith } = await import("../cli/print/json-schema-check.ts");
  const schema = readSchema(parameters);
  if (!schema.ok) throw new RalphError("invalid", `The parameters of ${name}: ${schema.message}.`);
  if (parameters.type !== "object")
    throw new RalphError("invalid", `The parameters of ${name} must be a JSON Schema of type object.`);
  return {
    name,
    aliases: [],
    description,
    parameters,
    isReadOnly: tool.isReadOnly === true,
    prepare(input) {
      const problems = problemsWith(schema.schema, input);
      if (problems.length > 0) return { message: problems.join("; ") };
      return { asks: tool.asks?.(input) ?? [], run: (context) => execute(tool, input, { ...task, ...own(context) }) };
    },
  };
}

function own({ call, signal, update }: ToolContext): Omit<CustomToolContext, keyof TaskContext> {
  return { toolCallId: call.id, signal, update };
}

async function execute(
  tool: CustomTool,
  input: Record<string, unknown>,
  context: CustomToolContext,
): Promise<ToolOutput> {
  const { outputOf } = await import("../rpc/host-tools.ts");
  try {
    const result = await tool.execute(input, context);
    if (typeof result === "string") return outputOf([{ type: "text", text: result }], false);
    const output = outputOf(result.content, result.isError === true);
    return result.details === undefined ? output : { ...output, details: result.details };
  } catch (error) {
    return outputOf([{ type: "text", text: error instanceof Error ? error.message : String(error) }], true);
  }
}
