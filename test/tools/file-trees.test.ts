import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { copyFileTool } from "../../src/tools/copy-file.ts";
import { createDirectoryTool } from "../../src/tools/create-directory.ts";
import { deleteDirectoryTool } from "../../src/tools/delete-directory.ts";
import { deleteFileTool } from "../../src/tools/delete-file.ts";
import { fileInfoTool } from "../../src/tools/file-info.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const open = () => fileSession(directory());

describe("copy_file", () => {
  test("copies a file with its mode into directories it makes", async () => {
    const { call, write, read, root, announced } = open();
    const source = write("a.sh", "echo");
    chmodSync(source, 0o755);
    const destination = join(root, "new/b.sh");
    expect(await call(copyFileTool, { source: "a.sh", destination: "new/b.sh" })).toEqual({
      content: [{ type: "text", text: "Copied a.sh to new/b.sh." }],
      details: { source, destination, entries: 1 },
    });
    expect(read("new/b.sh")).toBe("echo");
    expect(statSync(destination).mode & 0o777).toBe(0o755);
    expect(announced).toEqual([destination]);
  });

  test("copies a directory and never follows links out of it", async () => {
    const { say, write, read, root } = open();
    write("from/a/x.txt", "x");
    symlinkSync("/etc", join(root, "from/out"));
    await say(copyFileTool, { source: "from", destination: "to" });
    expect(read("to/a/x.txt")).toBe("x");
    expect(readlinkSync(join(root, "to/out"))).toBe("/etc");
  });

  test("refuses what exists, itself, and trees with pipes, before it does anything", async () => {
    const { say, write, root } = open();
    write("from/x", "x");
    write("there", "precious");
    expect(await say(copyFileTool, { source: "from/x", destination: "there" })).toBe(
      "failed: there exists. Give the full new path, or remove what is there first.",
    );
    expect(await say(copyFileTool, { source: "from", destination: "from/inner" })).toContain(
      "cannot be copied into itself",
    );
    execFileSync("mkfifo", [join(root, "from/pipe")]);
    expect(await say(copyFileTool, { source: "from", destination: "to" })).toContain(
      "cannot be copied. Nothing was done.",
    );
    expect(existsSync(join(root, "to"))).toBe(false);
  });

  test("takes no folder with something in it that nobody may read, nor does a move", async () => {
    const { say, write, root, world, announced } = open();
    write("from/deep/secret", "x");
    write("from/deep/a.txt", "a");
    symlinkSync("deep/secret", join(root, "from/link"));
    world.mayRead = (path) => !path.endsWith("/secret");
    const refusal =
      "failed: from holds deep/secret, which is protected, so it is not taken as a whole. Nothing was done. Take the parts you need one by one.";
    expect(await say(copyFileTool, { source: "from", destination: "to" })).toBe(refusal);
    expect(await say(moveFileTool, { source: "from", destination: "to" })).toBe(refusal);
    expect([existsSync(join(root, "to")), existsSync(join(root, "from/deep/secret")), announced]).toEqual([
      false,
      true,
      [],
    ]);
    rmSync(join(root, "from/deep/secret"));
    expect(await say(copyFileTool, { source: "from", destination: "to" })).toBe("Copied from to to.");
  });

  test("gives no file a name that nobody may make, nor does a move; what had such a name before is taken along", async () => {
    const { say, write, root, world } = open();
    write("from/config.toml", "x");
    write("repository/.git/config", "x");
    world.mayWrite = (path) => !/\/(\.cargo\/config|\.git\/)/.test(path);
    const refusal =
      "failed: config.toml would be protected in .cargo, where nobody may make it. Nothing was done. Choose another destination.";
    expect(await say(copyFileTool, { source: "from", destination: ".cargo" })).toBe(refusal);
    expect(await say(moveFileTool, { source: "from", destination: ".cargo" })).toBe(refusal);
    expect([existsSync(join(root, ".cargo")), existsSync(join(root, "from/config.toml"))]).toEqual([false, true]);
    expect(await say(moveFileTool, { source: "repository", destination: "moved" })).toBe("Moved repository to moved.");
  });

  test("asks to read the one and to write the other", () => {
    const { write, world, root } = open();
    write("a", "");
    const prepared = copyFileTool(world).prepare({ source: "a", destination: "/tmp-elsewhere/b" });
    expect("asks" in prepared && prepared.asks).toEqual([
      { category: "file_read", resources: [join(root, "a")], summary: "Copy a to /tmp-elsewhere/b" },
      { category: "file_write", resources: ["/tmp-elsewhere/b"], summary: "Copy a to /tmp-elsewhere/b" },
    ]);
  });
});

