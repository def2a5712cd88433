import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pinPlace } from "../../src/permissions/paths/pin-place.ts";
import type { Tool, ToolOutput } from "../../src/protocol/tool-runs.ts";
import { systemClock } from "../../src/system/clock.ts";
import { createSeenFiles, type ToolWorld } from "../../src/tools/tool-world.ts";

/** A world with a workspace of its own in the directory. Artifacts are made beside it. */
export function toolWorldIn(directory: string, environment: Record<string, string> = {}): ToolWorld {
  const root = join(directory, "workspace");
  mkdirSync(root, { recursive: true });
  return {
    root,
    clock: systemClock,
    environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory, ...environment },
    artifacts: join(directory, "artifacts"),
    pin: pinPlace,
    seen: createSeenFiles(),
    beforeChange: async () => undefined,
  };
}

export interface CallOptions {
  signal?: AbortSignal;
  update?: (text: string) => void;
}

/** Calls the tool as the turn loop does. Arguments it refuses are an error of the test. */
export async function callTool(
  tool: Tool,
  input: Record<string, unknown>,
  { signal = new AbortController().signal, update = () => undefined }: CallOptions = {},
): Promise<ToolOutput> {
  const prepared = tool.prepare(input);
  if ("message" in prepared) throw new Error(prepared.message);
  return prepared.run({ call: { type: "tool-call", id: "call-1", name: tool.name, input: {} }, signal, update });
}

export function textOf({ content }: ToolOutput): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}
