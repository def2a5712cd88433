import type { Tool } from "../protocol/tool-runs.ts";
import type { ToolDefinition } from "../protocol/tools.ts";
import { allowedInMode, type Mode } from "./modes.ts";

// Which tools a session has and which of them a model sees. The advertised list only ever grows at its end: providers cache
// everything before the first changed byte.

export interface ToolSet {
  tools: readonly Tool[];
  core: readonly string[];
  advertised: readonly ToolDefinition[];
}

export interface ToolSetOptions {
  /** Where two have one name, the first counts. */
  tools: readonly Tool[];
  /** Advertised from the start, in this order. */
  core: readonly string[];
  mode: Mode;
  /** What a resumed session had advertised; it comes first, byte for byte. */
  advertised?: readonly ToolDefinition[];
}

export function createToolSet({ tools, core, mode, advertised = [] }: ToolSetOptions): ToolSet {
  return enterMode({ tools: withoutDoubles(tools), core, advertised }, mode);
}

/** Core tools that the mode allows and that are not advertised yet are appended; nothing is taken away. */
export function enterMode(set: ToolSet, mode: Mode): ToolSet {
  const allowed = set.core.filter((name) => {
    const tool = namedTool(set, name);
    return tool !== undefined && allowedInMode(mode, tool);
  });
  return advertise(set, allowed);
}

/** Unknown names and names that are there already change nothing. */
export function advertise(set: ToolSet, names: readonly string[]): ToolSet {
  const there = new Set(set.advertised.map(({ name }) => name));
  const added: ToolDefinition[] = [];
  for (const name of names) {
    const tool = namedTool(set, name);
    if (tool === undefined || there.has(name)) continue;
    there.add(name);
    added.push(definitionOf(tool));
  }
  return added.length === 0 ? set : { ...set, advertised: [...set.advertised, ...added] };
}

/** Other tools from now on (a server came or went). What was advertised stays as it was said. */
export function withTools(set: ToolSet, tools: readonly Tool[]): ToolSet {
  return { ...set, tools: withoutDoubles(tools) };
}

/** Those a search can still add. */
export function hiddenTools(set: ToolSet, mode: Mode): Tool[] {
  const there = new Set(set.advertised.map(({ name }) => name));
  return set.tools.filter((tool) => !there.has(tool.name) && allowedInMode(mode, tool));
}

/** By name, else by alias, else by either in other capitals. A tool that is not advertised is found too. */
export function findTool(set: ToolSet, name: string): Tool | undefined {
  const wanted = name.trim();
  const lower = wanted.toLowerCase();
  return (
    namedTool(set, wanted) ??
    set.tools.find((tool) => tool.aliases.includes(wanted)) ??
    set.tools.find((tool) => [tool.name, ...tool.aliases].some((spelling) => spelling.toLowerCase() === lower))
  );
}

/** At most `limit` of the choices, nearest first. */
export type Nearest = (wish: string, choices: Iterable<string>, limit: number) => string[];

const MAX_SUGGESTIONS = 3;
const MAX_NAME_SHOWN = 64;

export function unknownTool(set: ToolSet, name: string, nearest: Nearest): string {
  if (set.advertised.some((definition) => definition.name === name))
    return `${name} was offered before and is gone now. Go on without it`;
  const spellings = new Map(set.tools.flatMap((tool) => [tool.name, ...tool.aliases].map((one) => [one, tool.name])));
  const near = nearest(name, spellings.keys(), spellings.size).flatMap((spelling) => spellings.get(spelling) ?? []);
  const suggestions = [...new Set(near)].slice(0, MAX_SUGGESTIONS);
  const known = set.advertised.map((definition) => definition.name);
  const help = suggestions.length > 0 ? `Did you mean ${suggestions.join(", ")}?` : `There are: ${known.join(", ")}.`;
  return `There is no tool named "${name.slice(0, MAX_NAME_SHOWN)}". ${help}`;
}

function definitionOf({ name, description, parameters }: Tool): ToolDefinition {
  return { name, description, parameters };
}

function namedTool(set: ToolSet, name: string): Tool | undefined {
  return set.tools.find((tool) => tool.name === name);
}

function withoutDoubles(tools: readonly Tool[]): Tool[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}
