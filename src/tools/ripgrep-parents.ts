import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { holdsSomething } from "../system/empty-folder.ts";
import { isWithin } from "./resolve-path.ts";

/**
 * What makes ripgrep heed just those .gitignore files above a folder that count: up to the top of the repository, or up to the
 * workspace where there is no repository. Undefined where it cannot be told to.
 */
export function parentArguments(path: string, root: string): string[] | undefined {
  const ancestors = foldersFrom(path);
  if (ancestors.some((folder) => holdsSomething(join(folder, ".git")))) return [];
  const withRules = ancestors.slice(1).filter((folder) => existsSync(join(folder, ".gitignore")));
  if (!withRules.some((folder) => isWithin(root, folder))) return ["--no-require-git", "--no-ignore-parent"];
  return withRules.every((folder) => isWithin(root, folder)) ? ["--no-require-git"] : undefined;
}

/** The folder itself first. */
function foldersFrom(path: string): string[] {
  const folders = [path];
  for (let at = path; at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return folders;
}
