import type { ServedTool } from "../../mcp/server/served-tools.ts";
import instructionsText from "./descriptions/instructions.md" with { type: "text" };
import { loopTools } from "./loop-tools.ts";
import { receiptsTool } from "./receipt-tools.ts";
import type { McpWorld } from "./served-loops.ts";
import { sessionTools } from "./session-tools.ts";
import { taskTools } from "./task-tools.ts";

export const INSTRUCTIONS = instructionsText.trim();

/** Everything another agent can ask of Ralph. */
export function servedTools(world: McpWorld): ServedTool[] {
  return [...loopTools(world), receiptsTool(world), ...taskTools(world), ...sessionTools(world)];
}
