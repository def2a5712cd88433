import type { Tool, ToolOutput } from "../../src/protocol/tool-runs.ts";

/** Prepares and runs one call as an agent would; arguments that are refused come back as `refused`. */
export async function callTool(
  tool: Tool,
  input: Record<string, unknown>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutput | { refused: string }> {
  const prepared = tool.prepare(input);
  if ("message" in prepared) return { refused: prepared.message };
  const call = { type: "tool-call" as const, id: "call-1", name: tool.name, input };
  return prepared.run({ call, signal, update: () => {} });
}

export function said(text: string, details?: ToolOutput["details"]): ToolOutput {
  return { content: [{ type: "text", text }], ...(details === undefined ? {} : { details }) };
}

export function failedWith(text: string, details?: ToolOutput["details"]): ToolOutput {
  return { ...said(text, details), isError: true };
}
