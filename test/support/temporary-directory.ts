import { afterAll } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes directories that are removed when the test file is done. */
export function temporaryDirectories(): () => string {
  const made: string[] = [];
  afterAll(() => {
    for (const path of made) rmSync(path, { recursive: true, force: true });
  });
  return () => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "ralph-test-")));
    made.push(path);
    return path;
  };
}
