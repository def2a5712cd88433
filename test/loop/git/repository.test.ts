import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runGit } from "../../../src/loop/git/git.ts";
import {
  findRepository,
  type Repository,
  readBranch,
  readHead,
  readSafeSettings,
} from "../../../src/loop/git/repository.ts";
import { gitWorkspace } from "../../support/git-workspace.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

describe("finding a repository", () => {
  test("no git, no repository and a bare repository are three different answers", async () => {
    const directory = newDirectory();
    const bare = join(directory, "bare");
    execFileSync("git", ["init", "--quiet", "--bare", bare]);
    const environment = { PATH: process.env.PATH, HOME: directory };
    const reason = async (place: string, PATH = environment.PATH) => {
      const found = await findRepository({
        directory: place,
        environment: { ...environment, PATH },
        scratch: directory,
      });
      return found.ok ? "found" : found.reason;
    };
    expect([await reason(directory), await reason(bare), await reason(directory, directory)]).toEqual([
      "no-repository",
      "bare",
      "no-git",
    ]);
  });

  test("a folder within the working tree leads to its top, a linked worktree to its own", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "src/deep/a.txt": "a\n" });
    workspace.git("worktree", "add", "--quiet", join(folder, "linked"));
    const find = async (directory: string) => {
      const found = await findRepository({ directory, environment: workspace.environment, scratch: folder });
      if (!found.ok) throw new Error(found.message);
      const { root, commonDirectory, isLinkedWorktree } = found.repository;
      return { root, commonDirectory, isLinkedWorktree };
    };
    const commonDirectory = join(workspace.root, ".git");
    expect(await find(join(workspace.root, "src/deep"))).toEqual({
      root: workspace.root,
      commonDirectory,
      isLinkedWorktree: false,
    });
    expect(await find(join(folder, "linked"))).toEqual({
      root: join(folder, "linked"),
      commonDirectory,
      isLinkedWorktree: true,
    });
  });

  test("HEAD is read on a branch, detached, and before the first commit", async () => {
    const workspace = await gitWorkspace(newDirectory());
    const unborn = await readHead(workspace.repository);
    workspace.write("a.txt", "a\n");
    const commit = workspace.commit();
    const onBranch = await readHead(workspace.repository);
    workspace.git("checkout", "--quiet", "--detach");
    const detached = await readHead(workspace.repository);
    expect([unborn, onBranch, detached]).toEqual([
      { ok: true, head: { branch: "main", commit: undefined } },
      { ok: true, head: { branch: "main", commit } },
      { ok: true, head: { branch: undefined, commit } },
    ]);
  });

  test("the branch is read from the file that names it, and asked of git where the file does not say", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const asked: string[] = [];
    const repository: Repository = {
      ...workspace.repository,
      git: (call) => {
        asked.push(call.arguments[0] ?? "");
        return workspace.repository.git(call);
      },
    };
    const head = join(workspace.root, ".git/HEAD");
    workspace.git("switch", "--quiet", "--create", "a/b.c");
    const fromFile = await readBranch(repository);
    expect([fromFile, asked.splice(0)]).toEqual([{ ok: true, branch: "a/b.c" }, []]);
    workspace.git("checkout", "--quiet", "--detach");
    const detached = await readBranch(repository);
    // As a repository has it that keeps its references in tables.
    writeFileSync(head, "ref: refs/heads/.invalid\n");
    const elsewhere = await readBranch(repository);
    writeFileSync(head, "nothing\n");
    const broken = await readBranch(repository);
    expect([detached, elsewhere.ok, broken.ok, new Set(asked)]).toEqual([
      { ok: true, branch: undefined },
      false,
      false,
      new Set(["symbolic-ref", "rev-parse"]),
    ]);
  });
});

describe("running git", () => {
  test("settings planted in the repository start no program", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "a.txt": "a\n" });
    const trace = join(folder, "trace");
    const plant = `touch ${trace}`;
    for (const key of ["core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean", "filter.evil.smudge"]) {
      workspace.git("config", key, plant);
    }
    mkdirSync(join(workspace.root, ".git/hooks"), { recursive: true });
    for (const hook of ["reference-transaction", "post-checkout", "post-index-change"]) {
      workspace.write(`.git/hooks/${hook}`, `#!/bin/sh\n${plant}\n`, 0o755);
    }
    workspace.write(".gitattributes", "* filter=evil\n");
    workspace.write("a.txt", "b\n");
    const state = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    await workspace.repository.git({ arguments: ["update-ref", "refs/heads/other", "HEAD"] });
    expect({ paths: [...state.entries.keys()].sort(), started: existsSync(trace) }).toEqual({
      paths: [".gitattributes", "a.txt"],
      started: false,
    });
  });

  test("a person's own filters stay, and a name is given where there is none", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const known = await readSafeSettings(workspace.repository);
    workspace.git("config", "--global", "filter.lfs.clean", "cat");
    workspace.git("config", "filter.mine.clean", "cat");
    workspace.git("config", "--global", "--unset", "user.name");
    const changed = await readSafeSettings(workspace.repository);
    expect([known, changed]).toEqual([
      { settings: [], identity: {}, trustsModes: true },
      {
        settings: ["filter.mine.clean=", "filter.mine.smudge=", "filter.mine.process=", "filter.mine.required=false"],
        identity: {
          GIT_AUTHOR_NAME: "Ralph",
          GIT_AUTHOR_EMAIL: "ralph@localhost",
          GIT_COMMITTER_NAME: "Ralph",
          GIT_COMMITTER_EMAIL: "ralph@localhost",
        },
        trustsModes: true,
      },
    ]);
  });

  test("too much output and too much time are failures that name the bound", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a".repeat(5000) });
    const place = { directory: workspace.root, environment: workspace.environment };
    const long = await runGit(place, { arguments: ["show", "HEAD:a.txt"], capBytes: 1000 });
    const settings = ["alias.wait=!read nothing_ever_comes < wait"];
    execFileSync("mkfifo", [join(workspace.root, "wait")]);
    const slow = await runGit(place, { arguments: ["wait"], settings, deadlineMs: 1000 });
    expect([long, slow]).toEqual([
      { ok: false, reason: "too-much", message: "git show printed more than the 1000 bytes Ralph reads." },
      { ok: false, reason: "too-slow", message: "git wait took more than 1 seconds and was ended." },
    ]);
  });
});

test("filters that come into the repository's settings later are seen, also through a file it includes", async () => {
  const folder = newDirectory();
  const workspace = await gitWorkspace(folder, { "a.txt": "a\n" });
  const found = await findRepository({
    directory: workspace.root,
    environment: workspace.environment,
    scratch: folder,
  });
  if (!found.ok) throw new Error(found.message);
  const seen = async () =>
    (await readSafeSettings(found.repository)).settings.filter((text) => text.includes(".smudge="));
  const before = await seen();
  workspace.git("config", "filter.one.smudge", "sh -c true");
  const direct = await seen();
  const other = join(folder, "other-config");
  workspace.git("config", "--file", other, "user.nickname", "x");
  workspace.git("config", "include.path", other);
  await seen();
  workspace.git("config", "--file", other, "filter.two.smudge", "sh -c true");
  expect([before, direct, await seen()]).toEqual([
    [],
    ["filter.one.smudge="],
    ["filter.one.smudge=", "filter.two.smudge="],
  ]);
});
