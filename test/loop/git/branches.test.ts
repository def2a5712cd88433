import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { switchBranch } from "../../../src/loop/git/branch.ts";
import { findViolations, revertPaths } from "../../../src/loop/git/guard.ts";
import { saveContents } from "../../../src/loop/git/restore-paths.ts";
import { planUndo, runTag, tagRun, undoRun } from "../../../src/loop/git/undo.ts";
import { compareStates } from "../../../src/loop/git/workspace-state.ts";
import { closeStaleWorktrees, closeWorktree, openWorktree } from "../../../src/loop/git/worktree.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();
const read = (workspace: GitWorkspace, path: string) => readFileSync(join(workspace.root, path), "utf8");
const head = (workspace: GitWorkspace) => workspace.git("rev-parse", "HEAD").trim();

describe("the branch of a task", () => {
  test("is made, switched to, stayed on, and never at the cost of local changes", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const created = await switchBranch(workspace.repository, "ralph/x");
    const stayed = await switchBranch(workspace.repository, "ralph/x");
    workspace.write("a.txt", "on x\n");
    workspace.commit();
    workspace.write("b.txt", "comes along\n");
    const switched = await switchBranch(workspace.repository, "main");
    workspace.write("a.txt", "local\n");
    const refused = await switchBranch(workspace.repository, "ralph/x");
    expect([created, stayed, switched, refused]).toEqual([
      { type: "created", branch: "ralph/x", from: "main" },
      { type: "stayed", branch: "ralph/x" },
      { type: "switched", branch: "main", from: "ralph/x" },
      {
        type: "refused",
        message: "Switching to ralph/x would overwrite local changes: a.txt. Commit or stash them first.",
      },
    ]);
    expect([read(workspace, "a.txt"), read(workspace, "b.txt")]).toEqual(["local\n", "comes along\n"]);
  });

  test("has a name git takes, and begins before the first commit too", async () => {
    const workspace = await gitWorkspace(newDirectory());
    const names = ["-f", "@{-1}", "a..b", "", "x.lock"];
    const results = await Promise.all(names.map((name) => switchBranch(workspace.repository, name)));
    expect(results.map(({ type }) => type)).toEqual(names.map(() => "refused"));
    await switchBranch(workspace.repository, "first");
    expect(workspace.git("symbolic-ref", "HEAD")).toBe("refs/heads/first\n");
  });
});

describe("a worktree", () => {
  test("is outside, has what the include file names, and is removed when nothing in it would be lost", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, {
      "a.txt": "a\n",
      ".gitignore": ".env\ncache/\n",
      ".worktreeinclude": ".env\ncache/\n",
    });
    workspace.write(".env", "KEY=1\n");
    workspace.write("cache/deep/file", "cached\n");
    const directory = join(folder, "trees", "one");
    const request = {
      directory,
      branch: "ralph/one",
      commit: head(workspace),
      place: { environment: workspace.environment, scratch: folder },
    };
    const opened = await openWorktree(workspace.repository, request);
    if (!opened.ok) throw new Error(opened.message);
    expect({ ...opened, repository: opened.repository.root }).toEqual({
      ok: true,
      repository: directory,
      isNew: true,
      madeBranch: true,
      copied: [".env", "cache"],
      problems: [],
    });
    expect(readFileSync(join(directory, "cache/deep/file"), "utf8")).toBe("cached\n");
    const again = await openWorktree(workspace.repository, request);
    expect(again.ok && again.isNew).toBe(false);
    await Bun.write(join(directory, "work.txt"), "work\n");
    const kept = await closeWorktree(workspace.repository, directory);
    expect(kept).toEqual({ type: "kept", reason: `${directory} is kept: 1 changed file in it is in no commit` });
    workspace.git("-C", directory, "add", "work.txt");
    workspace.git("-C", directory, "commit", "--quiet", "--message", "work");
    const closed = await closeStaleWorktrees(workspace.repository, { folder: join(folder, "trees"), inUse: [] });
    expect(closed).toEqual([{ directory, result: { type: "removed" } }]);
    expect([existsSync(directory), workspace.git("log", "-1", "--format=%s", "ralph/one")]).toEqual([false, "work\n"]);
  });

  test("that cannot be made is a failure", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "a.txt": "a\n" });
    mkdirSync(join(folder, "taken"));
    symlinkSync(workspace.root, join(folder, "inside"));
    const open = async (directory: string, branch = "ralph/one") => {
      const place = { environment: workspace.environment, scratch: folder };
      const opened = await openWorktree(workspace.repository, { directory, branch, commit: head(workspace), place });
      return opened.ok ? "opened" : opened.message.replaceAll(folder, "");
    };
    expect([
      await open(join(workspace.root, "tree")),
      await open(join(folder, "inside", "tree")),
      await open(join(folder, "taken")),
      await open(join(folder, "busy"), "main"),
    ]).toEqual([
      "A worktree inside of /project would be no isolation. Choose a folder outside of it.",
      "A worktree inside of /project would be no isolation. Choose a folder outside of it.",
      "/taken is there already and no worktree of this repository. Remove it.",
      "The worktree could not be made: fatal: 'main' is already checked out at '/project'",
    ]);
  });
});

