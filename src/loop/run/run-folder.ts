import { join } from "node:path";

/** What a run needs to go on or to be taken back, beside the journal. */
export function runFolder(folder: string, run: string): string {
  return join(folder, "runs", run);
}
