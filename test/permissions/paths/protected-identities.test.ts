import { describe, expect, test } from "bun:test";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import type { PathOperation } from "../../../src/permissions/paths/path-request.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

function place() {
  const base = directory();
  const workspace = join(base, "ws");
  for (const folder of ["ws/src", "home", "own/config", "own/data"]) mkdirSync(join(base, folder), { recursive: true });
  let time = Date.now();
  const own = { config: join(base, "own/config"), data: join(base, "own/data") };
  const classify = createPathClassifier({ home: join(base, "home"), own, now: () => time });
  return {
    base,
    write: (path: string, text = path) => writeFileSync(join(base, path), text),
    classOf: (op: PathOperation, path: string) => classify({ workspace, op, path }).class,
    later: (ms: number) => {
      time += ms;
    },
  };
}

describe("a protected file under another name", () => {
  test("is found although it was linked after the last look", () => {
    const { base, write, classOf } = place();
    write("ws/.env");
    write("ws/src/plain.txt");
    linkSync(join(base, "ws/src/plain.txt"), join(base, "ws/src/plain2.txt"));
    expect(classOf("read", "src/plain2.txt")).toBe("inside");
    linkSync(join(base, "ws/.env"), join(base, "ws/src/later.txt"));
    expect(classOf("read", "src/later.txt")).toBe("protected");
  });

  test("is found although the protected name came after the last look", () => {
    const { base, write, classOf } = place();
    write("ws/src/copy.txt");
    linkSync(join(base, "ws/src/copy.txt"), join(base, "ws/src/copy2.txt"));
    expect(classOf("read", "src/copy.txt")).toBe("inside");
    linkSync(join(base, "ws/src/copy.txt"), join(base, "ws/.env"));
    expect(classOf("read", "src/copy.txt")).toBe("protected");
  });

  test("is forgotten when it has no protected name any more", () => {
    const { base, write, classOf, later } = place();
    write("ws/.env");
    linkSync(join(base, "ws/.env"), join(base, "ws/a.txt"));
    linkSync(join(base, "ws/.env"), join(base, "ws/b.txt"));
    expect(classOf("read", "a.txt")).toBe("protected");
    rmSync(join(base, "ws/.env"));
    later(31_000);
    expect(classOf("read", "a.txt")).toBe("inside");
  });

  test("is found in a sibling folder, in the home and in Ralph's own folders", () => {
    const { base, write, classOf } = place();
    mkdirSync(join(base, "ws/packages/app/config"), { recursive: true });
    mkdirSync(join(base, "home/.config/gh"), { recursive: true });
    write("ws/packages/app/config/.env.local");
    write("home/.config/gh/hosts.yml");
    write("own/config/secrets.yml");
    linkSync(join(base, "ws/packages/app/config/.env.local"), join(base, "ws/src/one"));
    linkSync(join(base, "home/.config/gh/hosts.yml"), join(base, "ws/src/two"));
    linkSync(join(base, "own/config/secrets.yml"), join(base, "ws/src/three"));
    expect(["one", "two", "three"].map((name) => classOf("read", `src/${name}`))).toEqual([
      "protected",
      "protected",
      "protected",
    ]);
  });

  test("is a folder that a protected name links to, outside of the workspace too", () => {
    const { base, classOf } = place();
    mkdirSync(join(base, "ws/editor"));
    mkdirSync(join(base, "keys"));
    symlinkSync("editor", join(base, "ws/.vscode"));
    symlinkSync("../keys", join(base, "home/.ssh"));
    expect(classOf("write", "editor/tasks.json")).toBe("protected");
    expect(classOf("read", "../keys/id")).toBe("protected");
  });

  test("is not the workspace, nor what stands above it", () => {
    const { base } = place();
    const workspace = join(base, "home/.claude/worktrees/one");
    mkdirSync(workspace, { recursive: true });
    symlinkSync(".claude/worktrees/one", join(base, "home/.vscode"));
    const own = { config: join(base, "own/config"), data: join(base, "own/data") };
    const classify = createPathClassifier({ home: join(base, "home"), own, now: Date.now });
    expect(classify({ workspace, op: "write", path: "src/a.ts" }).class).toBe("inside");
    expect(classify({ workspace, op: "write", path: ".claude/settings.json" }).class).toBe("protected");
    expect(classify({ workspace, op: "write", path: "../two/a.ts" }).class).toBe("protected");
  });

  test("is what it was after a rename", () => {
    const { base, write, classOf } = place();
    mkdirSync(join(base, "ws/dotfiles"));
    write("ws/dotfiles/.env");
    renameSync(join(base, "ws/dotfiles"), join(base, "ws/src/plain"));
    expect(classOf("read", "src/plain/.env")).toBe("protected");
  });
});

describe("git's own folders", () => {
  test("are found through the file of a work tree", () => {
    const { base, write, classOf } = place();
    mkdirSync(join(base, "ws/store/worktrees/one"), { recursive: true });
    write("ws/.git", `gitdir: ${join(base, "ws/store/worktrees/one")}\n`);
    write("ws/store/worktrees/one/commondir", "../..\n");
    write("ws/store/config", '[core]\n  hooksPath = "tools/hooks"\n');
    mkdirSync(join(base, "ws/tools/hooks"), { recursive: true });
    expect(classOf("write", "store/worktrees/one/config.worktree")).toBe("protected");
    expect(classOf("write", "store/hooks/pre-commit")).toBe("protected");
    expect(classOf("write", "tools/hooks/pre-commit")).toBe("protected");
    expect(classOf("write", "tools/other")).toBe("inside");
    expect(classOf("read", "store/config")).toBe("inside");
  });
});
