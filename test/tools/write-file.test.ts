import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { contentHash } from "../../src/tools/content-hash.ts";
import { markOf } from "../../src/tools/line-anchors.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const open = () => fileSession(directory());
const hashOf = (text: string) => contentHash(Buffer.from(text));

describe("write_file", () => {
  test("makes a file and the directories above it", async () => {
    const { call, read, root, announced } = open();
    const path = join(root, "new/deep/a.txt");
    expect(await call(writeFileTool, { path: "new/deep/a.txt", content: "ä\nb\n" })).toEqual({
      content: [{ type: "text", text: "Created new/deep/a.txt (2 lines, 5 bytes)." }],
      details: { path, bytes_written: 5, created: true, hash: hashOf("ä\nb\n") },
    });
    expect(read("new/deep/a.txt")).toBe("ä\nb\n");
    expect(announced).toEqual([path]);
    expect(readdirSync(join(root, "new/deep"))).toEqual(["a.txt"]);
  });

  test("replaces a file it wrote or read, shows the change, and keeps its mode", async () => {
    const { call, say, write, read } = open();
    const path = write("a.txt", "one\n");
    chmodSync(path, 0o640);
    await say(readFileTool, { path: "a.txt" });
    expect(await call(writeFileTool, { path: "a.txt", content: "two\n" })).toEqual({
      content: [{ type: "text", text: `Changed a.txt:\n@@ -1,1 +1,1 @@\n-1|one\n+1:${markOf("two")}|two` }],
      details: {
        path,
        bytes_written: 4,
        created: false,
        hash: hashOf("two\n"),
        diff: "@@ -1,1 +1,1 @@\n-one\n+two",
      },
    });
    expect(await say(writeFileTool, { path: "a.txt", content: "three\n" })).toContain("Changed a.txt");
    expect(read("a.txt")).toBe("three\n");
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test("keeps a copy of the old file where that is asked for", async () => {
    const { call, say, write, root } = open();
    write("a.txt", "one");
    await say(readFileTool, { path: "a.txt" });
    const { details } = await call(writeFileTool, { path: "a.txt", content: "two", backup: true });
    const name = `a.txt.20231114T221320Z-${hashOf("one").slice(0, 8)}.bak`;
    expect(details).toMatchObject({ backup_path: join(root, name) });
    expect(readdirSync(root).sort()).toEqual(["a.txt", name]);
  });

  test("refuses to replace what was never read, or changed since", async () => {
    const { say, write, read } = open();
    write("a.txt", "precious");
    expect(await say(writeFileTool, { path: "a.txt", content: "x" })).toBe(
      "failed: a.txt exists and you have not read it. Read it first, or change it with edit_file.",
    );
    await say(readFileTool, { path: "a.txt" });
    write("a.txt", "more precious");
    expect(await say(writeFileTool, { path: "a.txt", content: "x" })).toBe(
      "failed: a.txt has changed since you last read or wrote it. Read it again first.",
    );
    expect(read("a.txt")).toBe("more precious");
  });

  test("may fill an empty file nobody read", async () => {
    const { say, write, read } = open();
    write("a.txt", "");
    await say(writeFileTool, { path: "a.txt", content: "x" });
    await say(writeFileTool, { path: "a.txt", content: "y" });
    expect(read("a.txt")).toBe("y");
  });

  test("refuses signs for left-out text in the place of a file that has none", async () => {
    const { say, write } = open();
    write("a.txt", "long");
    await say(readFileTool, { path: "a.txt" });
    const content = "head\n[… lines 10-20 left out; read on with start_line 10 …]\ntail";
    expect(await say(writeFileTool, { path: "a.txt", content })).toContain("stands for text that was left out");
  });

  test("writes nothing over a file that appears in the meantime", async () => {
    const session = fileSession(directory(), (path) => writeFileSync(path, "somebody else's"));
    expect(await session.say(writeFileTool, { path: "a.txt", content: "x" })).toContain(
      "has appeared while the change was made",
    );
    expect(session.read("a.txt")).toBe("somebody else's");
    expect(readdirSync(session.root)).toEqual(["a.txt"]);
  });

  test("writes nothing where a directory on the way becomes a link in the meantime", async () => {
    const base = directory();
    mkdirSync(join(base, "outside"));
    const session = fileSession(base, (path) => {
      renameSync(dirname(path), join(base, "away"));
      symlinkSync(join(base, "outside"), dirname(path));
    });
    mkdirSync(join(session.root, "dir"));
    expect(await session.say(writeFileTool, { path: "dir/a.txt", content: "x" })).toContain(
      "has come to lead elsewhere",
    );
    expect(readdirSync(join(base, "outside"))).toEqual([]);
  });

  test("refuses directories, files in the way, read-only files and too much", async () => {
    const { say, write, root } = open();
    mkdirSync(join(root, "dir"));
    write("file", "x");
    expect(await say(writeFileTool, { path: "dir", content: "" })).toBe(
      "failed: dir is a directory. Give the path of a file.",
    );
    expect(await say(writeFileTool, { path: "file/a", content: "" })).toContain("is a file, not a directory");
    await say(readFileTool, { path: "file" });
    chmodSync(join(root, "file"), 0o400);
    expect(await say(writeFileTool, { path: "file", content: "y" })).toContain("is read-only");
    expect(await say(writeFileTool, { path: "big", content: "x".repeat(50_000_001) })).toBe(
      "failed: The content has 50000001 bytes, more than the limit of 50000000.",
    );
  });

  test("asks for the place outside that a link leads to", () => {
    const { root, world } = open();
    symlinkSync("/nowhere/at/all", join(root, "link"));
    const prepared = writeFileTool(world).prepare({ path: "link", content: "abc" });
    expect("asks" in prepared && prepared.asks).toEqual([
      { category: "file_write", resources: ["/nowhere/at/all"], summary: "Write /nowhere/at/all (3 bytes)" },
    ]);
  });
});

describe("append_file", () => {
  test("adds to the end, and makes the file where it is missing", async () => {
    const { call, say, read, root, world } = open();
    const path = join(root, "log.txt");
    await say(appendFileTool, { path: "log.txt", content: "a\n" });
    expect(await call(appendFileTool, { path: "log.txt", content: "b\n" })).toEqual({
      content: [{ type: "text", text: "Appended 2 bytes to log.txt; it has 4 now." }],
      details: { path, bytes_appended: 2, size: 4, hash: hashOf("a\nb\n") },
    });
    expect(read("log.txt")).toBe("a\nb\n");
    expect(world.seen.hashOf(path)).toBe(hashOf("a\nb\n"));
  });

  test("does not make a file known that was never read", async () => {
    const { say, write } = open();
    write("a.txt", "precious");
    await say(appendFileTool, { path: "a.txt", content: "!" });
    expect(await say(writeFileTool, { path: "a.txt", content: "x" })).toContain("you have not read it");
  });

  test("refuses too much at once", async () => {
    const { say } = open();
    expect(await say(appendFileTool, { path: "a", content: "x".repeat(10_000_001) })).toContain(
      "more than the limit of 10000000",
    );
  });
});
