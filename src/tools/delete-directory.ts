import type { Tool } from "../protocol/tool-runs.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import description from "./delete-directory.md" with { type: "text" };
import { announceTree, readTree, removeTree, whyItStays } from "./file-trees.ts";
import { named, text } from "./input-fields.ts";
import { missingOutput } from "./missing-file.ts";
import type { ToolWorld } from "./tool-world.ts";

export function deleteDirectoryTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "delete_directory",
    aliases: ["rmdir"],
    description,
    isReadOnly: false,
    fields: { path: named(text("Directory"), "file_path", "dir_path") },
    paths: ({ path }) => [{ path, access: ["write"], keepsLastLink: true }],
    summary: ([shown]) => `Delete the directory ${shown} and everything in it`,
    async run({ paths: [place] }, { signal }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "missing") return missingOutput(place);
      if (place.kind !== "directory") return failedOutput(`${place.shown} is not a directory. Use delete_file.`);
      const stays = whyItStays(world, place.path);
      if (stays !== undefined) return failedOutput(stays);
      const tree = await readTree(place, signal);
      if (!tree.ok) return failedOutput(tree.message);
      const refused = await announceTree(world, tree, place.path);
      if (refused !== undefined) return failedOutput(refused.message);
      const removed = await removeTree(tree, place);
      if (!removed.ok) return failedOutput(removed.message);
      for (const { path } of tree.entries) world.seen.forget(path);
      const details = { path: place.path, deleted: true, entries: tree.entries.length };
      return textOutput(`Deleted ${place.shown} and ${tree.entries.length} entries in it.`, details);
    },
  });
}
