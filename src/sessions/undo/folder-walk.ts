import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { holdsSomething } from "../../system/empty-folder.ts";
import { type RawNames, rawStamp, shownText, textOf } from "./raw-names.ts";

export interface WalkedFolder {
  /** Folders before what is in them. */
  paths: string[];
  rawNames: RawNames;
}

export interface WalkOptions {
  limit: number;
  /** Names in the top folder under which an empty folder counts for nothing: it only holds the name. */
  placeholders?: readonly string[] | undefined;
}

/** Everything below a folder without git's own. Undefined when there is more than `limit`. */
export async function walkFolder(
  root: string,
  { limit, placeholders = [] }: WalkOptions,
): Promise<WalkedFolder | undefined> {
  const paths: string[] = [];
  const rawNames = new Map<string, string>();
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    // A folder that cannot be read is one that cannot be changed by us either.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name === ".git" || entry.name.includes(REPLACED)) continue;
      const path = join(folder, entry.name);
      if (placeholders.includes(path) && !holdsSomething(join(root, path))) continue;
      paths.push(path);
      if (entry.isDirectory()) open.push(path);
    }
    if (entries.some(({ name }) => name.includes(REPLACED))) await addReplaced({ root, folder, paths, rawNames, open });
    if (paths.length + rawNames.size > limit) return undefined;
  }
  return { paths, rawNames };
}

/** Stands in a name for bytes that are no text, unless it is in the name itself. */
const REPLACED = "\uFFFD";

interface Walk extends WalkedFolder {
  root: string;
  folder: string;
  rawNames: Map<string, string>;
  open: string[];
}

async function addReplaced({ root, folder, paths, rawNames, open }: Walk): Promise<void> {
  const top = Buffer.from(`${join(root, folder)}/`);
  const names = await readdir(top, { encoding: "buffer" }).catch(() => []);
  for (const name of names) {
    const text = textOf(name);
    if (text?.includes(REPLACED) === false) continue;
    const path = join(folder, text ?? shownText(name));
    const bytes = Buffer.concat([top, name]);
    if (text === undefined) {
      await addRaw({ path, bytes, rawNames });
      continue;
    }
    paths.push(path);
    if (rawStamp(bytes).isDirectory) open.push(path);
  }
}

interface RawPath {
  /** As it is shown. */
  path: string;
  bytes: Buffer;
  rawNames: Map<string, string>;
}

/** The path, and all that is below it. */
async function addRaw({ path, bytes, rawNames }: RawPath): Promise<void> {
  const { stamp, isDirectory } = rawStamp(bytes);
  rawNames.set(path, stamp);
  if (!isDirectory || rawNames.size > MOST_RAW_NAMES) return;
  for (const name of await readdir(bytes, { encoding: "buffer" }).catch(() => []))
    await addRaw({
      path: join(path, shownText(name)),
      bytes: Buffer.concat([bytes, Buffer.from("/"), name]),
      rawNames,
    });
}

/** Beyond that the walk is over its limit in any case. */
const MOST_RAW_NAMES = 10_000;
