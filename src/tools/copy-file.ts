import type { Tool } from "../protocol/tool-runs.ts";
import description from "./copy-file.md" with { type: "text" };
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { announceTree, copyTree, readTree, whyItIsNotTaken } from "./file-trees.ts";
import { text } from "./input-fields.ts";
import { missingOutput } from "./missing-file.ts";
import { isWithin } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";

export function copyFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "copy_file",
    aliases: ["cp"],
    description,
    isReadOnly: false,
    fields: { source: text("What to copy"), destination: text("New path, itself not a directory to put it in") },
    paths: ({ source, destination }) => [
      { path: source, access: ["read"] },
      { path: destination, access: ["write"] },
    ],
    summary: ([source, destination]) => `Copy ${source} to ${destination}`,
    async run({ paths: [source, destination] }, { signal }) {
      if (source === undefined || destination === undefined) return failedOutput("Two paths are needed.");
      if (source.kind === "missing") return missingOutput(source);
      if (destination.kind !== "missing")
        return failedOutput(`${destination.shown} exists. Give the full new path, or remove what is there first.`);
      if (isWithin(source.path, destination.path))
        return failedOutput(
          `${destination.shown} is inside ${source.shown}; a directory cannot be copied into itself.`,
        );
      const tree = await readTree(source, signal);
      if (!tree.ok) return failedOutput(tree.message);
      const stays = whyItIsNotTaken(world, tree, { source, destination });
      if (stays !== undefined) return failedOutput(stays);
      const refused = await announceTree(world, tree, destination.path);
      if (refused !== undefined) return failedOutput(refused.message);
      const copied = await copyTree(tree, destination, signal);
      if (!copied.ok) return failedOutput(copied.message);
      const details = { source: source.path, destination: destination.path, entries: tree.entries.length + 1 };
      return textOutput(`Copied ${source.shown} to ${destination.shown}.`, details);
    },
  });
}