describe("the guard of allowed paths", () => {
  test("takes exact files and folders", () => {
    const changed = ["src/a.ts", "src2/b.ts", "README.md", "README.md.bak", "docs/x.md"];
    expect(findViolations(changed, ["src/", "./README.md"])).toEqual(["src2/b.ts", "README.md.bak", "docs/x.md"]);
    expect(findViolations(changed, [])).toEqual([]);
  });

  test("puts paths back to what they were, the person's own uncommitted content included", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "mine.txt": "mine\n", "clean.txt": "clean\n" });
    workspace.write("mine.txt", "my draft\n", 0o755);
    workspace.write("notes/todo.txt", "my notes\n");
    symlinkSync("mine.txt", join(workspace.root, "link"));
    const before = await workspace.state(head(workspace));
    await saveContents(workspace.repository, before);
    workspace.write("mine.txt", "overwritten\n", 0o644);
    workspace.write("clean.txt", "overwritten\n");
    workspace.remove("notes");
    workspace.remove("link");
    workspace.write("new/file.txt", "new\n");
    const paths = ["mine.txt", "clean.txt", "notes/todo.txt", "link", "new/file.txt"];
    expect(await revertPaths(workspace.repository, { paths, before })).toEqual([]);
    expect((await workspace.state(head(workspace))).entries).toEqual(before.entries);
    expect(existsSync(join(workspace.root, "new"))).toBe(false);
  });

  test("puts folders back that became files, and files that became folders", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "d/c.txt": "c\n", "d/e/b.txt": "b\n", "a.txt": "a\n" });
    workspace.write("d/c.txt", "my draft\n");
    workspace.write("u/mine", "mine\n");
    workspace.write("v", "mine\n");
    const before = await workspace.state(head(workspace));
    await saveContents(workspace.repository, before);
    for (const path of ["d", "u", "v", "a.txt"]) workspace.remove(path);
    for (const path of ["d", "u", "v/x", "a.txt/x"]) workspace.write(path, "agent\n");
    const paths = compareStates(before, await workspace.state(head(workspace)));
    expect(await revertPaths(workspace.repository, { paths, before })).toEqual([]);
    expect((await workspace.state(head(workspace))).entries).toEqual(before.entries);
  });

  test("never removes through a link", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "a.txt": "a\n" });
    const before = await workspace.state(head(workspace));
    await Bun.write(join(folder, "outside/file.txt"), "precious\n");
    symlinkSync("../outside", join(workspace.root, "way"));
    await revertPaths(workspace.repository, { paths: ["way/file.txt"], before });
    expect(existsSync(join(folder, "outside/file.txt"))).toBe(true);
  });
});

describe("undoing a run", () => {
  test("puts back branch, index and files, and keeps what the person changed meanwhile", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n", "gone.txt": "g\n", "mine.txt": "m\n" });
    const start = head(workspace);
    const tagged = await tagRun(workspace.repository, { task: "shop", run: "r1", commit: start });
    expect(tagged).toEqual({ ok: true, tag: "ralph/shop/r1" });
    workspace.write("a.txt", "b\n");
    workspace.write("new/n.txt", "n\n");
    workspace.remove("gone.txt");
    const tip = workspace.commit("US-1: Work");
    workspace.write("mine.txt", "draft\n");
    const request = { tag: "ralph/shop/r1", branch: "main", ofRun: [tip], exclude: [] };
    const plan = await planUndo(workspace.repository, request);
    expect(plan.type === "ready" && { ...plan, differences: undefined }).toEqual({
      type: "ready",
      from: tip,
      to: start,
      commits: [{ commit: tip, subject: "US-1: Work" }],
      files: ["a.txt", "gone.txt", "new/n.txt"],
      differences: undefined,
      isElsewhere: false,
    });
    await undoRun(workspace.repository, request);
    expect([head(workspace), workspace.git("status", "--porcelain"), read(workspace, "mine.txt")]).toEqual([
      start,
      " M mine.txt\n",
      "draft\n",
    ]);
    expect((await undoRun(workspace.repository, request)).type).toBe("nothing");
  });

  test("is refused where others have committed on top or files have local changes", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    await tagRun(workspace.repository, { task: "shop", run: "r1", commit: head(workspace) });
    workspace.write("a.txt", "b\n");
    const tip = workspace.commit("US-1: Work");
    const request = { tag: "ralph/shop/r1", branch: "main", ofRun: [tip], exclude: [] };
    workspace.write("a.txt", "local\n");
    const dirty = await undoRun(workspace.repository, request);
    const other = workspace.commit("by hand");
    const foreign = await undoRun(workspace.repository, request);
    expect([dirty, foreign]).toEqual([
      {
        type: "refused",
        message: "Files of the run have uncommitted changes: a.txt. Commit or stash them, then undo again.",
      },
      {
        type: "refused",
        message: `1 commits that are not the run's are on top: ${other.slice(0, 8)} by hand. Take them off first, or use git revert for the run's commits.`,
      },
    ]);
    expect([head(workspace), read(workspace, "a.txt")]).toEqual([other, "local\n"]);
  });

  test("goes back to the branch the run came from and removes the run's", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    await switchBranch(workspace.repository, "ralph/x");
    await tagRun(workspace.repository, { task: "x", run: "r", commit: head(workspace) });
    workspace.write("a.txt", "b\n");
    const tip = workspace.commit();
    const request = { tag: "ralph/x/r", branch: "ralph/x", ofRun: [tip], exclude: [], returnTo: "main" };
    await undoRun(workspace.repository, request);
    expect([workspace.git("branch", "--format=%(refname:short)"), read(workspace, "a.txt")]).toEqual(["main\n", "a\n"]);
  });

  test("tags have names git takes", () => {
    expect(runTag({ task: "a..b.lock", run: "r 1." })).toBe("ralph/a.b-/r-1-");
  });
});
