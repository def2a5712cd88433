import { forbids, matchProtected, type Protection } from "../permissions/paths/match-protected.ts";
import { namesIn, type OwnFolders, ownPlaces } from "../permissions/paths/own-folders.ts";
import type { PathAccess } from "../permissions/paths/path-request.ts";

/** Says of resolved paths whether they are files of secrets: no tool and no instruction file gets at them, whatever was allowed. */
export function protectedFileTest(own: OwnFolders): (path: string) => boolean {
  const protectionOf = createFileProtection(own);
  return (path) => protectionOf(path, { access: "read" }) !== undefined;
}

/** Why nobody gets at the file; undefined where nothing protects it. Below `root` only the names inside it count. */
export type FileProtection = (path: string, use: { access: PathAccess; root?: string }) => Protection | undefined;

/** By the names alone, those of Ralph's own folders included, wherever they are. */
export function createFileProtection(own: OwnFolders): FileProtection {
  const { config, data } = ownPlaces(own);
  const places = [...config, ...data];
  return (path, { access, root }) => {
    const isInside = root !== undefined && path.startsWith(`${root}/`);
    const names = (isInside ? path.slice(root.length) : path).split("/").filter((name) => name !== "");
    const found = [
      matchProtected(names, { isFromRoot: !isInside, folders: "none" }),
      ...namesIn(places, path).map((own) => matchProtected(own, { isFromRoot: false, folders: "none" })),
    ];
    return found.find((protection) => protection !== undefined && forbids(protection, [access]));
  };
}
