import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { undoWorkspaces } from "../support/undo-workspace.ts";

const directory = temporaryDirectories();
const undoWorkspace = undoWorkspaces();
const TIMES = 1500;

test(`while another process swaps a folder for a link, ${TIMES} announced changes copy nothing from outside`, async () => {
  const base = directory();
  const space = await undoWorkspace(base);
  const outside = join(base, "elsewhere");
  mkdirSync(outside);
  const names = Array.from({ length: 8 }, (_, number) => `file${number}`);
  for (const name of names) {
    space.write(`dir/${name}`, `inside ${name}`);
    writeFileSync(join(outside, name), `outside ${name}`);
  }
  const program = join(import.meta.dir, "../support/programs/swap-folder.ts");
  const swapper = Bun.spawn([process.execPath, program, join(space.root, "dir"), outside], { stdout: "pipe" });
  await swapper.stdout.getReader().read();
  try {
    for (let turn = 0; turn < TIMES / names.length; turn++) {
      space.recorder.startTurn(`turn-${turn}`);
      await space.recorder.beforeChange(...names.map((name) => join(space.root, "dir", name)));
    }
    expect(swapper.exitCode).toBeNull();
  } finally {
    swapper.kill("SIGKILL");
    await swapper.exited;
  }
  const kept = readdirSync(space.blobs).map((name) => readFileSync(join(space.blobs, name), "utf8"));
  expect(kept.filter((content) => content.includes("outside"))).toEqual([]);
  expect(kept.filter((content) => content.includes("inside")).length).toBeGreaterThan(0);
}, 30_000);
