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

export type AskCategory = (typeof ASK_CATEGORIES)[number];

export function isAskCategory(name: string): name is AskCategory {
  return (ASK_CATEGORIES as readonly string[]).includes(name);
}
