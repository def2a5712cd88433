import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeLockRemains } from "../../system/lock-takeover.ts";
import { removeStaleTemporaries } from "../../system/temporary-names.ts";
import { removeStaleCheckouts } from "../checks/checkout.ts";
import { reap } from "../runners/reap.ts";
import type { LoopState } from "../state/fold-journal.ts";
import type { RunRequest, RunWorld } from "./run-request.ts";

export interface RemainsPlace {
  world: RunWorld;
  folder: string;
  /** What the journal says of the last run. */
  state: LoopState;
}

/**
 * Ends what a killed run left running, then removes what it left lying: checkouts, index files, files that were being written. To be
 * called with the task's lock held. Gives the processes that were ended.
 */
export async function clearRemains({ task }: RunRequest, { world, folder, state }: RemainsPlace): Promise<number[]> {
  const { run, agent } = state;
  const agents = agent === undefined ? [] : [agent];
  const ended = run === undefined ? [] : await reap({ mark: `RALPH_LOOP_MARK=${run.run}`, agents });
  await removeStaleCheckouts(join(folder, "checkouts"));
  await rm(join(folder, "scratch"), { recursive: true, force: true }).catch(() => undefined);
  await removeLockRemains(join(folder, "lock"));
  const places = [folder, task.directory, dirname(task.file), ...runFolders(folder)];
  for (const place of new Set(places)) removeStaleTemporaries(place, world.clock.now());
  return ended;
}

/** Also of a run that was killed before it was written down. */
function runFolders(folder: string): string[] {
  const runs = join(folder, "runs");
  return existsSync(runs) ? readdirSync(runs).map((name) => join(runs, name)) : [];
}
