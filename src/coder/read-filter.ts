import { lstatSync } from "node:fs";
import type { PathClassifier } from "../permissions/paths/classify-path.ts";
import { protectionOfFile } from "./protected-files.ts";

/**
 * Whether a search may show what is in a file. Most files are judged by their names alone; one with several names may be a
 * protected file under another, and is looked at like a path a tool was given.
 */
export function createReadFilter(workspace: string, classify: PathClassifier): (path: string) => boolean {
  return (path) => {
    if (protectionOfFile(path, { access: "read", root: workspace }) !== undefined) return false;
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
