import { existsSync } from "node:fs";
import type { RunContext } from "../run-context.ts";

/** Beside the work, and only where there are artifacts at all. */
export function cleanArtifacts({ paths, clock }: RunContext): () => void {
  const stop = new AbortController();
  if (existsSync(paths.artifacts))
    void import("../../sessions/old-artifacts.ts").then(({ removeOldArtifacts }) =>
      removeOldArtifacts({ places: paths, now: clock.now(), signal: stop.signal }),
    );
  return () => stop.abort();
}
