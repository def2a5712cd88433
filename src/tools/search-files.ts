import { relative } from "node:path";
import type { Tool } from "../protocol/tool-runs.ts";
import { defineFileTool } from "./define-file-tool.ts";
import { failedOutput } from "./define-tool.ts";
import { flag, integer, named, optional, text } from "./input-fields.ts";
import { isWithin } from "./resolve-path.ts";
import type { SearchEngine } from "./search-engine.ts";
import description from "./search-files.md" with { type: "text" };
import { searchReport } from "./search-report.ts";
import type { ToolWorld } from "./tool-world.ts";

const DEFAULT_RESULTS = 100;

export function searchFilesTool(world: ToolWorld, engine: SearchEngine): Tool {
  return defineFileTool(world, {
    name: "search_files",
    aliases: ["grep", "search_code", "search"],
    description,
    isReadOnly: true,
    fields: {
      pattern: named(text(), "regex", "query"),
      path: optional(named(text("Folder or file"), "file_path")),
      glob_filter: optional(named(text("Only these files, like *.{ts,tsx}"), "glob", "include", "file_pattern")),
      case_sensitive: optional(flag("Default true")),
      context_lines: optional(integer("Lines around a match", { minimum: 0, maximum: 10 })),
      max_results: optional(integer(`Default ${DEFAULT_RESULTS}`, { minimum: 1, maximum: 1000 })),
      count_only: optional(flag("Counts per file")),
    },
    paths: ({ path = "." }) => [{ path, access: ["read"] }],
    summary: ([shown], { pattern }) => `Search ${shown} for ${pattern}`,
    async run({ input, paths: [place] }, { signal }) {
      if (place === undefined) return failedOutput("A path is needed.");
      if (place.kind === "missing") return failedOutput(`${place.shown} does not exist.`);
      const { pattern, glob_filter, case_sensitive = true, context_lines = 0, max_results, count_only = false } = input;
      const outcome = await engine.search({
        path: place.path,
        root: world.root,
        pattern,
        globFilter: glob_filter,
        isCaseSensitive: case_sensitive,
        contextLines: context_lines,
        maxResults: count_only ? 0 : (max_results ?? DEFAULT_RESULTS),
        mayRead: world.mayRead,
        signal,
      });
      const shown = (file: string) => (isWithin(world.root, file) ? relative(world.root, file) : file);
      return searchReport(outcome, { countOnly: count_only, shown });
    },
  });
}