describe("move_file", () => {
  test("moves, and what was read stays known", async () => {
    const { say, write, read, root, world, announced } = open();
    const source = write("dir/a.txt", "a");
    await say(readFileTool, { path: "dir/a.txt" });
    const hash = world.seen.hashOf(source);
    expect(await say(moveFileTool, { source: "dir", destination: "other/place" })).toBe("Moved dir to other/place.");
    expect(read("other/place/a.txt")).toBe("a");
    expect(existsSync(join(root, "dir"))).toBe(false);
    expect([world.seen.hashOf(source), world.seen.hashOf(join(root, "other/place/a.txt"))]).toEqual([undefined, hash]);
    expect(announced).toEqual([join(root, "dir"), source, join(root, "other/place"), join(root, "other/place/a.txt")]);
  });

  test("moves a link as a link", async () => {
    const { say, root } = open();
    symlinkSync("/etc", join(root, "link"));
    await say(moveFileTool, { source: "link", destination: "moved" });
    expect(readlinkSync(join(root, "moved"))).toBe("/etc");
  });

  test("copies and removes where the other place is on another device", async () => {
    const { say, write, root } = open();
    const shared = "/dev/shm";
    if (!existsSync(shared) || statSync(shared).dev === statSync(root).dev) return;
    const elsewhere = mkdtempSync(join(shared, "ralph-test-"));
    try {
      write("dir/a.txt", "a");
      expect(await say(moveFileTool, { source: "dir", destination: join(elsewhere, "dir") })).toContain("Moved dir to");
      expect(readFileSync(join(elsewhere, "dir/a.txt"), "utf8")).toBe("a");
      expect(existsSync(join(root, "dir"))).toBe(false);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test("asks to write both ends, and refuses the workspace, itself and what exists", async () => {
    const { say, write, world, root } = open();
    write("a/x", "");
    write("b", "");
    const prepared = moveFileTool(world).prepare({ source: "b", destination: "c" });
    expect("asks" in prepared && prepared.asks).toEqual([
      { category: "file_write", resources: [join(root, "b"), join(root, "c")], summary: "Move b to c" },
    ]);
    expect(await say(moveFileTool, { source: ".", destination: "/tmp-elsewhere" })).toContain("holds the workspace");
    expect(await say(moveFileTool, { source: "a", destination: "a/b" })).toContain("cannot be moved into itself");
    expect(await say(moveFileTool, { source: "a", destination: "b" })).toContain("b exists.");
  });
});

describe("deleting", () => {
  test("removes a file, or a link and not what it leads to", async () => {
    const { call, write, read, root, announced } = open();
    const path = write("a.txt", "a");
    write("kept.txt", "kept");
    symlinkSync("kept.txt", join(root, "link"));
    expect(await call(deleteFileTool, { path: "a.txt" })).toEqual({
      content: [{ type: "text", text: "Deleted a.txt." }],
      details: { path, deleted: true },
    });
    await call(deleteFileTool, { path: "link" });
    expect([existsSync(path), existsSync(join(root, "link")), read("kept.txt")]).toEqual([false, false, "kept"]);
    expect(announced).toEqual([path, join(root, "link")]);
  });

  test("removes a directory with all that is in it, links not followed", async () => {
    const { say, write, read, root } = open();
    write("kept/x", "kept");
    write("dir/a/b", "");
    symlinkSync("../kept", join(root, "dir/link"));
    expect(await say(deleteDirectoryTool, { path: "dir" })).toBe("Deleted dir and 3 entries in it.");
    expect([existsSync(join(root, "dir")), read("kept/x")]).toEqual([false, "kept"]);
  });

  test("refuses the wrong kind, the workspace and what holds it", async () => {
    const { say, write, root } = open();
    write("dir/a", "");
    symlinkSync("dir", join(root, "link"));
    expect(await say(deleteFileTool, { path: "dir" })).toBe("failed: dir is a directory. Use delete_directory.");
    expect(await say(deleteDirectoryTool, { path: "dir/a" })).toBe(
      "failed: dir/a is not a directory. Use delete_file.",
    );
    expect(await say(deleteDirectoryTool, { path: "link" })).toBe("failed: link is not a directory. Use delete_file.");
    expect(await say(deleteDirectoryTool, { path: "." })).toContain("holds the workspace");
    expect(await say(deleteDirectoryTool, { path: ".." })).toContain("holds the workspace");
    expect(existsSync(join(root, "dir/a"))).toBe(true);
  });
});

test("create_directory makes parents, and is content with what is there", async () => {
  const { say, write, root } = open();
  write("file", "");
  expect(await say(createDirectoryTool, { path: "a/b/c" })).toBe("Made a/b/c.");
  expect(lstatSync(join(root, "a/b/c")).isDirectory()).toBe(true);
  expect(await say(createDirectoryTool, { path: "a/b" })).toBe("a/b is there already.");
  expect(await say(createDirectoryTool, { path: "file" })).toBe("failed: file is a file. Choose another name.");
});

test("file_info tells size, kind, permissions and times", async () => {
  const { call, write, root } = open();
  const path = write("a.txt", "abc");
  chmodSync(path, 0o640);
  const stats = statSync(path);
  expect((await call(fileInfoTool, { path: "a.txt" })).details).toEqual({
    path,
    size: 3,
    is_file: true,
    is_directory: false,
    is_symlink: false,
    permissions: "rw-r-----",
    octal: "0640",
    uid: stats.uid,
    gid: stats.gid,
    created: stats.birthtime.toISOString(),
    modified: stats.mtime.toISOString(),
    accessed: stats.atime.toISOString(),
    readable: true,
    writable: true,
    executable: false,
  });
  mkdirSync(join(root, "dir"));
  expect((await call(fileInfoTool, { path: "dir" })).details).toMatchObject({ is_directory: true });
});
