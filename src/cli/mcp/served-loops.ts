import { basename, resolve } from "node:path";
import type { RegisteredLoop } from "../../loop/state/registry.ts";
import { listLoops } from "../loop/find-loop.ts";
import type { RunContext } from "../run-context.ts";
import type { ServedRoots } from "./served-roots.ts";

// The loops a caller gets to see: those whose task lies under a root.

export interface McpWorld {
  context: RunContext;
  roots: ServedRoots;
  /** The folders of tasks whose loops are about to begin. */
  starting: Set<string>;
}

export type Found<Value> = { ok: true; value: Value } | { ok: false; message: string };

/** The name by which a loop is known for good: its task's name and where that lies. */
export function loopId({ folder }: Pick<RegisteredLoop, "folder">): string {
  return basename(folder);
}

/** Newest first. */
export async function servedLoops({ context, roots }: McpWorld): Promise<Found<RegisteredLoop[]>> {
  const { loops, problem } = await listLoops(context);
  if (problem !== undefined) return { ok: false, message: problem };
  return { ok: true, value: loops.filter(({ taskDirectory }) => roots.holds(taskDirectory)) };
}

/** By id, name or folder. Of several with one name the running one is meant, then the newest. */
export async function findServedLoop(world: McpWorld, word: string): Promise<Found<RegisteredLoop>> {
  const listed = await servedLoops(world);
  if (!listed.ok) return listed;
  const named = listed.value.filter(({ taskName }) => taskName === word);
  const loop =
    listed.value.find((row) => loopId(row) === word) ??
    named.find(({ status }) => status === "running") ??
    named[0] ??
    listed.value.find(({ taskDirectory }) => taskDirectory === resolve(world.roots.folders[0], word));
  if (loop !== undefined) return { ok: true, value: loop };
  const known = listed.value.slice(0, MOST_NAMES).map(loopId).join(", ");
  return {
    ok: false,
    message: `No loop here is called "${word}". ${known === "" ? "None was started yet: use ralph_run." : `There are: ${known}.`}`,
  };
}

const MOST_NAMES = 20;
