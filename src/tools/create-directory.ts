import type { Tool } from "../protocol/tool-runs.ts";
import { ensureDirectory } from "../system/files.ts";
import description from "./create-directory.md" with { type: "text" };
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { named, text } from "./input-fields.ts";
import type { ToolWorld } from "./tool-world.ts";

export function createDirectoryTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "create_directory",
    aliases: ["mkdir"],
    description,
    isReadOnly: false,
    fields: { path: named(text("Directory"), "file_path", "dir_path") },
    paths: ({ path }) => [{ path, access: ["write"] }],
    summary: ([shown]) => `Make the directory ${shown}`,
    async run({ paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "directory")
        return textOutput(`${place.shown} is there already.`, { path: place.path, created: false });
      if (place.kind === "file") return failedOutput(`${place.shown} is a file. Choose another name.`);
      const refused = await world.beforeChange(place.path);
      if (refused !== undefined) return failedOutput(refused.message);
      const made = await ensureDirectory(place.path, 0o777);
      if (!made.ok) return failedOutput(made.message);
      return textOutput(`Made ${place.shown}.`, { path: place.path, created: true });
    },
  });
}
