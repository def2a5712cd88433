import { asError } from "./client-errors.ts";
import type { Content, HostScheme, HostTool, OutboundFrames, UriResultFrame } from "./wire-types.ts";

// Tools and addresses of this program, which Ralph calls.

/** A text, or everything a result may have. */
export type ToolOutput = string | { content: Content[]; details?: unknown; isError?: boolean };

export interface ToolContext {
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
  toolCallId: string;
  /** Shows what there is so far. */
  update(partial: ToolOutput): void;
}

/** A tool and its function. What it throws is told to the model as its failure. */
export interface RunnableTool extends HostTool {
  run(input: Record<string, unknown>, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}

export type UriContent = string | (Pick<UriResultFrame, "contentType" | "notes" | "immutable"> & { content: string });

export interface UriContext {
  signal: AbortSignal;
}

/** A scheme and what is behind it. It is writable where it has `write`. */
export interface RunnableScheme extends Omit<HostScheme, "writable"> {
  read(url: string, context: UriContext): UriContent | Promise<UriContent>;
  write?(url: string, content: string, context: UriContext): void | Promise<void>;
}

/** At most this many calls run at a time; more are refused. */
const MAX_RUNNING = 256;

type ToolCall = OutboundFrames["host_tool_call"];
type UriRequest = OutboundFrames["host_uri_request"];

/** Sends a frame; where it cannot be sent, says why. */
export type SendFrame = (frame: object) => string | undefined;

export class HostCalls {
  private tools = new Map<string, RunnableTool>();
  private schemes = new Map<string, RunnableScheme>();
  private readonly running = new Map<string, AbortController>();

  constructor(private readonly send: SendFrame) {}

  /** The tools as Ralph is told of them; their functions are in place before it calls one. */
  useTools(tools: readonly RunnableTool[]): HostTool[] {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    return tools.map(({ run: _, ...definition }) => definition);
  }

  useSchemes(schemes: readonly RunnableScheme[]): HostScheme[] {
    this.schemes = new Map(schemes.map((scheme) => [scheme.scheme.toLowerCase(), scheme]));
    return schemes.map(({ read: _, write, ...definition }) => ({ ...definition, writable: write !== undefined }));
  }

  async runTool({ id, toolCallId, toolName, arguments: input }: ToolCall): Promise<void> {
    const tool = this.tools.get(toolName);
    const update = (partial: ToolOutput) => {
      if (this.running.has(id)) this.send({ type: "host_tool_update", id, partialResult: outputOf(partial).result });
    };
    await this.run(id, {
      work: async (signal) => {
        if (tool === undefined) throw new Error(`This host has no tool ${toolName}.`);
        return { type: "host_tool_result", id, ...outputOf(await tool.run(input, { signal, toolCallId, update })) };
      },
      failed: (message) => ({ type: "host_tool_result", id, ...outputOf(message), isError: true }),
    });
  }

  async runUri({ id, operation, url, content = "" }: UriRequest): Promise<void> {
    const scheme = this.schemes.get(url.slice(0, Math.max(0, url.indexOf(":"))).toLowerCase());
    await this.run(id, {
      work: async (signal) => {
        if (scheme === undefined) throw new Error(`This host has nothing at ${url}.`);
        if (operation === "read")
          return { type: "host_uri_result", id, ...contentOf(await scheme.read(url, { signal })) };
        if (scheme.write === undefined) throw new Error(`${url} cannot be written.`);
        await scheme.write(url, content, { signal });
        return { type: "host_uri_result", id };
      },
      failed: (error) => ({ type: "host_uri_result", id, isError: true, error }),
    });
  }

  /** Nobody waits for that call any more. */
  cancel(id: string): void {
    this.running.get(id)?.abort(new Error("Ralph does not wait for this call any more."));
    this.running.delete(id);
  }

  cancelAll(): void {
    for (const id of [...this.running.keys()]) this.cancel(id);
  }

  private async run(
    id: string,
    { work, failed }: { work(signal: AbortSignal): Promise<object>; failed(message: string): object },
  ): Promise<void> {
    if (this.running.size >= MAX_RUNNING) {
      this.send(failed(`This host runs ${MAX_RUNNING} calls already.`));
      return;
    }
    const controller = new AbortController();
    this.running.set(id, controller);
    const frame = await work(controller.signal).catch((error: unknown) => failed(asError(error).message));
    // A call that was cancelled is not answered.
    if (!this.running.delete(id)) return;
    const problem = this.send(frame);
    if (problem !== undefined) this.send(failed(`The result of the host cannot be sent. ${problem}`));
  }
}

function outputOf(output: ToolOutput): { result: { content: Content[]; details?: unknown }; isError?: boolean } {
  if (typeof output === "string") return { result: { content: [{ type: "text", text: output }] } };
  const { isError, ...result } = output;
  return { result, ...(isError === undefined ? {} : { isError }) };
}

function contentOf(content: UriContent): Exclude<UriContent, string> {
  return typeof content === "string" ? { content } : content;
}
