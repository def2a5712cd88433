import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";

// Looking around for protected names: what cannot be read tells nothing, and its names stay protected.

/** Those that begin with a dot first: most protected names do. */
export function entriesIn(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return [
      ...entries.filter(({ name }) => name.startsWith(".")),
      ...entries.filter(({ name }) => !name.startsWith(".")),
    ];
  } catch {
    return [];
  }
}

const SMALL_BYTES = 100_000;

/** The text of a small regular file, else nothing. */
export function smallText(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= SMALL_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
