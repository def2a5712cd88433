import type { BuiltinTool } from "./builtin-tools.ts";
import type { CustomTool } from "./custom-tools.ts";
import type { CreateAgentSessionOptions } from "./session-options.ts";

/** What the options say about tools. */
export interface ToolChoice {
  /** Only these of Ralph's own; undefined for all of them. */
  names: readonly string[] | undefined;
  custom: readonly CustomTool[];
  hasYield: boolean;
}

const YIELD = "yield";

export function toolChoice(options: CreateAgentSessionOptions): ToolChoice {
  const { tools, toolNames, customTools = [], outputSchema, requireYieldTool } = options;
  const hasYield = requireYieldTool === true || outputSchema !== undefined || toolNames?.includes(YIELD) === true;
  if (tools === undefined) return { names: toolNames?.filter((name) => name !== YIELD), custom: customTools, hasYield };
  return {
    names: tools.filter(isBuiltin).map(({ name }) => name),
    custom: tools.filter((tool): tool is CustomTool => !isBuiltin(tool)),
    hasYield,
  };
}

function isBuiltin(tool: BuiltinTool | CustomTool): tool is BuiltinTool {
  return "builtin" in tool;
}
