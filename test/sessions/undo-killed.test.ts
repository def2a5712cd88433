import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findSessionFiles } from "../../src/sessions/session-files.ts";
import { isUndone, type UndoTurn } from "../../src/sessions/undo/undo-turns.ts";
import { placesIn } from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { treeOf, undoWorkspaces } from "../support/undo-workspace.ts";

const PROGRAM = join(import.meta.dir, "../support/programs/undo-turn.ts");
const directory = temporaryDirectories();
const undoWorkspace = undoWorkspaces();

const OLD = { "a.txt": "644 one\n", "dir/": "755", "dir/c.txt": "644 c\n" };
const EDITED = { ...OLD, "a.txt": "644 two\n" };
const WITHOUT_DIRECTORY = { "a.txt": "644 two\n" };
const DONE = { "a.txt": "644 two\nmore\n", "b.txt": "644 b\n" };

/** When it is killed, and what it leaves. */
const MOMENTS: [moment: string, left: Record<string, string>][] = [
  ["before-write", OLD],
  ["after-write", EDITED],
  ["after-tool", WITHOUT_DIRECTORY],
  ["before-command", WITHOUT_DIRECTORY],
];

describe("a Ralph that is killed", () => {
  for (const [moment, left] of MOMENTS) {
    test(`${moment.replace("-", " ")} leaves on the disk what is needed to undo its turn`, async () => {
      const home = await killedAt(moment);
      const project = join(home, "project");
      expect(treeOf(project)).toEqual(left);
      const space = await undoWorkspace(home, { sessionPath: await sessionIn(home) });
      await space.recorder.recover();
      const results = await space.undo();
      expect(results.filter((line) => /left|conflict|not-undoable/.test(line))).toEqual([]);
      expect(treeOf(project)).toEqual(OLD);
    });
  }

  test("after a command cannot know whose the changes are: they stay, unless the person says so", async () => {
    const home = await killedAt("after-command");
    const space = await undoWorkspace(home, { sessionPath: await sessionIn(home) });
    expect(space.tree()).toEqual(DONE);
    await space.recorder.recover();
    expect(await space.undo()).toEqual([
      "conflict a.txt: the same lines were changed since (old content in a.txt.turn-1.old)",
      "recreate dir",
      "uncertain b.txt: may be your own change: Ralph was stopped while a command ran",
      "recreate dir/c.txt",
    ]);
    expect(space.tree()).toEqual({ ...DONE, ...OLD, "a.txt": DONE["a.txt"], "a.txt.turn-1.old": OLD["a.txt"] });
    expect(await space.undo()).toEqual(["nothing to undo"]);
    expect(await space.undo(undefined, { withUncertain: true })).toEqual(["remove b.txt", "restore a.txt"]);
    expect(space.tree()).toEqual({ ...OLD, "a.txt.turn-1.old": OLD["a.txt"] });
    expect(await space.undo(undefined, { withUncertain: true })).toEqual(["nothing to undo"]);
  });

  test("in the middle of an undo has lost nothing: the undo can be finished or taken back", async () => {
    for (const moment of ["before-undo", "after-undo"]) {
      const home = await killedAt(moment);
      const project = join(home, "project");
      expect(treeOf(project)).toEqual(moment === "before-undo" ? DONE : OLD);
      const space = await undoWorkspace(home, { sessionPath: await sessionIn(home) });
      await space.recorder.recover();
      expect(isUndone(space.turns(), space.turns()[0] as UndoTurn)).toBe(false);
      if (moment === "before-undo") await space.undo();
      expect(treeOf(project)).toEqual(OLD);
      await space.undo(space.turns().length);
      expect(treeOf(project)).toEqual(DONE);
    }
  });

  test("does not take what a person wrote after it for its own", async () => {
    const home = await killedAt("after-tool");
    const space = await undoWorkspace(home, { sessionPath: await sessionIn(home) });
    space.write("a.txt", "mine\n");
    await space.recorder.recover();
    expect(await space.undo()).toEqual([
      "conflict a.txt: the same lines were changed since (old content in a.txt.turn-1.old)",
      "recreate dir",
      "recreate dir/c.txt",
    ]);
    expect(space.read("a.txt")).toBe("mine\n");
  });
});

async function killedAt(moment: string): Promise<string> {
  const home = directory();
  const project = join(home, "project");
  mkdirSync(join(project, "dir"), { recursive: true });
  await Bun.write(join(project, "a.txt"), "one\n");
  await Bun.write(join(project, "dir/c.txt"), "c\n");
  const { signalCode, stderr } = Bun.spawnSync([process.execPath, PROGRAM, home, moment], {
    env: { PATH: process.env.PATH ?? "" },
  });
  if (signalCode !== "SIGKILL") throw new Error(`It was not killed: ${stderr}`);
  return home;
}

async function sessionIn(home: string): Promise<string> {
  const [file] = await findSessionFiles(placesIn(home));
  return file?.path ?? "";
}
