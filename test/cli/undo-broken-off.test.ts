import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryName } from "../../src/system/temporary-names.ts";
import { type RunOptions, runRalph, startRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";
import { type UndoWorkspace, undoWorkspaces } from "../support/undo-workspace.ts";

const undoWorkspace = undoWorkspaces();
let workspace: TempWorkspace;
let space: UndoWorkspace;

beforeEach(async () => {
  workspace = tempWorkspace();
  space = await undoWorkspace(join(workspace.home, "data"), { root: workspace.project });
});

afterEach(() => workspace.stop());

async function ralph(args: string[], options: Partial<RunOptions> = {}) {
  const { code, stdout, stderr } = await runRalph(args, { ...options, workspace });
  return { code, stdout, stderr };
}

const COUNT = 150;

async function changeMany(): Promise<{ old: Record<string, string>; changed: Record<string, string> }> {
  for (let index = 0; index < COUNT; index++) space.write(`f${index}`, "old\n");
  const old = space.tree();
  await space.turn("change all", ({ shell }) => shell("for f in f*; do echo new > $f; done"));
  await space.session.close();
  return { old, changed: space.tree() };
}

/** Ends the process with this signal as soon as the first file has been put in its place. */
async function undoUntil(signal: NodeJS.Signals) {
  const begun = Promise.withResolvers<void>();
  const watcher = watch(workspace.project, (_, name) => {
    if (name?.startsWith("f")) begun.resolve();
  });
  await using child = startRalph(["undo", "--yes"], { workspace });
  await begun.promise;
  child.kill(signal);
  const exit = await child.exited;
  watcher.close();
  return exit;
}

function restored(): number {
  return Object.values(space.tree()).filter((content) => content.endsWith("old\n")).length;
}

describe("an undo that breaks off", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    test(`after ${signal} ends with the file at hand, says what is left, and is finished by the next one`, async () => {
      const { old, changed } = await changeMany();
      const { code, stdout } = await undoUntil(signal);
      const left = COUNT - restored();
      expect(left).toBeGreaterThan(0);
      expect([
        code,
        stdout
          .split("\n")
          .filter((line) => !/^ {2}restored {6}f\d+$/.test(line))
          .slice(-4),
      ]).toEqual([
        130,
        [
          expect.stringMatching(/^ {2}left alone {4}f\d+: not reached, because the undo was stopped$/),
          `This undo is not finished: ${left} files are still to do. To finish it: ralph undo`,
          "To take back what it did: ralph undo 2",
          "",
        ],
      ]);
      const list = (await ralph(["undo", "--list"])).stdout.split("\n").filter((line) => line.startsWith("Turn"));
      expect(list).toEqual([
        "Turn 1: change all (its undo broke off; repeat it)",
        "Turn 2: undo of turn 1 (broke off)",
      ]);
      const finished = await ralph(["undo", "--yes"]);
      expect([finished.code, space.tree()]).toEqual([0, old]);
      expect(finished.stdout).toEndWith("To take this back: ralph undo 3, then ralph undo 2\n");
      expect((await ralph(["undo"])).stderr).toBe("ralph: There is nothing to undo in this session.\n");
      await ralph(["undo", "3", "--yes"]);
      await ralph(["undo", "2", "--yes"]);
      expect(space.tree()).toEqual(changed);
    });

  test("because it was killed is told and finished by the next one, and leaves nothing behind", async () => {
    const { old } = await changeMany();
    expect((await undoUntil("SIGKILL")).signal).toBe("SIGKILL");
    expect((await ralph(["undo", "--list"])).stdout).toContain("Turn 1: change all (its undo broke off; repeat it)\n");
    // As a process leaves it that was killed between writing and renaming.
    const gone = Bun.spawnSync(["true"]).pid;
    writeFileSync(join(workspace.project, temporaryName().replace(String(process.pid), String(gone))), "half");
    const mine = temporaryName();
    writeFileSync(join(workspace.project, mine), "being written");
    const preview = await ralph(["undo"]);
    expect(preview.stdout.split("\n").slice(0, 2)).toEqual([
      "Turn 1: change all",
      "  An undo of this turn broke off; this finishes it.",
    ]);
    expect((await ralph(["undo", "--yes"])).code).toBe(0);
    expect(readdirSync(workspace.project).filter((name) => name.startsWith(".ralph"))).toEqual([mine]);
    expect(space.tree()).toEqual({ [mine]: "644 being written", ...old });
    expect((await ralph(["undo", "--list"])).stdout).toContain("Turn 1: change all (undone)\n");
  });

  test("because it was killed does not take for its own what the person did then", async () => {
    const { old, changed } = await changeMany();
    await undoUntil("SIGKILL");
    const [mine = ""] = Object.entries(space.tree()).find(([, content]) => content.endsWith("new\n")) ?? [];
    space.write(mine, "mine\n");
    expect((await ralph(["undo", "--yes"])).code).toBe(1);
    const beside = { [`${mine}.turn-1.old`]: "644 old\n" };
    expect(space.tree()).toEqual({ ...old, [mine]: "644 mine\n", ...beside });
    await ralph(["undo", "3", "--yes"]);
    await ralph(["undo", "2", "--yes"]);
    expect(space.tree()).toEqual({ ...changed, [mine]: "644 mine\n" });
  });

  test("because a file could not be written is no undo, and can be repeated", async () => {
    space.write("big", "old\n".repeat(100_000));
    space.write("small", "old\n");
    const old = space.tree();
    await space.turn("change", ({ shell }) => shell("echo new > small; echo new > big"));
    await space.session.close();
    const broken = await ralph(["undo", "--yes"], { throughShell: `trap '' XFSZ; ulimit -f 128; exec "$@"` });
    expect([broken.code, broken.stdout.split("\n").filter((line) => !line.includes(" big"))]).toEqual([
      1,
      [
        "Turn 1: change",
        "  restored      small",
        "This undo is not finished: 1 file is still to do. To finish it: ralph undo",
        "To take back what it did: ralph undo 2",
        "",
      ],
    ]);
    expect(broken.stdout).toContain("  left alone    big: ");
    expect([(await ralph(["undo", "--yes"])).code, space.tree()]).toEqual([0, old]);
  });

  test("after its last file is at its end when the next one finds nothing to do", async () => {
    const { old } = await changeMany();
    await ralph(["undo", "--yes"]);
    const path = space.session.path ?? "";
    const lines = (await Bun.file(path).text()).split("\n");
    writeFileSync(path, lines.filter((line) => !line.includes('"undo-ended"')).join("\n"));
    expect(await ralph(["undo", "--yes"])).toEqual({
      code: 0,
      stdout:
        "Turn 1: change all\n  An undo of this turn broke off; this finishes it.\n  Every file already is as it was before this turn.\n",
      stderr: "",
    });
    expect((await ralph(["undo"])).stderr).toBe("ralph: There is nothing to undo in this session.\n");
    expect(space.tree()).toEqual(old);
  });
});
