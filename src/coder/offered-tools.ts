import type { Tool } from "../protocol/tool-runs.ts";
import type { EntryDraft } from "../sessions/session.ts";
import { SAFE_TOOLS } from "../tools/modes.ts";
import { advertise, createToolSet, type ToolSet, withTools } from "../tools/tool-set.ts";

// Which tools a session has and which of them the model sees: Ralph's own, and those of whoever drives the agent behind them.

export interface OfferedTools {
  set(): ToolSet;
  /** At the end of what is advertised. */
  show(names: readonly string[]): void;
  /** Everything a model sees from the start, where safe mode is over. */
  showUsual(): void;
  /** In place of those before. A text says why they are not taken; then nothing changes. */
  replaceHostTools(tools: readonly Tool[], isSafe: boolean): string | undefined;
  isHostTool(tool: Tool): boolean;
  /** Everything there is, shown or not. */
  names(): readonly string[];
  /** From now on the model has these and no others. A text says why not; then nothing changes. */
  restrictTo(names: readonly string[]): string | undefined;
  /** A model has seen what is advertised: from now on it stays as it is and grows at its end. */
  sent(): void;
}

export interface OfferedToolsOptions {
  /** Ralph's own. */
  tools: readonly Tool[];
  hostTools: readonly Tool[];
  core: readonly string[];
  /** What a resumed session showed, in its order. */
  advertised: readonly string[] | undefined;
  isSafe: boolean;
  changed(entry: EntryDraft): void;
}

export function createOfferedTools(options: OfferedToolsOptions): OfferedTools {
  const { tools: own, core, advertised } = options;
  let { hostTools } = options;
  let isSent = false;
  let only: readonly string[] | undefined;
  const available = () => [...own, ...hostTools].filter(({ name }) => only === undefined || only.includes(name));
  const hostNames = (isSafe: boolean) => (isSafe ? [] : namesOf(hostTools));
  const firstSet = (isSafe: boolean) => {
    const empty = createToolSet({ tools: available(), core: [], mode: "default" });
    return advertise(empty, [...(advertised ?? (isSafe ? SAFE_TOOLS : core)), ...hostNames(isSafe)]);
  };
  let set = firstSet(options.isSafe);
  const become = (next: ToolSet) => {
    const before = namesOf(set.advertised);
    set = next;
    const names = namesOf(set.advertised);
    if (names.join() !== before.join()) options.changed({ type: "tools-advertised", names });
  };
  const show = (names: readonly string[]) => become(advertise(set, names));
  return {
    set: () => set,
    show,
    showUsual: () => show([...core, ...hostNames(false)]),
    replaceHostTools(tools, isSafe) {
      const taken = tools.find(({ name }) => own.some((tool) => tool.name === name));
      if (taken !== undefined) return `Ralph has a tool ${taken.name} already. Give yours another name.`;
      hostTools = tools;
      // What nobody has seen is put together anew, so that a resumed session shows its tools in the order it had.
      become(isSent ? advertise(withTools(set, available()), hostNames(isSafe)) : firstSet(isSafe));
      return undefined;
    },
    isHostTool: (tool) => hostTools.includes(tool),
    names: () => namesOf([...own, ...hostTools]),
    restrictTo(names) {
      const all = namesOf([...own, ...hostTools]);
      const missing = names.find((name) => !all.includes(name));
      if (missing !== undefined) return `There is no tool "${missing}". There are: ${all.join(", ")}.`;
      only = [...names];
      become(advertise(createToolSet({ tools: available(), core: [], mode: "default" }), names));
      return undefined;
    },
    sent() {
      isSent = true;
    },
  };
}

function namesOf(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name);
}
