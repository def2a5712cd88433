import type { AskCategory } from "../../protocol/ask-categories.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { CommandFacts } from "../../protocol/command-facts.ts";
import type { AskDraft, Tool } from "../../protocol/tool-runs.ts";
import type { AgentPort } from "../agent-port.ts";
import type { Scope } from "../scopes.ts";

// Kinds of actions a host allows where nobody watches. What is allowed here is still decided by the gate: deny rules, protected
// files and the rules of the shell stand, whatever was declared.

interface ActionClass {
  /** As docs/unattended.md has it. */
  description: string;
  /** Who allows this has allowed these too. */
  covers?: readonly string[];
}

/** `command.` classes are for commands of the host: where at least one is named, only commands of those named are taken. */
export const ACTION_CLASSES = {
  "command.prompt": { description: "prompt, steer, follow_up, abort_and_prompt" },
  "command.control": { description: "abort, compact and the switches of the agent" },
  "command.bash": { description: "bash, abort_bash" },
  "command.export": { description: "export_html" },
  "command.session": { description: "new_session, switch_session, branch, set_session_name" },
  "command.model": { description: "set_model, cycle_model and the thinking levels" },
  "command.message_read": { description: "get_messages and what else tells of the conversation" },
  "command.host_tools": { description: "set_host_tools" },
  "command.host_uri": { description: "set_host_uri_schemes" },
  "command.admin": { description: "login" },
  "file.read": { description: "reads files" },
  "file.write": { description: "makes and changes files", covers: ["file.read"] },
  "file.delete": { description: "removes files and folders, by a tool or by a command that names it" },
  "file.outside": { description: "does what else is allowed outside the workspace as well" },
  "secret.write": { description: "writes or commits what looks like a key" },
  "bash.readonly": { description: "commands that only read and print, inside the workspace", covers: ["file.read"] },
  "bash.mutating": { description: "any other command whose programs can be read", covers: ["bash.readonly"] },
  "bash.destructive": {
    description: "commands that throw work away, change the machine, or cannot be read before they run",
    covers: ["bash.mutating"],
  },
  "bash.unsandboxed": { description: "commands that leave the sandbox, with the keys and services of the person" },
  "git.force_push": { description: "overwrites what others have of a repository" },
  "network.fetch": { description: "pages, and commands that use the network" },
  "mcp.call": { description: "tools of MCP servers" },
  "memory.write": { description: "what lasts over sessions" },
  "subagent.start": { description: "agents the agent starts" },
  "python.run": { description: "code in a kernel" },
  "plugin.call": { description: "tools of plugins" },
  "host_tool.invoke": { description: "tools of the host" },
  "host_uri.read": { description: "reads addresses of the host" },
  "host_uri.write": { description: "writes addresses of the host" },
  "auth.login": { description: "logs in to a provider and stores the key or the login" },
} as const satisfies Record<string, ActionClass>;

export type ActionName = keyof typeof ACTION_CLASSES;
export const ACTION_NAMES = Object.keys(ACTION_CLASSES) as ActionName[];

/** Everything a list allows, with what its classes cover. */
export function allowedBy(list: readonly string[]): ReadonlySet<string> {
  const allowed = new Set(list);
  for (const name of allowed) {
    const { covers = [] }: ActionClass = (ACTION_CLASSES as Record<string, ActionClass>)[name] ?? { description: "" };
    for (const covered of covers) allowed.add(covered);
  }
  return allowed;
}

/** The class of the commands of a scope. */
export function commandClass(scope: Scope): ActionName {
  return `command.${scope === "message:read" ? "message_read" : scope}`;
}

type World = Pick<AgentPort, "inspectCommand" | "isInWorkspace">;

/** What a call would do, before anything of it is done. */
export async function actionsOfCall(tool: Tool, asks: readonly AskDraft[], world: World): Promise<ActionName[]> {
  const actions = await Promise.all(asks.map((ask) => actionsOfAsk(ask, tool.name, world)));
  const foreign: ActionName[] = asks.length === 0 && !OWN_TOOLS.has(tool.name) ? ["host_tool.invoke"] : [];
  return [...new Set([...foreign, ...actions.flat()])];
}

/** What is known only when a person would be asked: what a command gets beyond the sandbox, and what was pointed out. */
export function actionsOfYes({ needs, warning }: Pick<Ask, "needs" | "warning">): ActionName[] {
  return [
    ...(needs?.unsandboxed ? (["bash.unsandboxed"] as const) : []),
    ...(needs?.network ? (["network.fetch"] as const) : []),
    ...((needs?.writable ?? []).length > 0 ? (["file.outside"] as const) : []),
    ...(warning === undefined ? [] : (["secret.write"] as const)),
  ];
}

/** Ralph's own tools. Where one of these asks for nothing it changes nothing outside the conversation. */
export const OWN_TOOLS: ReadonlySet<string> = new Set([
  ...["append_file", "apply_delta", "ask_user", "copy_file", "create_directory", "delete_directory", "delete_file"],
  ...["edit_file", "file_info", "glob_files", "job_kill", "job_list", "job_output", "list_dir", "move_file"],
  ...["read_file", "search_files", "search_tools", "shell", "switch_mode", "TodoRead", "TodoWrite", "update_plan"],
  ...["view_image", "web_fetch", "write_file"],
]);

const DELETING_TOOLS: ReadonlySet<string> = new Set(["delete_file", "delete_directory"]);

const CATEGORY_ACTIONS: Record<Exclude<AskCategory, "shell">, ActionName> = {
  file_read: "file.read",
  file_write: "file.write",
  network: "network.fetch",
  memory: "memory.write",
  subagent: "subagent.start",
  mcp: "mcp.call",
  python: "python.run",
  plugin: "plugin.call",
};

async function actionsOfAsk(ask: AskDraft, tool: string, world: World): Promise<ActionName[]> {
  const { category, resources, cwd } = ask;
  if (category === "shell") {
    const [command = ""] = resources;
    return [...actionsOfCommand(await world.inspectCommand(command, cwd)), ...actionsOfYes(ask)];
  }
  const main = category === "file_write" && DELETING_TOOLS.has(tool) ? "file.delete" : CATEGORY_ACTIONS[category];
  return [main, ...(await actionsOfPlaces(category, resources, world)), ...actionsOfYes(ask)];
}

async function actionsOfPlaces(
  category: AskCategory,
  paths: readonly string[],
  { isInWorkspace }: Pick<World, "isInWorkspace">,
): Promise<ActionName[]> {
  if (category !== "file_read" && category !== "file_write") return [];
  const inside = await Promise.all(paths.map((path) => isInWorkspace(path)));
  return inside.every(Boolean) ? [] : ["file.outside"];
}

/** A command needs every class it falls under. */
export function actionsOfCommand(facts: CommandFacts): ActionName[] {
  if (facts.isReadOnly) return ["bash.readonly"];
  const main = facts.destroys || !facts.isReadable ? "bash.destructive" : "bash.mutating";
  return [
    main,
    ...(facts.deletes ? (["file.delete"] as const) : []),
    ...(facts.forcePushes ? (["git.force_push"] as const) : []),
    ...(facts.usesNetwork ? (["network.fetch"] as const) : []),
    ...(facts.leavesWorkspace ? (["file.outside"] as const) : []),
    ...(facts.leavesSandbox ? (["bash.unsandboxed"] as const) : []),
  ];
}
