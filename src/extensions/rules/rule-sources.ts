import { statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface RulePlaces {
  /** The top folder of the project, absolute. */
  root: string;
  /** Absolute, inside the root. */
  cwd: string;
  /** The user's configuration folder and home, absolute. */
  config: string;
  home: string;
}

/**
 * Somewhere rules are found. A folder holds one in each file with one of the extensions; a single file is a rule of the name `file`.
 * With `isNearest` the path is looked for in every folder from `cwd` up to the root.
 */
export interface RuleSource {
  owner: "project" | "user";
  path(places: RulePlaces): string;
  extensions: readonly string[];
  /** The name of the rule where the path is a file. */
  file?: string;
  isNearest?: true;
}

const BOTH = [".md", ".mdc"];
const MARKDOWN = [".md"];

/** In the order in which they count: of two rules with one name the first is used. */
export const RULE_SOURCES: readonly RuleSource[] = [
  { owner: "project", path: ({ root }) => join(root, ".ralph", "rules"), extensions: BOTH },
  { owner: "user", path: ({ config }) => join(config, "rules"), extensions: BOTH },
  { owner: "user", path: ({ home }) => join(home, ".cursor", "rules"), extensions: BOTH },
  { owner: "project", path: ({ root }) => join(root, ".cursor", "rules"), extensions: BOTH },
  {
    owner: "user",
    path: ({ home }) => join(home, ".codeium", "windsurf", "memories", "global_rules.md"),
    extensions: [],
    file: "global_rules",
  },
  { owner: "project", path: ({ root }) => join(root, ".windsurf", "rules"), extensions: MARKDOWN },
  {
    owner: "project",
    path: ({ cwd }) => join(cwd, ".clinerules"),
    extensions: MARKDOWN,
    file: "clinerules",
    isNearest: true,
  },
];

export interface FoundPlace {
  path: string;
  isFolder: boolean;
}

/** Undefined where there is nothing. Only looked at, not read. */
export function placeOf(source: RuleSource, places: RulePlaces): FoundPlace | undefined {
  if (source.isNearest !== true) return lookAt(source.path(places));
  for (let { cwd } = places; ; cwd = dirname(cwd)) {
    const found = lookAt(source.path({ ...places, cwd }));
    if (found !== undefined || cwd === places.root || dirname(cwd) === cwd) return found;
  }
}

function lookAt(path: string): FoundPlace | undefined {
  try {
    return { path, isFolder: statSync(path).isDirectory() };
  } catch {
    return undefined;
  }
}
