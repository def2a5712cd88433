import { findViolations, revertPaths } from "../git/guard.ts";
import { compareStates, type WorkspaceState } from "../git/workspace-state.ts";
import type { LiveRun } from "./live-run.ts";

/** What the agent changed outside of the allowed paths and nobody took back or let pass. */
export async function guardPaths(run: LiveRun, iteration: number, after: WorkspaceState): Promise<readonly string[]> {
  const { request, world, journal, repository, before } = run;
  const paths = findViolations(compareStates(before, after), request.allowedPaths);
  if (paths.length === 0) return [];
  const answer = (await world.onViolation?.(paths)) ?? "quit";
  await journal.append({ type: "guard", iteration, paths, action: answer });
  if (answer === "continue") {
    run.request = { ...request, allowedPaths: [...request.allowedPaths, ...paths] };
    return [];
  }
  if (answer === "quit") return paths;
  for (const message of await revertPaths(repository, { paths, before })) {
    await journal.append({ type: "notice", level: "warning", message });
  }
  return [];
}
