import { mkdirSync } from "node:fs";
import type { Tool } from "../protocol/tool-runs.ts";
import { fileFailure } from "../system/file-failure.ts";
import description from "./create-directory.md" with { type: "text" };
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { type Done, inHeldPlace } from "./file-trees.ts";
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
      const made = await inHeldPlace(place, ({ at }) => makeFolder(at, place.path));
      if (!made.ok) return failedOutput(made.message);
      return textOutput(`Made ${place.shown}.`, { path: place.path, created: true });
    },
  });
}

function makeFolder(at: string, path: string): Done {
  try {
    mkdirSync(at);
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "created");
  }
}
