import { join } from "node:path";
import type { CheckPlace } from "../checks/check-round.ts";
import type { LiveRun } from "./live-run.ts";

/** Where the checks of a run are made and logged: in the loop's own folder, outside of the workspace. */
export function checkPlace({ id, folder, runFolder, world }: LiveRun, signal: AbortSignal): CheckPlace {
  return {
    checkouts: join(folder, "checkouts"),
    logs: join(runFolder, "checks"),
    // What a killed loop leaves of them is found by it.
    environment: { ...world.checkEnvironment, RALPH_LOOP_MARK: id },
    signal,
  };
}
