import { createHash } from "node:crypto";
import { join } from "node:path";

/** Where a loop keeps what it knows about a task, outside of the workspace: `loops` is the folder of all of them. */
export function loopFolder(loops: string, { name, directory }: { name: string; directory: string }): string {
  const digest = createHash("sha256").update(directory).digest("hex").slice(0, 8);
  return join(loops, `${name}-${digest}`);
}

/** The raw output of the agents lies here, a file for each iteration. */
export function iterationsFolder(folder: string): string {
  return join(folder, "iterations");
}

export function iterationLog(folder: string, iteration: number): string {
  return join(iterationsFolder(folder), `${String(iteration).padStart(4, "0")}.log`);
}
