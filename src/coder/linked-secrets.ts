import { dirname } from "node:path";
import { foldersToLookIn } from "../permissions/paths/find-protection.ts";
import { type OwnFolders, ownPlaces } from "../permissions/paths/own-folders.ts";
import { createProtectedIdentities, identityOf } from "../permissions/paths/protected-identities.ts";
import { placeAt } from "../permissions/paths/resolve-safely.ts";

export interface LinkedSecretsOptions {
  /** Absolute, links resolved. What stands above it does not count for the files in it. */
  workspace: string;
  home: string;
  own: OwnFolders;
  /** The wall clock. */
  now: () => number;
}

const MOST_FOLDERS = 5000;

/**
 * Whether a file is a secret that a protected name links to, or is in a folder that one links to: `.env` may be a link to a file
 * with any name. For paths without links. Made for thousands of files in a few folders, each of which is looked at once.
 */
export function createLinkedSecrets({ workspace, home, own, now }: LinkedSecretsOptions): (path: string) => boolean {
  const identities = createProtectedIdentities(now);
  const roots = foldersToLookIn({ workspace, home, own: ownPlaces(own) });
  const folders = new Map<string, boolean>();
  let secrets: ReadonlySet<string> = new Set();
  const isOne = (path: string) => {
    const place = placeAt(path);
    return place !== undefined && secrets.has(identityOf(place));
  };
  const isInOne = (folder: string): boolean => {
    if (folder === "/" || folder === workspace) return false;
    const known = folders.get(folder) ?? (isOne(folder) || isInOne(dirname(folder)));
    if (folders.size >= MOST_FOLDERS) folders.clear();
    folders.set(folder, known);
    return known;
  };
  return (path) => {
    const current = identities.secretsIn(roots);
    if (current !== secrets) folders.clear();
    secrets = current;
    return secrets.size > 0 && (isOne(path) || isInOne(dirname(path)));
  };
}
