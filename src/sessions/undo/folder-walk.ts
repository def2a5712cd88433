import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Everything below a folder, folders before what is in them, without git's own. Undefined when there is more than `limit`. */
export async function walkFolder(root: string, limit: number): Promise<string[] | undefined> {
  const found: string[] = [];
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    // A folder that cannot be read is one that cannot be changed by us either.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name === ".git" || entry.name.includes("\uFFFD")) continue;
      const path = join(folder, entry.name);
      found.push(path);
      if (entry.isDirectory()) open.push(path);
    }
    if (found.length > limit) return undefined;
  }
  return found;
}
