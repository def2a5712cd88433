import { stat } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import type { Tool, ToolOutput } from "../protocol/tool-runs.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { pathFilter } from "./gitignore.ts";
import description from "./glob-files.md" with { type: "text" };
import { flag, named, optional, text } from "./input-fields.ts";
import { isWithin, type ResolvedPath } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";
import { walkFiles } from "./walk-files.ts";

const MOST_SHOWN = 1000;
const MOST_MATCHES = 50_000;
const LONGEST_SEARCH_MS = 30_000;

export function globFilesTool(world: ToolWorld): Tool {
  return defineFileTool(world, {
    name: "glob_files",
    aliases: ["find", "glob"],
    description,
    isReadOnly: true,
    fields: {
      pattern: text("Like *.ts or src/**/*.{ts,tsx}"),
      path: optional(named(text(), "file_path")),
      include_ignored: optional(flag()),
    },
    paths: ({ path = "." }) => [{ path, access: ["read"] }],
    summary: ([shown], { pattern }) => `List ${pattern} in ${shown}`,
    async run({ input: { pattern, include_ignored = false }, paths: [place] }, context) {
      if (place?.kind !== "directory")
        return failedOutput(`${place?.shown} is not a directory. Give a folder as path.`);
      const problem = patternProblem(pattern);
      if (problem !== undefined) return failedOutput(problem);
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(LONGEST_SEARCH_MS)]);
      const found = await findFiles(place, pattern, { root: world.root, includesIgnored: include_ignored, signal });
      return report(world, { place, pattern, signal }, await newestFirst(found));
    },
  });
}

function patternProblem(pattern: string): string | undefined {
  if (isAbsolute(pattern)) return "The pattern is relative to path: give the folder as path and the rest as pattern.";
  if (pattern.split("/").includes("..")) return 'The pattern cannot go up with "..": give the folder as path.';
  return undefined;
}

async function findFiles(
  { path }: ResolvedPath,
  pattern: string,
  options: { root: string; includesIgnored: boolean; signal: AbortSignal },
): Promise<string[]> {
  const fits = pathFilter(pattern.replace(/^\.\//, "/"));
  const found: string[] = [];
  for await (const files of walkFiles(path, options)) {
    for (const file of files) if (fits(relative(path, file))) found.push(file);
    if (found.length >= MOST_MATCHES) return found.slice(0, MOST_MATCHES);
  }
  return found;
}

/** What changed last is what people work on. Files of the same moment keep the order of their names. */
async function newestFirst(files: string[]): Promise<string[]> {
  const times = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const indexes = files.map((_, index) => index);
  indexes.sort((first, second) => (times[second] ?? 0) - (times[first] ?? 0) || first - second);
  return indexes.map((index) => files[index] ?? "");
}

interface Search {
  place: ResolvedPath;
  pattern: string;
  signal: AbortSignal;
}

function report(world: ToolWorld, { place, pattern, signal }: Search, files: string[]): ToolOutput {
  const shown = files
    .slice(0, MOST_SHOWN)
    .map((file) => (isWithin(world.root, file) ? relative(world.root, file) : file));
  const notes: string[] = [];
  if (files.length === 0) notes.push(`No file in ${place.shown} fits ${pattern}.`);
  if (files.length > shown.length) notes.push(`${files.length} files fit; the ${MOST_SHOWN} newest are listed.`);
  if (files.length >= MOST_MATCHES) notes.push(`The search ended at its limit of ${MOST_MATCHES} files.`);
  if (signal.aborted) notes.push("The search was stopped before it was done; look in a smaller folder.");
  return textOutput([...shown, ...notes].join("\n"), {
    files: shown,
    total: files.length,
    truncated: files.length > shown.length || signal.aborted,
  });
}
