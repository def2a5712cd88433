import type { JsonObject } from "../protocol/json.ts";
import { RalphError } from "./ralph-error.ts";

/** Ralph's own tools, by name. */
export const BUILTIN_TOOLS = [
  "read_file",
  "search_files",
  "glob_files",
  "list_dir",
  "edit_file",
  "write_file",
  "shell",
  "append_file",
  "apply_delta",
  "file_info",
  "create_directory",
  "move_file",
  "copy_file",
  "delete_file",
  "delete_directory",
  "job_list",
  "job_output",
  "job_kill",
  "TodoWrite",
  "TodoRead",
  "update_plan",
  "view_image",
  "web_fetch",
  "ask_user",
] as const;

/** One of Ralph's own tools, to be handed to a session. It runs there and nowhere else, because that is where the gate is. */
export interface BuiltinTool {
  readonly builtin: true;
  name: string;
  /** Other spellings that are understood. */
  aliases: readonly string[];
  description: string;
  parameters: JsonObject;
  isReadOnly: boolean;
}

/** Ralph's own tools, or those of them that are named; other spellings of a name count. */
export async function createTools(names?: readonly string[]): Promise<BuiltinTool[]> {
  const { describedTools } = await import("../coder/all-tools.ts");
  const all = describedTools();
  const chosen = names?.map((name) => {
    const tool = all.find((each) => [each.name, ...each.aliases].includes(name));
    if (tool === undefined)
      throw new RalphError("invalid", `Ralph has no tool "${name}". There are: ${BUILTIN_TOOLS.join(", ")}.`);
    return tool;
  });
  return (chosen ?? all).map(({ name, aliases, description, parameters, isReadOnly }) => ({
    builtin: true,
    name,
    aliases,
    description,
    parameters,
    isReadOnly,
  }));
}
