import { lstat } from "node:fs/promises";
import type { Tool } from "../protocol/tool-runs.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { flag, named, optional, text } from "./input-fields.ts";
import description from "./list-dir.md" with { type: "text" };
import { missingOutput } from "./missing-file.ts";
import type { ToolWorld } from "./tool-world.ts";
import { type WalkEntry, type WalkOptions, walkDirectory } from "./walk-directory.ts";

const MAXIMUM_ENTRIES = 1000;
const MAXIMUM_LOOKED_AT = 100_000;
const HEAVY = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "target",
  "dist",
  "build",
  "__pycache__",
  ".venv",
  "venv",
]);

interface Filter {
  glob_filter: string | undefined;
  recursive: boolean | undefined;
  include_hidden: boolean | undefined;
}

export function listDirTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "list_dir",
    aliases: ["list_directory", "ls"],
    description,
    isReadOnly: true,
    fields: {
      path: optional(named(text("Default: the workspace"), "file_path", "dir_path")),
      glob_filter: optional(text("Names to show, like *.ts")),
      recursive: optional(flag("Skips node_modules, .git and the like")),
      include_hidden: optional(flag()),
    },
    paths: ({ path }) => [{ path: path ?? ".", access: ["read"] }],
    summary: ([shown]) => `List ${shown}`,
    async run({ input, paths: [place] }, { signal }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "missing") return missingOutput(place);
      if (place.kind !== "directory") return failedOutput(`${place.shown} is a file. Use read_file.`);
      const walked = await walkDirectory(place.path, { limit: MAXIMUM_LOOKED_AT, signal, ...filterOf(input, world) });
      if (!walked.ok) return failedOutput(walked.message);
      const listed = await Promise.all(walked.entries.slice(0, MAXIMUM_ENTRIES).map(describe));
      const isTruncated = !walked.isComplete || walked.entries.length > MAXIMUM_ENTRIES;
      const notes = [
        ...(listed.length === 0 ? ["(nothing to list)"] : []),
        ...(isTruncated ? [`[… only ${listed.length} entries are shown; narrow it with path or glob_filter …]`] : []),
        ...walked.unreadable.slice(0, 10).map((path) => `(could not be read: ${path})`),
      ];
      const lines = listed.map(({ path, kind, size }) => lineOf(path, kind, size));
      const details = { path: place.path, entries: listed, truncated: isTruncated };
      return textOutput([...lines, ...notes].join("\n"), details);
    },
  });
}

function filterOf(
  { glob_filter, recursive, include_hidden }: Filter,
  { isPlaceholder = () => false }: ToolWorld,
): Pick<WalkOptions, "shows" | "enters"> {
  const glob = glob_filter === undefined ? undefined : new Bun.Glob(glob_filter);
  const byPath = glob_filter?.includes("/") ?? false;
  const isVisible = ({ name, path }: WalkEntry) =>
    !name.startsWith(".") || (include_hidden === true && !isPlaceholder(path));
  return {
    shows: (entry) => isVisible(entry) && (glob?.match(byPath ? entry.relative : entry.name) ?? true),
    enters: (entry) => recursive === true && isVisible(entry) && !HEAVY.has(entry.name),
  };
}

async function describe({ path, relative, kind }: WalkEntry) {
  const stats = await lstat(path).catch(() => undefined);
  return { path: relative, kind, size: stats?.size ?? 0, modified: stats?.mtime.toISOString() ?? null };
}

function lineOf(path: string, kind: WalkEntry["kind"], size: number): string {
  if (kind === "directory") return `${path}/`;
  return kind === "file" ? `${path}  ${size}` : `${path}  (${kind})`;
}
