import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { observeFile } from "../../src/sessions/undo/observe-file.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const TIMES = 20_000;
const AT_ONCE = 8;

test(`while another process swaps a folder for a link, ${TIMES} looks at a file keep nothing from outside`, async () => {
  const base = realpathSync(directory());
  const root = join(base, "project");
  const outside = join(base, "elsewhere");
  for (const folder of [join(root, "dir"), outside]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "dir/file"), "inside");
  writeFileSync(join(outside, "file"), "outside");
  const program = join(import.meta.dir, "../support/programs/swap-quickly.ts");
  const swapper = Bun.spawn([process.execPath, program, join(root, "dir"), outside], { stdout: "pipe" });
  await swapper.stdout.getReader().read();
  const kept = new Map<string, number>();
  try {
    for (let times = 0; times < TIMES; times += AT_ONCE) {
      const seen = await Promise.all(Array.from({ length: AT_ONCE }, () => observeFile(root, "dir/file", 1000)));
      for (const { bytes } of seen) {
        const text = bytes === undefined ? "nothing" : new TextDecoder().decode(bytes);
        kept.set(text, (kept.get(text) ?? 0) + 1);
      }
    }
    expect(swapper.exitCode).toBeNull();
  } finally {
    swapper.kill("SIGKILL");
    await swapper.exited;
  }
  expect([...kept.keys()].toSorted()).toEqual(["inside", "nothing"]);
}, 60_000);
