import { existsSync } from "node:fs";
import { join } from "node:path";

/** A file of a project that Ralph obeys, and therefore only in a trusted folder. Instructions (AGENTS.md) are text for the model and need no trust. */
export interface ObeyedFile {
  /** Relative to the top folder of the project. */
  path: string;
  /** Ends the sentence "once the folder is trusted, …". */
  effect: string;
}

const RULES_COUNT = "its rules count: the model is told them, and answers that break them are stopped";

export const OBEYED_FILES: readonly ObeyedFile[] = [
  { path: ".ralph/config.yml", effect: "its settings count (never addresses, keys, models or programs)" },
  { path: ".ralph/config.local.yml", effect: "its settings count (never addresses, keys, models or programs)" },
  { path: ".claude/settings.json", effect: "its permissions count, and nothing else of it" },
  { path: ".claude/settings.local.json", effect: "its permissions count, and nothing else of it" },
  { path: ".ralph/secrets.yml", effect: "what it lists is hidden from models, where secrets.enabled is on" },
  { path: ".ralph/commands", effect: "its commands can be used, by their names behind a slash" },
  { path: ".claude/commands", effect: "its commands can be used, by their names behind a slash" },
  { path: ".ralph/rules", effect: RULES_COUNT },
  { path: ".cursor/rules", effect: RULES_COUNT },
  { path: ".windsurf/rules", effect: RULES_COUNT },
  { path: ".clinerules", effect: RULES_COUNT },
];

/** Those that are there. Only looked for, not read. */
export function obeyedFilesIn(root: string): ObeyedFile[] {
  return OBEYED_FILES.filter(({ path }) => existsSync(join(root, path)));
}
