import { basename } from "node:path";

/** Files of secrets: no tool and no instruction file gets at them, whatever was allowed. `path` is resolved. */
export function isProtectedFile(path: string): boolean {
  return /^\.env(\..*)?$/i.test(basename(path));
}
