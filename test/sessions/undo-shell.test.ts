import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SNAPSHOT_LIMITS } from "../../src/sessions/undo/shell-snapshot.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { type UndoWorkspace, undoWorkspaces } from "../support/undo-workspace.ts";

const directory = temporaryDirectories();
const undoWorkspace = undoWorkspaces();

async function repository(): Promise<UndoWorkspace> {
  const space = await undoWorkspace(directory());
  space.write(".gitignore", "*.log\n");
  space.write("clean.txt", "clean\n");
  space.write("staged.txt", "old\n");
  space.write("dirty.txt", "old\n");
  space.write("sub/gone.sh", "echo\n");
  space.write("sub/kept.txt", "kept\n");
  chmodSync(join(space.root, "sub/gone.sh"), 0o755);
  symlinkSync("clean.txt", join(space.root, "link"));
  space.git("init", "-q");
  space.git("add", ".");
  space.git("commit", "-qm", "all");
  space.write("staged.txt", "staged\n");
  space.git("add", "staged.txt");
  space.write("dirty.txt", "dirty\n");
  space.write("own.txt", "untracked\n");
  space.write("noise.log", "ignored\n");
  return space;
}

describe("undo of what shell commands did in a git work tree", () => {
  test("gives back tracked and untracked files, made, changed, moved and removed; ignored ones stay", async () => {
    const space = await repository();
    const before = space.tree();
    await space.turn("work", async ({ shell }) => {
      await shell("echo more >> clean.txt; echo more >> staged.txt; echo more >> dirty.txt; echo more >> own.txt");
      await shell("git mv sub/kept.txt moved.txt; rm sub/gone.sh link; mkdir -p made/deep; echo x > made/deep/x");
      await shell("chmod +x clean.txt; echo noise >> noise.log");
    });
    const results = await space.undo();
    expect(results.toSorted()).toEqual([
      "recreate link",
      "recreate sub/gone.sh",
      "recreate sub/kept.txt",
      "remove made",
      "remove made/deep",
      "remove made/deep/x",
      "remove moved.txt",
      "restore clean.txt",
      "restore dirty.txt",
      "restore own.txt",
      "restore staged.txt",
    ]);
    expect(space.tree()).toEqual({ ...before, "noise.log": "644 ignored\nnoise\n" });
  });

  test("finds the old content although the commands committed, reset and checked out", async () => {
    const space = await repository();
    const before = space.tree();
    await space.turn("work", async ({ shell }) => {
      await shell("echo x > clean.txt; git add -A; git commit -qm work; git rm -q sub/kept.txt; git commit -qm more");
      await shell("git checkout -q -b other HEAD~1; git reset -q --hard HEAD~1");
    });
    expect(space.tree()).not.toEqual(before);
    expect((await space.undo()).filter((line) => /left|conflict|not-undoable/.test(line))).toEqual([]);
    expect(space.tree()).toEqual(before);
  });

  test("keeps the state before the first change, whether a tool or a command made it", async () => {
    const space = await repository();
    const before = space.tree();
    await space.turn("tool first", async ({ use, shell }) => {
      await use(editFileTool, { path: "clean.txt", old_string: "clean", new_string: "edited" });
      await shell("echo more >> clean.txt; echo more >> sub/kept.txt");
      await use(editFileTool, { path: "sub/kept.txt", old_string: "kept", new_string: "edited" });
    });
    expect([space.read("clean.txt"), space.read("sub/kept.txt")]).toEqual(["edited\nmore\n", "edited\nmore\n"]);
    await space.undo();
    expect(space.tree()).toEqual(before);
  });

  test("merges with what a person did to other lines since", async () => {
    const space = await repository();
    space.write("clean.txt", "1\n2\n3\n4\n5\n");
    space.git("commit", "-qam", "lines");
    await space.turn("work", ({ shell }) => shell("sed -i s/2/two/ clean.txt"));
    space.write("clean.txt", "1\ntwo\n3\n4\nmine\n");
    expect(await space.undo()).toEqual(["merge clean.txt"]);
    expect(space.read("clean.txt")).toBe("1\n2\n3\n4\nmine\n");
  });

  test("looks only at its own part of a larger repository", async () => {
    const home = directory();
    const space = await undoWorkspace(home);
    await Bun.write(join(home, "above.txt"), "above\n");
    space.write("a.txt", "a\n");
    Bun.spawnSync(["git", "init", "-q"], { cwd: home });
    space.git("add", "a.txt", "../above.txt");
    await space.turn("work", ({ shell }) => shell("echo more >> a.txt; echo more >> ../above.txt"));
    expect(await space.undo()).toEqual(["restore a.txt"]);
    expect([space.read("a.txt"), await Bun.file(join(home, "above.txt")).text()]).toEqual(["a\n", "above\nmore\n"]);
  });

  test("works in a repository in which nothing was ever added", async () => {
    const space = await undoWorkspace(directory());
    space.git("init", "-q");
    space.write("a.txt", "a\n");
    await space.turn("work", ({ shell }) => shell("echo more >> a.txt; echo b > b.txt"));
    await space.undo();
    expect(space.tree()).toEqual({ "a.txt": "644 a\n" });
  });

  test("gives line ends back as they were in the work tree", async () => {
    const space = await undoWorkspace(directory());
    space.write(".gitattributes", "*.txt text eol=crlf\n");
    space.write("a.txt", "one\r\ntwo\r\n");
    space.write("b.bin", new Uint8Array([0, 10, 255, 13, 10]));
    space.git("init", "-q");
    space.git("add", ".");
    space.git("commit", "-qm", "all");
    const before = space.tree();
    await space.turn("work", ({ shell }) => shell("echo x > a.txt; echo x > b.bin"));
    await space.undo();
    expect(space.tree()).toEqual(before);
  });

  test("runs nothing the repository names: no monitor, no hook, no filter", async () => {
    const space = await repository();
    const mark = join(space.root, "..", "ran");
    space.write(".gitattributes", "*.txt filter=evil\n");
    space.git("config", "core.fsmonitor", `touch ${mark}-monitor; false`);
    space.git("config", "filter.evil.clean", `touch ${mark}-clean; cat`);
    space.git("config", "filter.evil.smudge", `touch ${mark}-smudge; cat`);
    space.git("config", "filter.evil.required", "true");
    space.write(".git/hooks/post-index-change", `#!/bin/sh\ntouch ${mark}-hook\n`);
    chmodSync(join(space.root, ".git/hooks/post-index-change"), 0o755);
    await space.turn("work", ({ shell }) => shell("echo more >> clean.txt"));
    expect(await space.undo()).toEqual(["restore clean.txt"]);
    expect(space.read("clean.txt")).toBe("clean\n");
    expect([...new Bun.Glob("ran*").scanSync(join(space.root, ".."))]).toEqual([]);
  });

  test("says so where the repository's configuration includes others", async () => {
    const space = await repository();
    space.git("config", "include.path", "../evil");
    await space.turn("work", ({ shell }) => shell("echo more >> clean.txt"));
    expect(space.turns()[0]?.problems).toEqual([
      "What shell commands changed cannot be undone: the repository's git configuration includes other files.",
    ]);
  });
});

