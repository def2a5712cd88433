import type { ToolVerdict } from "../agent/run-tools.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import type { ToolDefinition } from "../protocol/tools.ts";
import type { EntryDraft } from "../sessions/session.ts";
import { nearestChoices } from "../system/nearest.ts";
import {
  allowedInMode,
  isMode,
  isReadOnlyMode,
  type Mode,
  modeOverlay,
  refusedInMode,
  refusedInSafeMode,
  SAFE_TOOLS,
} from "../tools/modes.ts";
import { createSearchTools } from "../tools/search-tools.ts";
import { createSwitchMode, type ModeSwitch } from "../tools/switch-mode.ts";
import { checklist, type Task, type TaskStore } from "../tools/task-list.ts";
import { findTool, hiddenTools, unknownTool } from "../tools/tool-set.ts";
import { createOfferedTools, type OfferedTools } from "./offered-tools.ts";

// The tools of one session: which the model sees, which it can still find, which its mode forbids.

/** What a resumed session brings along. */
export interface ToolboxState {
  mode?: string;
  modeIsChosen?: boolean | undefined;
  safe?: boolean;
  /** The names that were advertised, in their order. */
  advertised?: readonly string[];
}

export interface ToolboxOptions {
  /** All tools but those that work on the toolbox itself. */
  tools: readonly Tool[];
  /** Advertised from the start, in this order, where they are among the tools. */
  core: readonly string[];
  /** Of whoever drives the agent. */
  hostTools: readonly Tool[];
  tasks: TaskStore;
  state: ToolboxState;
  gate(asks: AskDraft[], tool: Tool): Promise<ToolVerdict>;
  /** Asks the person whether the model may leave a mode they chose. Undefined where nobody can be asked. */
  mayLeaveMode(from: Mode, to: Mode): Promise<boolean | undefined>;
  /** Something a resumed session has to know changed. */
  changed(entry: EntryDraft): void;
}

export interface Toolbox {
  advertised(): readonly ToolDefinition[];
  findTool(name: string): Tool | undefined;
  unknownTool(name: string): string;
  /** The mode decides first: what it forbids is not even asked for. */
  gate(asks: AskDraft[], tool: Tool): Promise<ToolVerdict>;
  /** What mode and tasks add to the changing part of the prompt; empty where there is nothing to say. */
  standing(): string;
  mode(): Mode;
  isSafe(): boolean;
  tasks(): readonly Task[];
  /** A person's choice. False for a mode nobody knows. */
  setMode(mode: string): boolean;
  setSafe(safe: boolean): void;
  setTasks(tasks: readonly Task[]): void;
  /**
   * Tools of whoever drives the agent, in place of those before: advertised at the end, and never in safe mode. What was advertised
   * stays as it was said. A text says why they are not taken.
   */
  setHostTools(tools: readonly Tool[]): string | undefined;
  /** Everything there is, whether the model sees it or not. */
  names(): readonly string[];
  /** From now on the model has these and no others, whatever it has seen. A text says why not. */
  restrictTo(names: readonly string[]): string | undefined;
  /** A model has seen what is advertised. */
  sent(): void;
}

export function createToolbox(options: ToolboxOptions): Toolbox {
  const { tasks, state, changed } = options;
  let mode: Mode = isMode(state.mode ?? "") ? (state.mode as Mode) : "default";
  let isChosen = state.modeIsChosen === true;
  let isSafe = state.safe === true;
  const enter = (next: Mode, by: "person" | "model") => {
    mode = next;
    isChosen = by === "person";
    changed({ type: "mode-changed", mode, by });
  };
  const modes: ModeSwitch = {
    current: () => mode,
    async change(next) {
      const refusal = await refusalToLeave(options, { mode, isChosen, next });
      if (refusal !== undefined) return { ok: false, message: refusal };
      enter(next, "model");
      return { ok: true };
    },
  };
  const shelf = {
    hidden: () => hiddenTools(offered.set(), mode),
    add: (names: readonly string[]) => offered.show(names),
  };
  const offered = createOfferedTools({
    tools: [...options.tools, createSearchTools(shelf), createSwitchMode(modes)],
    hostTools: options.hostTools,
    core: options.core,
    advertised: state.advertised,
    isSafe,
    changed,
  });
  return {
    advertised: () => offered.set().advertised,
    findTool: (name) => findTool(offered.set(), name),
    unknownTool: (name) => unknownTool(offered.set(), name, nearestChoices),
    async gate(asks, tool) {
      const refusal = refusalOf(tool, { mode, isSafe, isHosted: offered.isHostTool(tool) });
      return refusal === undefined ? options.gate(asks, tool) : { type: "deny", reason: refusal };
    },
    standing: () =>
      [isSafe ? SAFE_MODE : "", modeOverlay(mode), tasks.read().length === 0 ? "" : checklist(tasks.read())]
        .filter((text) => text !== "")
        .join("\n\n"),
    mode: () => mode,
    isSafe: () => isSafe,
    tasks: () => tasks.read(),
    setMode(next) {
      if (isMode(next)) enter(next, "person");
      return isMode(next);
    },
    setSafe(safe) {
      isSafe = safe;
      changed({ type: "safe-changed", safe });
      if (!safe) offered.showUsual();
    },
    setTasks: (list) => tasks.write(list),
    setHostTools: (tools) => offered.replaceHostTools(tools, isSafe),
    ...partOf(offered),
  };
}

function partOf({ names, restrictTo, sent }: OfferedTools): Pick<Toolbox, "names" | "restrictTo" | "sent"> {
  return { names, restrictTo, sent };
}

interface Standing {
  mode: Mode;
  isSafe: boolean;
  /** What the names of Ralph's own tools stand for does not count for those of others. */
  isHosted: boolean;
}

function refusalOf(tool: Tool, { mode, isSafe, isHosted }: Standing): string | undefined {
  if (isSafe && (isHosted || !SAFE_TOOLS.includes(tool.name))) return refusedInSafeMode(tool);
  const isAllowed = isHosted ? tool.isReadOnly || !isReadOnlyMode(mode) : allowedInMode(mode, tool);
  return isAllowed ? undefined : refusedInMode(mode, tool);
}

const SAFE_MODE = `Safe mode is on: you can only use ${SAFE_TOOLS.join(", ")}. Say what you would change instead of changing it.`;

interface Leaving {
  mode: Mode;
  isChosen: boolean;
  next: Mode;
}

/** Why the model may not change the mode: one that a person chose to keep it from writing is only left with their consent. */
async function refusalToLeave(options: ToolboxOptions, { mode, isChosen, next }: Leaving): Promise<string | undefined> {
  if (!isChosen || !isReadOnlyMode(mode) || isReadOnlyMode(next)) return undefined;
  const answer = await options.mayLeaveMode(mode, next);
  if (answer === true) return undefined;
  return answer === false
    ? `The person wants to stay in ${mode} mode. Go on within it.`
    : `The person chose ${mode} mode, and nobody can be asked to leave it. Finish with what it allows.`;
}
