import type { Tool } from "../protocol/tool-runs.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import description from "./delete-file.md" with { type: "text" };
import { announceTree, readTree, removeTree } from "./file-trees.ts";
import { named, text } from "./input-fields.ts";
import { missingOutput } from "./missing-file.ts";
import type { ToolWorld } from "./tool-world.ts";

export function deleteFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "delete_file",
    aliases: ["rm"],
    description,
    isReadOnly: false,
    fields: { path: named(text("File"), "file_path") },
    paths: ({ path }) => [{ path, access: ["write"], keepsLastLink: true }],
    summary: ([shown]) => `Delete ${shown}`,
    async run({ paths: [place] }, { signal }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "missing") return missingOutput(place);
      if (place.kind === "directory") return failedOutput(`${place.shown} is a directory. Use delete_directory.`);
      const tree = await readTree(place, signal);
      if (!tree.ok) return failedOutput(tree.message);
      const refused = await announceTree(world, tree, place.path);
      if (refused !== undefined) return failedOutput(refused.message);
      const removed = await removeTree(tree, place);
      if (!removed.ok) return failedOutput(removed.message);
      world.seen.forget(place.path);
      return textOutput(`Deleted ${place.shown}.`, { path: place.path, deleted: true });
    },
  });
}
