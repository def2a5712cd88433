import { asString, type JsonObject } from "../protocol/json.ts";
import type { Tool, ToolContext, ToolOutput } from "../protocol/tool-runs.ts";
import type { HostToolDefinition } from "./command-shapes.ts";
import type { FlatFrame, Inbound } from "./frames.ts";
import { checkAnswer, readAnswerSchema } from "./gates/answer-schema.ts";
import { createPendingCalls } from "./pending-calls.ts";
import { readContent } from "./wire-messages.ts";
import type { WireImage, WireText } from "./wire-shapes.ts";

/** Tools the host runs. */
export interface HostTools {
  read(definitions: readonly HostToolDefinition[]): { ok: true; tools: Tool[] } | { ok: false; message: string };
  update(frame: Inbound<"host_tool_update">): void;
  result(frame: Inbound<"host_tool_result">): void;
  /** The host has gone. */
  close(): void;
}

/** Of all texts of one result. What is longer is cut, and the model is told. */
const MAX_RESULT_CHARACTERS = 100_000;

export function createHostTools(send: (frame: FlatFrame) => void): HostTools {
  const calls = createPendingCalls<ToolOutput>("host");
  const updates = new Map<string, ToolContext["update"]>();
  let cancelled = 0;
  const run = async (toolName: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> => {
    let sentAs = "";
    const output = await calls.open(context.signal, {
      send(id) {
        sentAs = id;
        updates.set(id, context.update);
        send({ type: "host_tool_call", id, toolCallId: context.call.id, toolName, arguments: input });
      },
      onAbort(targetId) {
        cancelled += 1;
        send({ type: "host_tool_cancel", id: `host_cancel_${cancelled}`, targetId });
        return failed("Stopped. The host was told to stop too, and the call may have taken effect.");
      },
    });
    updates.delete(sentAs);
    return output;
  };
  return {
    read: (definitions) => readTools(definitions, run),
    update: ({ id, partialResult }) => updates.get(id)?.(textOf(partialResult.content)),
    result: ({ id, result, isError }) => void calls.settle(id, outputOf(result.content, isError === true)),
    close: () => calls.rejectAll(failed("The host that runs this tool has gone.")),
  };
}

type RunCall = (name: string, input: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput>;

function readTools(definitions: readonly HostToolDefinition[], run: RunCall): ReturnType<HostTools["read"]> {
  const names = definitions.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { ok: false, message: `The tool ${twice} is there twice.` };
  const wrong = definitions.find(({ parameters }) => asString(parameters.type) !== "object");
  if (wrong !== undefined)
    return { ok: false, message: `The parameters of the tool ${wrong.name} must be a JSON Schema of type object.` };
  return { ok: true, tools: definitions.map((definition) => toolOf(definition, run)) };
}

function toolOf({ name, description, parameters }: HostToolDefinition, run: RunCall): Tool {
  const check = argumentsCheck(parameters);
  return {
    name,
    aliases: [],
    description,
    parameters: parameters as JsonObject,
    isReadOnly: false,
    prepare(input) {
      const message = check(input);
      return message === undefined ? { asks: [], run: (context) => run(name, input, context) } : { message };
    },
  };
}

/** A schema that says more than we can check is left to the host. */
function argumentsCheck(parameters: Record<string, unknown>): (input: unknown) => string | undefined {
  const reading = readAnswerSchema(parameters);
  if (!reading.ok) return () => undefined;
  return (input) => {
    const mistakes = checkAnswer(reading.schema, input).map(
      ({ path, message }) => `"${path.replace(/^\/answer\/?/, "")}" ${message}`,
    );
    return mistakes.length === 0 ? undefined : mistakes.join("; ");
  };
}

type WireContent = readonly (WireText | WireImage)[];

function textOf(content: WireContent): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
}

/** What a host gave back, within the limit. */
export function outputOf(content: WireContent, isError: boolean): ToolOutput {
  const read = readContent(withinLimit(content));
  if (!read.ok) return failed(`The host's result cannot be used: ${read.message}`);
  return { content: read.parts, ...(isError ? { isError } : {}) };
}

function withinLimit(content: WireContent): WireContent {
  let left = MAX_RESULT_CHARACTERS;
  return content.map((part) => {
    if (part.type === "image") return part;
    const kept = part.text.slice(0, left);
    left -= kept.length;
    const missing = part.text.length - kept.length;
    return missing === 0 ? part : { type: "text", text: `${kept}\n[${missing} more characters were left out]` };
  });
}

function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
