import { describe, expect, test } from "bun:test";
import { symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { listDirTool } from "../../src/tools/list-dir.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

function open() {
  const session = fileSession(directory());
  session.write("b.ts", "12345");
  session.write("a/inner.ts", "1");
  session.write("a/deep/x.md", "");
  session.write("node_modules/pkg/index.js", "");
  session.write(".hidden/h.ts", "");
  symlinkSync("/etc", join(session.root, "link"));
  return session;
}

describe("list_dir", () => {
  test("lists one level, names in order", async () => {
    const { say } = open();
    expect(await say(listDirTool, {})).toBe("a/\nb.ts  5\nlink  (link)\nnode_modules/");
  });

  test("gives times and sizes to programs", async () => {
    const { call, root } = open();
    const time = new Date("2024-05-06T07:08:09.000Z");
    utimesSync(join(root, "a/inner.ts"), time, time);
    expect((await call(listDirTool, { path: "a", glob_filter: "*.ts" })).details).toEqual({
      path: join(root, "a"),
      entries: [{ path: "inner.ts", kind: "file", size: 1, modified: time.toISOString() }],
      truncated: false,
    });
  });

  test("goes down without entering heavy directories or links", async () => {
    const { say } = open();
    expect(await say(listDirTool, { recursive: true })).toBe(
      "a/\na/deep/\na/deep/x.md  0\na/inner.ts  1\nb.ts  5\nlink  (link)\nnode_modules/",
    );
    expect(await say(listDirTool, { recursive: true, include_hidden: true, glob_filter: "*.ts" })).toBe(
      ".hidden/h.ts  0\na/inner.ts  1\nb.ts  5",
    );
    expect(await say(listDirTool, { recursive: true, glob_filter: "a/**/*.md" })).toBe("a/deep/x.md  0");
    expect(await say(listDirTool, { glob_filter: "*.none" })).toBe("(nothing to list)");
  });

  test("shows at most a thousand entries and says so", async () => {
    const { call, write } = fileSession(directory());
    for (let index = 0; index < 1001; index++) write(`f${index}`, "");
    const { details, content } = await call(listDirTool, {});
    expect(details).toMatchObject({ truncated: true });
    expect(content[0]?.type === "text" && content[0].text.split("\n").at(-1)).toBe(
      "[… only 1000 entries are shown; narrow it with path or glob_filter …]",
    );
  });

  test("refuses files and what is missing", async () => {
    const { say, root } = open();
    expect(await say(listDirTool, { path: "b.ts" })).toBe("failed: b.ts is a file. Use read_file.");
    expect(await say(listDirTool, { path: "node_module" })).toBe(
      `failed: node_module does not exist. Similar names there: ${root}/node_modules.`,
    );
  });
});