describe("undo of what shell commands did elsewhere", () => {
  test("gives back every file and folder with its mode", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "a\n");
    space.write("dir/b.txt", "b\n");
    mkdirSync(join(space.root, "empty"), { mode: 0o700 });
    symlinkSync("a.txt", join(space.root, "link"));
    chmodSync(join(space.root, "dir"), 0o750);
    const before = space.tree();
    await space.turn("work", ({ shell }) =>
      shell("rm -r dir empty; ln -sf b link; echo x >> a.txt; mkdir c; echo c > c/c; chmod 600 a.txt"),
    );
    expect((await space.undo()).filter((line) => /left|conflict|not-undoable/.test(line))).toEqual([]);
    expect(space.tree()).toEqual(before);
  });

  test("is told to be impossible where there are too many files, and tools can still be undone", async () => {
    const space = await undoWorkspace(directory());
    const many = `mkdir many && cd many && seq ${SNAPSHOT_LIMITS.files + 1} | xargs touch`;
    Bun.spawnSync(["sh", "-c", many], { cwd: space.root });
    space.write("a.txt", "one\n");
    await space.turn("work", async ({ shell, use }) => {
      await shell("rm many/7");
      await use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" });
    });
    expect(space.turns()[0]?.problems).toEqual([
      `What shell commands changed cannot be undone: the folder is no git work tree and has more than ${SNAPSHOT_LIMITS.files} files.`,
    ]);
    expect(await space.undo()).toEqual(["restore a.txt"]);
  });

  test("keeps small files and names the one that is too large", async () => {
    const space = await undoWorkspace(directory());
    space.write("big.bin", new Uint8Array(SNAPSHOT_LIMITS.bytes + 1));
    space.write("untouched.bin", new Uint8Array(SNAPSHOT_LIMITS.bytes + 1));
    space.write("a.txt", "a\n");
    await space.turn("work", ({ shell }) => shell("echo x >> big.bin; echo x >> a.txt"));
    const [large, small] = (await space.undo()).toSorted();
    expect([large, small]).toEqual([
      `not-undoable big.bin: it has ${SNAPSHOT_LIMITS.bytes + 1} bytes, more than the limit of ${SNAPSHOT_LIMITS.bytes} for one file`,
      "restore a.txt",
    ]);
  });

  test("costs nothing in a turn without commands, and one snapshot in a turn with many", async () => {
    const space = await undoWorkspace(directory());
    await space.turn("talk", async () => undefined);
    await space.turn("work", async ({ shell }) => {
      await shell("echo 1 > a");
      await shell("echo 2 > a");
    });
    expect([...space.session.entries].map(({ type }) => type)).toEqual([
      "message",
      "message",
      "shell-snapshot",
      "files-before",
      "files-after",
    ]);
  });
});
