import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { projectRoot } from "../../settings/load-settings.ts";

/** The branch that is checked out, read from the files of git; a short commit where none is. */
export function gitBranch(cwd: string): string | undefined {
  try {
    const folder = gitFolder(join(projectRoot(cwd), ".git"));
    const head = readFileSync(join(folder, "HEAD"), "utf8").trim();
    return head.startsWith("ref: ") ? head.replace(/^ref: (refs\/heads\/)?/, "") : head.slice(0, SHORT_COMMIT);
  } catch {
    return undefined;
  }
}

const SHORT_COMMIT = 8;

/** In a worktree `.git` is a file that names the folder. */
function gitFolder(path: string): string {
  if (statSync(path).isDirectory()) return path;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8"))?.[1]?.trim() ?? path;
  return isAbsolute(named) ? named : join(dirname(path), named);
}
