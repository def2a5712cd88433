import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newId, sessionFileName } from "../../src/sessions/session-name.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { runInTerminal } from "../support/run-in-terminal.ts";
import { runRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";
import { type UndoWorkspace, undoWorkspaces } from "../support/undo-workspace.ts";

const undoWorkspace = undoWorkspaces();
let workspace: TempWorkspace;
let space: UndoWorkspace;

beforeEach(async () => {
  workspace = tempWorkspace();
  space = await undoWorkspace(join(workspace.home, "data"), { root: workspace.project });
  space.write("a.txt", "one\n");
  space.write("b.txt", "1\n2\n3\n");
  await space.turn("say\nhello", async () => undefined);
  await space.turn("change things\nplease", async ({ use }) => {
    await use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" });
    await use(editFileTool, { path: "b.txt", old_string: "1", new_string: "I" });
    await use(writeFileTool, { path: "new/c.txt", content: "c" });
  });
});

afterEach(() => workspace.stop());

const CHANGED = { "a.txt": "644 two\n", "b.txt": "644 I\n2\n3\n", "new/": "755", "new/c.txt": "644 c" };
const OLD = { "a.txt": "644 one\n", "b.txt": "644 1\n2\n3\n" };

async function ralph(...args: string[]) {
  const { code, stdout, stderr } = await runRalph(args, { workspace });
  return { code, stdout, stderr };
}

describe("ralph undo", () => {
  test("shows what it would do and asks; a yes does it, and tells how to take it back", async () => {
    await space.session.close();
    await using terminal = runInTerminal(["undo"], { workspace });
    await terminal.waitForOutput("[y/N]");
    expect(space.tree()).toEqual(CHANGED);
    terminal.type("y\n");
    const { code, screen } = await terminal.exited;
    expect(screen).toBe(`Turn 2: change things
  removed       new/c.txt (the turn made it)
  removed       new/ (if nothing else is in it)
  restored      a.txt
  restored      b.txt
Undo this turn? [y/N] y
Turn 2: change things
  removed       new/c.txt (the turn made it)
  removed       new/ (if nothing else is in it)
  restored      a.txt
  restored      b.txt
To take this back: ralph undo 3
`);
    expect([code, space.tree()]).toEqual([0, OLD]);
  });

  test("changes nothing after a no", async () => {
    await space.session.close();
    await using terminal = runInTerminal(["undo"], { workspace });
    await terminal.waitForOutput("[y/N]");
    terminal.type("\n");
    const { code, screen } = await terminal.exited;
    expect(screen).toEndWith("ralph: Nothing was changed.\n");
    expect([code, space.tree()]).toEqual([1, CHANGED]);
  });

  test("needs --yes where nobody can be asked, and undoes an undo by its number", async () => {
    await space.session.close();
    expect(await ralph("undo")).toEqual({
      code: 2,
      stdout:
        "Turn 2: change things\n  removed       new/c.txt (the turn made it)\n  removed       new/ (if nothing else is in it)\n  restored      a.txt\n  restored      b.txt\n",
      stderr: "ralph: Nothing was changed: nobody can be asked here. Restore with --yes.\n",
    });
    expect(space.tree()).toEqual(CHANGED);
    expect((await ralph("undo", "--yes")).code).toBe(0);
    expect(space.tree()).toEqual(OLD);
    expect(await ralph("undo", "--yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: "ralph: There is nothing to undo in this session.\n",
    });
    expect((await ralph("undo", "3", "--yes")).code).toBe(0);
    expect(space.tree()).toEqual(CHANGED);
  });

  test("tells of conflicts and merges, and says with its exit code that not all was undone", async () => {
    await space.session.close();
    space.write("a.txt", "mine\n");
    space.write("b.txt", "I\n2\n3\nfour\n");
    expect(await ralph("undo", "2", "--yes")).toEqual({
      code: 1,
      stdout: `Turn 2: change things
  removed       new/c.txt (the turn made it)
  removed       new/ (if nothing else is in it)
  conflict      a.txt: the same lines were changed since; it stays as it is, the old content is in a.txt.turn-2.old
  merged        b.txt (later edits stay)
To take this back: ralph undo 3
`,
      stderr: "",
    });
    expect(space.tree()).toEqual({
      "a.txt": "644 mine\n",
      "a.txt.turn-2.old": "644 one\n",
      "b.txt": "644 1\n2\n3\nfour\n",
    });
  });

  test("lists turns and speaks JSON, also while the session is open", async () => {
    expect(await ralph("undo", "--list")).toEqual({
      code: 0,
      stdout: "Turn 2: change things\n    a.txt\n    b.txt\n    new\n    new/c.txt\n",
      stderr: "",
    });
    const files = ["a.txt", "b.txt", "new", "new/c.txt"];
    const listed = await ralph("undo", "--list", "--json");
    expect(JSON.parse(listed.stdout)).toEqual([
      { turn: 2, prompt: "change things", undone: false, files, problems: [] },
    ]);
    await space.session.close();
    const id = space.session.header.id;
    const done = await ralph("undo", "--json", "--yes", "-r", id.slice(0, 6));
    expect([done.code, JSON.parse(done.stdout)]).toEqual([
      0,
      {
        session: id,
        turn: 2,
        prompt: "change things",
        applied: true,
        actions: [
          { path: "new/c.txt", action: "remove" },
          { path: "new", action: "remove" },
          { path: "a.txt", action: "restore" },
          { path: "b.txt", action: "restore" },
        ],
        problems: [],
      },
    ]);
    expect(JSON.parse((await ralph("undo", "--list", "--json")).stdout)).toEqual([
      { turn: 2, prompt: "change things", undone: true, files, problems: [] },
      { turn: 3, prompt: "", undoes: 2, undone: false, files: ["new/c.txt", "new", "a.txt", "b.txt"], problems: [] },
    ]);
  });

  test("refuses a session that is open elsewhere, and turns that are none", async () => {
    const { code, stderr } = await ralph("undo", "--yes");
    expect([code, stderr.includes("is open in ralph")]).toEqual([1, true]);
    await space.session.close();
    const refusals = await Promise.all([
      ralph("undo", "x"),
      ralph("undo", "9", "--list", "--json"),
      ralph("undo", "0"),
      ...["1e0", "0x2", "2.0", "+2", " 2", "02"].map((word) => ralph("undo", word)),
    ]);
    expect(refusals.map((one) => one.code)).toEqual([2, 0, 2, 2, 2, 2, 2, 2, 2]);
    expect(await ralph("undo", "9")).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: This session has no turn 9; see: ralph undo --list\n",
    });
    expect(await ralph("undo", "1")).toEqual({ code: 1, stdout: "", stderr: "ralph: Turn 1 changed no file.\n" });
    expect(space.tree()).toEqual(CHANGED);
  });

  test("is not answered by what was typed before it asked", async () => {
    await space.session.close();
    await using terminal = runInTerminal(["undo"], { workspace });
    terminal.type("y\n");
    await terminal.waitForOutput("[y/N]");
    terminal.type("n\n");
    const { code, screen } = await terminal.exited;
    expect(screen).toEndWith("ralph: Nothing was changed.\n");
    expect([code, space.tree()]).toEqual([1, CHANGED]);
  });

  test("shows names that hold line breaks and control characters in one line", async () => {
    await space.turn("names", ({ use }) =>
      use(writeFileTool, { path: "a\n  restored      important.txt\u001b[2J\u202e", content: "x" }),
    );
    await space.session.close();
    const name = "a␊  restored      important.txt␛[2J<U+202E>";
    expect((await ralph("undo")).stdout).toBe(`Turn 3: names\n  removed       ${name} (the turn made it)\n`);
    expect((await ralph("undo", "--list")).stdout).toEndWith(`Turn 3: names\n    ${name}\n`);
  });

  test("does not say that all is as before where the commands took away what is needed to know", async () => {
    space.git("init", "-q");
    space.git("add", ".");
    await space.turn("destroy", ({ shell }) => shell("rm -rf .git a.txt; echo 1 > b.txt"));
    await space.session.close();
    const { code, stdout } = await ralph("undo", "--yes");
    expect([code, stdout]).toEqual([
      1,
      `Turn 3: destroy
  Nothing this turn did can be undone.
  What shell commands changed cannot be undone: git status failed.
  Files git ignores are not covered for shell commands.
`,
    ]);
  });

  for (const place of ["a git work tree", "a folder"])
    test(`names files of ${place} whose names are not UTF-8 as not undoable`, async () => {
      if (place === "a git work tree") space.git("init", "-q");
      const touch = (word: string, path: string) => `printf ${word} > "$(printf '${path}')"`;
      const run = (command: string) => Bun.spawnSync(["sh", "-c", command], { cwd: space.root });
      run([touch("old", "kept\\351"), touch("old", "gone\\351"), touch("old", "edited\\351")].join(";"));
      await space.turn("names", ({ shell }) =>
        shell(
          `rm gone*; ${touch("long", "edited\\351")}; mkdir "$(printf 'd\\377')"; ${touch("x", "d\\377/in")}; echo x > plain`,
        ),
      );
      await space.session.close();
      const { code, stdout } = await ralph("undo", "--yes");
      const rows = stdout.split("\n").filter((line) => line.startsWith("  ") && !line.includes("git ignores"));
      expect([code, rows.toSorted()]).toEqual([
        1,
        [
          "  not undoable  d\\xff/in: its name is not UTF-8",
          ...(place === "a folder" ? ["  not undoable  d\\xff: its name is not UTF-8"] : []),
          "  not undoable  edited\\xe9: its name is not UTF-8",
          "  not undoable  gone\\xe9: its name is not UTF-8",
          "  removed       plain (the turn made it)",
        ],
      ]);
    });

  test("does not take an older session where the newest cannot be read, and neither does -c", async () => {
    await space.session.close();
    const folder = dirname(space.session.path ?? "");
    const newest = join(folder, sessionFileName(newId(12), Date.now()));
    writeFileSync(newest, '{"type":"session","version":99,"id":"x","at":"2026-01-02T03:04:05.000Z","cwd":"/"}\n');
    for (const args of [
      ["undo", "--yes"],
      ["undo", "--list"],
      ["-p", "-c", "hello"],
    ]) {
      const { code, stdout, stderr } = await ralph(...args);
      expect([args, code, stdout, stderr]).toEqual([
        args,
        1,
        "",
        expect.stringMatching(
          /^ralph: The newest session here cannot be read: .*99.* Name another one with -r ID; see: ralph sessions\n$/,
        ),
      ]);
    }
    expect(space.tree()).toEqual(CHANGED);
    expect((await ralph("undo", "--yes", "-r", space.session.header.id)).code).toBe(0);
  });
});
