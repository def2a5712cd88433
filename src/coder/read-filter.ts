import { lstatSync } from "node:fs";
import type { PathClassifier } from "../permissions/paths/classify-path.ts";
import type { FileProtection } from "./protected-files.ts";

export interface ReadFilterOptions {
  workspace: string;
  classify: PathClassifier;
  protectionOf: FileProtection;
  /** Whether a protected name links to it, or to a folder it is in. */
  isSecret(path: string): boolean;
}

/**
 * Whether a tool that goes through a folder may show or copy what is in a file. Most files are judged by their names and by what
 * links to them; one with several names may be a protected file under another, and is looked at like a path a tool was given.
 */
export function createReadFilter({ workspace, classify, ...options }: ReadFilterOptions): (path: string) => boolean {
  return (path) => {
    if (options.protectionOf(path, { access: "read", root: workspace }) !== undefined || options.isSecret(path))
      return false;
    const names = namesOf(path);
    if (names === 1) return true;
    return names !== undefined && classify({ workspace, op: "read", path }).class !== "protected";
  };
}

/** How many names the file has; undefined where nobody can say. */
function namesOf(path: string): number | undefined {
  try {
    return lstatSync(path).nlink;
  } catch {
    return undefined;
  }
}
