import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Tool } from "../protocol/tool-runs.ts";
import { errorCode, type FileFailure, fileFailure } from "../system/file-failure.ts";
import { ensureDirectory, syncDirectory } from "../system/files.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { announceTree, copyTree, type FileTree, readTree, removeTree, whyItStays } from "./file-trees.ts";
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
      const tree = await readTree(source.path, signal);
      if (!tree.ok) return failedOutput(tree.message);
      const refused =
        (await announceTree(world, tree, source.path)) ?? (await announceTree(world, tree, destination.path));
      if (refused !== undefined) return failedOutput(refused.message);
      const moved = await move(tree, destination.path, signal);
      if (!moved.ok) return failedOutput(moved.message);
      carryKnowledge(world, tree, destination.path);
      const details = { source: source.path, destination: destination.path, entries: tree.entries.length + 1 };
      return textOutput(`Moved ${source.shown} to ${destination.shown}.`, details);
    },
  });
}

async function move(tree: FileTree, destination: string, signal: AbortSignal): Promise<{ ok: true } | FileFailure> {
  const made = await ensureDirectory(dirname(destination), 0o777);
  if (!made.ok) return made;
  try {
    await rename(tree.path, destination);
    await syncDirectory(dirname(destination));
    return { ok: true };
  } catch (error) {
    if (errorCode(error) !== "EXDEV") return fileFailure(tree.path, error, "moved");
  }
  const copied = await copyTree(tree, destination, signal);
  return copied.ok ? removeTree(tree) : copied;
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
