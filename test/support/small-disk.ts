import { afterAll } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of 160 KB, 96 of them taken by the file `ballast`; undefined where none can be mounted. */
export function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "ralph-test-disk-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=160k", "tmpfs", path]).status === 0;
  afterAll(() => {
    if (isMounted) execFileSync("umount", [path]);
    rmdirSync(path);
  });
  if (!isMounted) return undefined;
  execFileSync("dd", ["if=/dev/zero", `of=${join(path, "ballast")}`, "bs=1k", "count=96"], { stdio: "ignore" });
  return path;
}
