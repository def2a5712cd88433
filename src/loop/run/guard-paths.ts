import { findViolations, revertPaths } from "../git/guard.ts";
import { compareStates, type WorkspaceState } from "../git/workspace-state.ts";
import type { LiveRun } from "./live-run.ts";

/** What the agent changed outside of the allowed paths and nobody took back or let pass. */
export async function guardPaths(run: LiveRun, iteration: number, after: WorkspaceState): Promise<readonly string[]> {
  const { request, world, journal, repository, before, steering } = run;
  const paths = findViolations(compareStates(before, after), request.allowedPaths);
  if (paths.length === 0) return [];
  const { onViolation } = world;
  const asked = onViolation && (await steering.interruptible((signal) => onViolation(paths, signal)));
  const answer = asked?.result ?? "quit";
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
