import * as z from "zod";

// What a tool wants to do, said before it does it, and what was decided about it.

export const ASK_CATEGORIES = [
  "file_read",
  "file_write",
  "shell",
  "network",
  "memory",
  "subagent",
  "mcp",
  "python",
  "plugin",
] as const;
export const askCategory = z.enum(ASK_CATEGORIES);

export const ask = z.strictObject({
  id: z.string(),
  tool: z.string(),
  category: askCategory,
  /** Resolved: absolute paths, whole addresses, `server:tool`. */
  resources: z.array(z.string()),
  /** The commands of a shell line, one by one, wrappers taken off. */
  commands: z.array(z.array(z.string())).optional(),
  /** What a person reads. */
  summary: z.string(),
});

/** `tier` names the step of the decision order that decided, `rule` the rule or grant itself where one did. */
export const decision = z.strictObject({
  effect: z.enum(["allow", "ask", "deny"]),
  tier: z.enum(["mode", "protected", "deny-rule", "back-off", "grant", "category", "person", "headless"]),
  rule: z.string().optional(),
  reason: z.string(),
});

export type AskCategory = z.infer<typeof askCategory>;
export type Ask = z.infer<typeof ask>;
export type Decision = z.infer<typeof decision>;
