import { isNudge } from "../../agent/nudges.ts";
import type { ToolCallPart } from "../../protocol/messages.ts";
import type { ToolReadings } from "../../sessions/compaction/pins.ts";

/** What calls and results mean for somebody who keeps the important ones. `nameOf` undoes other spellings of a tool's name. */
export function createToolReadings(nameOf: (name: string) => string): ToolReadings {
  return {
    isRequest: (message) => !isNudge(message),
    isQuestion: (toolName) => nameOf(toolName) === "ask_user",
    questionOf: (call) => (nameOf(call.name) === "ask_user" ? textOf(call, "question") : undefined),
    isRefusal({ isError, content }) {
      const [part] = content;
      return isError && part?.type === "text" && part.text.startsWith("Not run: ") && REFUSAL.test(part.text);
    },
    changedFile(call) {
      if (!CHANGES.has(nameOf(call.name))) return undefined;
      return PATH_FIELDS.map((field) => textOf(call, field)).find((path) => path !== undefined);
    },
  };
}

/** Not those a model can do something about, like wrong arguments. */
const REFUSAL = /\b(said no|protected|needs a yes|denied|not allowed|forbidden|forbids|refused|mode)\b/i;

const CHANGES = new Set([
  "write_file",
  "edit_file",
  "append_file",
  "apply_delta",
  "delete_file",
  "delete_directory",
  "create_directory",
  "move_file",
  "copy_file",
]);

/** What is there afterwards comes first. */
const PATH_FIELDS = ["destination", "path", "file_path", "dir_path"];

function textOf({ input }: ToolCallPart, field: string): string | undefined {
  const value = input[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}
