import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ToolOutput } from "../protocol/tool-runs.ts";
import { holdRealFolder } from "../system/open-real.ts";
import { failedOutput } from "./define-tool.ts";
import type { ResolvedPath } from "./resolve-path.ts";
import { similarNames } from "./similar-names.ts";

const MAXIMUM_NAMES = 5000;

/** Names what the path may have meant: entries nearby that look alike, or where the path stops existing. */
export async function missingOutput(place: ResolvedPath): Promise<ToolOutput> {
  return failedOutput(`${place.shown} does not exist. ${await nearbySentence(place.path)}`);
}

async function namesIn(directory: string): Promise<string[] | undefined> {
  const held = holdRealFolder(directory);
  if (!held.ok) return undefined;
  try {
    return await readdir(held.folder.path);
  } catch {
    return undefined;
  } finally {
    held.folder.stop();
  }
}

async function nearbySentence(path: string): Promise<string> {
  const directory = dirname(path);
  const names = await namesIn(directory);
  if (names === undefined) return `The directory ${directory} does not exist either.`;
  const similar = similarNames(basename(path), names.slice(0, MAXIMUM_NAMES));
  if (similar.length === 0) return `List ${directory} to see what is there.`;
  return `Similar names there: ${similar.map((name) => join(directory, name)).join(", ")}.`;
}
