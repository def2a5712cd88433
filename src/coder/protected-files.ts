import { forbids, matchProtected, type Protection } from "../permissions/paths/match-protected.ts";
import type { PathAccess } from "../permissions/paths/path-request.ts";

/** Files of secrets: no tool and no instruction file gets at them, whatever was allowed. `path` is resolved. */
export function isProtectedFile(path: string): boolean {
  return protectionOfFile(path, { access: "read" }) !== undefined;
}

/** Why nobody gets at the file; undefined where nothing protects it. Below `root` only the names inside it count. */
export function protectionOfFile(
  path: string,
  { access, root }: { access: PathAccess; root?: string },
): Protection | undefined {
  const isInside = root !== undefined && path.startsWith(`${root}/`);
  const names = (isInside ? path.slice(root.length) : path).split("/").filter((name) => name !== "");
  const found = matchProtected(names, { isFromRoot: !isInside, folders: "none" });
  return found !== undefined && forbids(found, [access]) ? found : undefined;
}
