import { join } from "node:path";
import { createLog } from "../../system/log.ts";
import { redactSecrets } from "../../system/redact.ts";
import type { RunContext } from "../run-context.ts";

/** What goes over the wire is too much for a screen: with `--debug` it goes into a file that is rotated. */
export interface WireLog {
  path: string;
  add(line: string): void;
  settled(): Promise<void>;
}

const NAME = "wire";
const MOST_BYTES = 10_000_000;
const MOST_FILES = 3;

export function openWireLog({ paths, clock }: RunContext): WireLog {
  // The sender took out the keys it knows.
  const redact = (text: string) => redactSecrets(text, []);
  const options = { directory: paths.logs, name: NAME, maxBytes: MOST_BYTES, maxFiles: MOST_FILES, redact, clock };
  const log = createLog(options);
  return { path: join(paths.logs, `${NAME}.log`), add: log.debug, settled: log.flush };
}
