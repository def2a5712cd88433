import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolvePath } from "../../src/tools/resolve-path.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { toolWorldIn } from "../support/tool-runs.ts";

const directory = temporaryDirectories();

function place() {
  const base = directory();
  const world = toolWorldIn(base);
  mkdirSync(join(world.root, "src"));
  writeFileSync(join(world.root, "src/a.ts"), "a");
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside/secret"), "s");
  symlinkSync("../outside", join(world.root, "out"));
  symlinkSync("src/a.ts", join(world.root, "alias.ts"));
  return { base, world, root: world.root, resolve: (path: string) => resolvePath(world, path) };
}

describe("a path leads", () => {
  test("to a file, a directory, or a place where nothing is yet", () => {
    const { root, resolve } = place();
    expect(resolve("src/a.ts")).toEqual({
      ok: true,
      path: join(root, "src/a.ts"),
      kind: "file",
      isInside: true,
      shown: "src/a.ts",
    });
    expect(resolve(root)).toEqual({ ok: true, path: root, kind: "directory", isInside: true, shown: "." });
    expect(resolve("./new/deep/b.ts")).toEqual({
      ok: true,
      path: join(root, "new/deep/b.ts"),
      kind: "missing",
      isInside: true,
      shown: "new/deep/b.ts",
    });
  });

  test("where its links lead, and that decides whether it is inside", () => {
    const { base, root, resolve } = place();
    expect(resolve("alias.ts")).toMatchObject({ path: join(root, "src/a.ts"), isInside: true });
    const secret = join(base, "outside/secret");
    expect(resolve("out/secret")).toEqual({ ok: true, path: secret, kind: "file", isInside: false, shown: secret });
    expect(resolve("out/new.txt")).toMatchObject({
      path: join(base, "outside/new.txt"),
      kind: "missing",
      isInside: false,
    });
    expect(resolve("out/../workspace/src/a.ts")).toMatchObject({ path: join(root, "src/a.ts"), isInside: true });
    expect(resolve("src/../../outside/secret")).toMatchObject({ path: secret, isInside: false });
  });

  test("a dangling link leads to where the file would be made", () => {
    const { base, world, resolve } = place();
    symlinkSync(join(base, "outside/later"), join(world.root, "dangling"));
    expect(resolve("dangling")).toMatchObject({ path: join(base, "outside/later"), kind: "missing", isInside: false });
  });

  test("to the link itself where that is meant", () => {
    const { root, world } = place();
    expect(resolvePath(world, "out", { keepsLastLink: true })).toEqual({
      ok: true,
      path: join(root, "out"),
      kind: "link",
      isInside: true,
      shown: "out",
    });
  });

  test("home where it begins with a tilde", () => {
    const { base, root, resolve } = place();
    expect(resolve("~/outside/secret")).toMatchObject({ path: join(base, "outside/secret"), isInside: false });
    expect(resolve("~name")).toMatchObject({ path: join(root, "~name"), kind: "missing" });
  });

  test("beside a directory with a similar name, which is outside", () => {
    const { root, resolve } = place();
    mkdirSync(`${root}-other`);
    expect(resolve("../workspace-other")).toMatchObject({ isInside: false });
    mkdirSync(join(root, "..dots"));
    expect(resolve("..dots")).toMatchObject({ isInside: true });
  });
});

describe("a path is refused", () => {
  test("when it is empty, loops, goes through a file, or goes up from nowhere", () => {
    const { root, world, resolve } = place();
    symlinkSync("loop", join(world.root, "loop"));
    const messages = ["", "a\0b", "loop", "src/a.ts/b", "none/../src/a.ts"].map(resolve);
    expect(messages).toEqual(
      [
        "The path is empty: give a path relative to the workspace, or an absolute one.",
        "The path contains a zero byte.",
        `${root}/loop is behind more than 40 symbolic links; they may form a loop.`,
        `src/a.ts/b cannot be reached: ${root}/src/a.ts is a file, not a directory.`,
        `none/../src/a.ts goes up from ${root}/none, which is not a directory. Give the path without "..".`,
      ].map((message) => ({ ok: false as const, message })),
    );
  });

  test("when it is a pipe or a device", () => {
    const { root, resolve } = place();
    execFileSync("mkfifo", [join(root, "pipe")]);
    for (const path of ["pipe", "/dev/null"])
      expect(resolve(path)).toEqual({
        ok: false,
        message: `${path} is a pipe, a socket or a device. File tools work on files and directories only.`,
      });
  });
});
