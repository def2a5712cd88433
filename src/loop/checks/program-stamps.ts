import { createReadStream, existsSync } from "node:fs";
import { readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

/** Where package managers put programs that come before those of the system. */
const PROGRAM_FOLDERS = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * What stands under these names in the folders of installed programs: path → digest; `-` where nothing does. A folder that is not
 * there yet is left out: filling it is installing.
 */
export async function programStamps(root: string, names: readonly string[]): Promise<Map<string, string>> {
  const stamps = new Map<string, string>();
  for (const folder of PROGRAM_FOLDERS.filter((place) => existsSync(join(root, place)))) {
    for (const name of names) {
      const path = join(root, folder, name);
      stamps.set(`${folder}/${name}`, existsSync(path) ? await stampOf(path) : "-");
    }
  }
  return stamps;
}

async function stampOf(path: string): Promise<string> {
  const link = await readlink(path).catch(() => "");
  const target = await realpath(path).catch(() => path);
  const stats = await stat(target).catch(() => undefined);
  const hash = new Bun.CryptoHasher("sha256").update(`${link}\0${stats?.mode}\0${stats?.size}\0`);
  if (stats?.isFile() && stats.size <= MOST_BYTES) {
    for await (const piece of createReadStream(target)) hash.update(piece);
  }
  return hash.digest("hex");
}
