import type { Tool } from "../protocol/tool-runs.ts";
import debug from "./modes/debug.md" with { type: "text" };
import explore from "./modes/explore.md" with { type: "text" };
import plan from "./modes/plan.md" with { type: "text" };
import review from "./modes/review.md" with { type: "text" };

// A mode is words in the changing part of the prompt and a limit on tools. The list of advertised tools does not follow it, so
// that what providers cached stays valid: a forbidden call is refused when it comes.

export const MODES = ["default", "plan", "explore", "debug", "review"] as const;
export type Mode = (typeof MODES)[number];

interface ModeRow {
  /** Added to the dynamic part of the prompt; empty adds nothing. */
  overlay: string;
  tools: "all" | "read-only";
}

const ROWS: Record<Mode, ModeRow> = {
  default: { overlay: "", tools: "all" },
  plan: { overlay: plan, tools: "read-only" },
  explore: { overlay: explore, tools: "read-only" },
  debug: { overlay: debug, tools: "all" },
  review: { overlay: review, tools: "all" },
};

/** These change only the conversation itself, so every mode has them. */
const CONVERSATION_TOOLS = new Set(["TodoWrite", "TodoRead", "update_plan", "switch_mode", "ask_user", "search_tools"]);

/** All a model has in safe mode: it looks and plans, and neither changes nor runs anything. */
export const SAFE_TOOLS: readonly string[] = [
  "read_file",
  "search_files",
  "glob_files",
  "list_dir",
  "view_image",
  "web_fetch",
  "web_search",
  "update_plan",
];

export function refusedInSafeMode(tool: Pick<Tool, "name">): string {
  return `${tool.name} was not run: safe mode offers only ${SAFE_TOOLS.join(", ")}. Only the person can leave it`;
}

export function isMode(name: string): name is Mode {
  return (MODES as readonly string[]).includes(name);
}

/** Whether a mode keeps a model from changing anything. */
export function isReadOnlyMode(mode: Mode): boolean {
  return ROWS[mode].tools === "read-only";
}

export function modeOverlay(mode: Mode): string {
  return ROWS[mode].overlay.trim();
}

export function allowedInMode(mode: Mode, tool: Pick<Tool, "name" | "isReadOnly">): boolean {
  return ROWS[mode].tools === "all" || tool.isReadOnly || CONVERSATION_TOOLS.has(tool.name);
}

/** For a call that `allowedInMode` refuses. */
export function refusedInMode(mode: Mode, tool: Pick<Tool, "name">): string {
  return `${tool.name} was not run: ${mode} mode allows only tools that change nothing. Finish with what you can read, or ask to leave the mode with switch_mode.`;
}
