import { rename } from "node:fs/promises";
import type { Tool } from "../protocol/tool-runs.ts";
import { errorCode, fileFailure } from "../system/file-failure.ts";
import { syncDirectory } from "../system/files.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import type { PinnedFile } from "./file-content.ts";
import {
  announceTree,
  copyTree,
  type Done,
  type FileTree,
  inHeldPlace,
  readTree,
  removeTree,
  whyItIsNotTaken,
  whyItStays,
} from "./file-trees.ts";
import { text } from "./input-fields.ts";
import { missingOutput } from "./missing-file.ts";
import description from "./move-file.md" with { type: "text" };
import { isWithin } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";

export function moveFileTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "move_file",
    aliases: ["mv"],
    description,
    isReadOnly: false,
    fields: { source: text("What to move"), destination: text("New path, itself not a directory to put it in") },
    paths: ({ source, destination }) => [
      { path: source, access: ["write"], keepsLastLink: true },
      { path: destination, access: ["write"], keepsLastLink: true },
    ],
    summary: ([source, destination]) => `Move ${source} to ${destination}`,
    async run({ paths: [source, destination] }, { signal }) {
      if (source === undefined || destination === undefined) return failedOutput("Two paths are needed.");
      if (source.kind === "missing") return missingOutput(source);
      if (destination.kind !== "missing")
        return failedOutput(`${destination.shown} exists. Give the full new path, or remove what is there first.`);
      const stays = whyItStays(world, source.path);
      if (stays !== undefined) return failedOutput(stays);
      if (isWithin(source.path, destination.path))
        return failedOutput(`${destination.shown} is inside ${source.shown}; a directory cannot be moved into itself.`);
      const tree = await readTree(source, signal);
      if (!tree.ok) return failedOutput(tree.message);
      const whole = whyItIsNotTaken(world, tree, { source, destination });
      if (whole !== undefined) return failedOutput(whole);
      const refused =
        (await announceTree(world, tree, source.path)) ?? (await announceTree(world, tree, destination.path));
      if (refused !== undefined) return failedOutput(refused.message);
      const moved = await move(tree, { source, destination }, signal);
      if (!moved.ok) return failedOutput(moved.message);
      carryKnowledge(world, tree, destination.path);
      const details = { source: source.path, destination: destination.path, entries: tree.entries.length + 1 };
      return textOutput(`Moved ${source.shown} to ${destination.shown}.`, details);
    },
  });
}

async function move(
  tree: FileTree,
  { source, destination }: { source: PinnedFile; destination: PinnedFile },
  signal: AbortSignal,
): Promise<Done> {
  let isOtherDisk = false;
  const moved = await inHeldPlace(source, (from) =>
    inHeldPlace(destination, async (to) => {
      try {
        await rename(from.at, to.at);
        await syncDirectory(to.folder);
        return { ok: true };
      } catch (error) {
        isOtherDisk = errorCode(error) === "EXDEV";
        return fileFailure(tree.path, error, "moved");
      }
    }),
  );
  if (!isOtherDisk) return moved;
  const copied = await copyTree(tree, destination, signal);
  return copied.ok ? removeTree(tree, source) : copied;
}

/** A file that was read is still known under its new name. */
function carryKnowledge(world: ToolWorld, tree: FileTree, destination: string): void {
  for (const path of [tree.path, ...tree.entries.map((entry) => entry.path)]) {
    const hash = world.seen.hashOf(path);
    const content = world.seen.contentOf(path);
    world.seen.forget(path);
    if (hash !== undefined) world.seen.remember(destination + path.slice(tree.path.length), hash, content);
  }
}
