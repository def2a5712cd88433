import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import type { Found, McpWorld } from "./served-loops.ts";

// Folders as a caller names them: absolute, or in the first served folder.

export const folderWord = z.string().min(1).max(4096);

/** One that is there, under a root. */
export function servedFolder(world: McpWorld, folder: string): Found<string> {
  return found(world, folder, (real) => (statSync(real).isDirectory() ? real : undefined));
}

/** A folder, or that of a file in one, under a root. */
export function taskFolder(world: McpWorld, task: string): Found<string> {
  return found(world, task, (real) => (statSync(real).isDirectory() ? real : dirname(real)));
}

export function outside({ roots }: McpWorld, path: string): { ok: false; message: string } {
  return { ok: false, message: `${path} is outside of what is served: ${roots.folders.join(", ")}.` };
}

function found(world: McpWorld, given: string, folderOf: (real: string) => string | undefined): Found<string> {
  const { roots } = world;
  const missing = `There is no folder ${given}. Tasks lie under ${roots.folders.join(", ")}.`;
  try {
    const folder = folderOf(realpathSync(resolve(roots.folders[0], given)));
    if (folder === undefined) return { ok: false, message: missing };
    return roots.holds(folder) ? { ok: true, value: folder } : outside(world, given);
  } catch {
    return { ok: false, message: missing };
  }
}
