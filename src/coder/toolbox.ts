import type { ToolVerdict } from "../agent/run-tools.ts";
import { nearestChoices } from "../models/nearest.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import type { ToolDefinition } from "../protocol/tools.ts";
import { allowedInMode, type Mode, modeOverlay, refusedInMode } from "../tools/modes.ts";
import { createSearchTools } from "../tools/search-tools.ts";
import { createSwitchMode } from "../tools/switch-mode.ts";
import { checklist, type TaskStore } from "../tools/task-list.ts";
import { advertise, createToolSet, findTool, hiddenTools, unknownTool } from "../tools/tool-set.ts";

// The tools of one session: which the model sees, which it can still find, which its mode forbids.

export interface ToolboxOptions {
  /** All tools but those that work on the toolbox itself. */
  tools: readonly Tool[];
  /** Advertised from the start, in this order, where they are among the tools. */
  core: readonly string[];
  tasks: TaskStore;
  gate(asks: AskDraft[]): Promise<ToolVerdict>;
}

export interface Toolbox {
  advertised(): readonly ToolDefinition[];
  findTool(name: string): Tool | undefined;
  unknownTool(name: string): string;
  /** The mode decides first: what it forbids is not even asked for. */
  gate(asks: AskDraft[], tool: Tool): Promise<ToolVerdict>;
  /** What mode and tasks add to the changing part of the prompt; empty where there is nothing to say. */
  standing(): string;
}

export function createToolbox({ tools, core, tasks, gate }: ToolboxOptions): Toolbox {
  let mode: Mode = "default";
  const own = [
    createSearchTools({
      hidden: () => hiddenTools(set, mode),
      add: (names) => {
        set = advertise(set, names);
      },
    }),
    createSwitchMode({
      current: () => mode,
      change: async (next) => {
        mode = next;
        return { ok: true };
      },
    }),
  ];
  let set = createToolSet({ tools: [...tools, ...own], core, mode });
  return {
    advertised: () => set.advertised,
    findTool: (name) => findTool(set, name),
    unknownTool: (name) => unknownTool(set, name, nearestChoices),
    async gate(asks, tool) {
      return allowedInMode(mode, tool) ? gate(asks) : { type: "deny", reason: refusedInMode(mode, tool) };
    },
    standing: () =>
      [modeOverlay(mode), tasks.read().length === 0 ? "" : checklist(tasks.read())]
        .filter((text) => text !== "")
        .join("\n\n"),
  };
}
