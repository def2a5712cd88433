import { constants, type Stats } from "node:fs";
import { access, lstat } from "node:fs/promises";
import type { JsonObject } from "../protocol/json.ts";
import type { Tool } from "../protocol/tool-runs.ts";
import { fileFailure } from "../system/file-failure.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import description from "./file-info.md" with { type: "text" };
import { named, text } from "./input-fields.ts";
import { missingOutput } from "./missing-file.ts";
import type { ToolWorld } from "./tool-world.ts";

const PERMISSION_LETTERS = "rwxrwxrwx";

/** It stands in no folder, and nobody can swap it. */
const ROOT = { at: "/", stop: () => undefined };

/** A link is described as what it leads to; `path` in the result says where that is. */
export function fileInfoTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "file_info",
    description,
    isReadOnly: true,
    fields: { path: named(text("File or directory"), "file_path") },
    paths: ({ path }) => [{ path, access: ["read"] }],
    summary: ([shown]) => `Look at ${shown}`,
    async run({ paths: [place] }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "missing") return missingOutput(place);
      const held = place.path === "/" ? { ok: true as const, place: ROOT } : place.pin.hold();
      if (!held.ok) return failedOutput(held.message);
      const { at, stop } = held.place;
      try {
        const details = { path: place.path, ...factsOf(await lstat(at)), ...(await accessOf(at)) };
        return textOutput(JSON.stringify(details, null, 1), details);
      } catch (error) {
        return failedOutput(fileFailure(place.path, error, "looked at").message);
      } finally {
        stop();
      }
    },
  });
}

function factsOf(stats: Stats): JsonObject {
  return {
    size: stats.size,
    is_file: stats.isFile(),
    is_directory: stats.isDirectory(),
    is_symlink: stats.isSymbolicLink(),
    permissions: symbolic(stats.mode),
    octal: (stats.mode & 0o7777).toString(8).padStart(4, "0"),
    uid: stats.uid,
    gid: stats.gid,
    created: stats.birthtime.toISOString(),
    modified: stats.mtime.toISOString(),
    accessed: stats.atime.toISOString(),
  };
}

function symbolic(mode: number): string {
  return [...PERMISSION_LETTERS].map((letter, index) => (mode & (0o400 >> index) ? letter : "-")).join("");
}

async function accessOf(path: string): Promise<JsonObject> {
  const may = (mode: number) =>
    access(path, mode).then(
      () => true,
      () => false,
    );
  const [readable, writable, executable] = await Promise.all([
    may(constants.R_OK),
    may(constants.W_OK),
    may(constants.X_OK),
  ]);
  return { readable, writable, executable };
}
