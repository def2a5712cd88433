import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_LIMITS, openCheckLog } from "../../../src/loop/checks/check-log.ts";
import { copyReferences, openCheckout, removeStaleCheckouts } from "../../../src/loop/checks/checkout.ts";
import { foldersToLink } from "../../../src/loop/checks/linked-folders.ts";
import { searchPath } from "../../../src/loop/checks/run-check.ts";
import { missingProgram } from "../../../src/loop/checks/verify-story.ts";
import { readTree } from "../../../src/loop/git/tree-entries.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

async function linked(workspace: GitWorkspace, base = "HEAD"): Promise<string[]> {
  const [now, before] = await Promise.all(["HEAD", base].map((tree) => readTree(workspace.repository, tree)));
  if (!now?.ok || !before?.ok) throw new Error("no tree");
  return (await foldersToLink(workspace.repository, { entries: now.entries, base: before.entries })).sort();
}

describe("what is linked into a checkout", () => {
  test("folders of packages at the top and beside manifests, never tracked ones or those that lead out", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, {
      ".gitignore": "node_modules\n.venv\n",
      "package.json": "{}",
      "packages/a/package.json": "{}",
      "vendor/tracked.go": "x",
    });
    for (const path of ["node_modules", "packages/a/node_modules", "other/node_modules"])
      workspace.write(`${path}/x`, "x");
    mkdirSync(join(folder, "outside"));
    symlinkSync(join(folder, "outside"), join(workspace.root, ".venv"));
    expect(await linked(workspace)).toEqual(["node_modules", "packages/a/node_modules"]);
  });

  test("what the include file of the start names, not what the agent made of it", async () => {
    const workspace = await gitWorkspace(newDirectory(), {
      ".gitignore": ".env\ncache\nsecret\n",
      ".worktreeinclude": ".env\ncache/\n",
    });
    const base = workspace.git("rev-parse", "HEAD").trim();
    for (const path of [".env", "cache/deep/x", "secret", "node_modules/x"]) workspace.write(path, "x");
    workspace.write(".worktreeinclude", "secret\n");
    workspace.git("commit", "--quiet", "--all", "--message", "agent");
    expect(await linked(workspace, base)).toEqual([".env", "cache"]);
  });

  test("is a link, and never in the place of something the commit has", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "a/x": "committed\n" });
    workspace.write("b/y", "y\n");
    const opened = await openCheckout(workspace.repository, {
      folder: join(folder, "c"),
      commit: undefined,
      tree: workspace.git("rev-parse", "HEAD^{tree}").trim(),
      references: copyReferences(workspace.repository),
      link: ["a", "b"],
    });
    if (!opened.ok) throw new Error(opened.message);
    const { directory, linked: made, close } = opened.checkout;
    expect([made, readlinkSync(join(directory, "b")), readFileSync(join(directory, "a/x"), "utf8")]).toEqual([
      ["b"],
      join(workspace.root, "b"),
      "committed\n",
    ]);
    await close();
    expect([existsSync(directory), readFileSync(join(workspace.root, "b/y"), "utf8")]).toEqual([false, "y\n"]);
  });
});

test("what an interrupted run left is removed, folders nobody may write to included", async () => {
  const folder = join(newDirectory(), "checkouts");
  mkdirSync(join(folder, "old/files/sealed"), { recursive: true });
  writeFileSync(join(folder, "old/files/sealed/file"), "x");
  chmodSync(join(folder, "old/files/sealed"), 0o500);
  await removeStaleCheckouts(folder);
  await removeStaleCheckouts(join(folder, "never"));
  expect([existsSync(folder), existsSync(join(folder, "old"))]).toEqual([true, false]);
});

test("a log is cut at its limit with a note, its digest is that of everything", () => {
  const file = join(newDirectory(), "logs/x.log");
  const log = openCheckLog(file);
  const hash = new Bun.CryptoHasher("sha256");
  const piece = Buffer.alloc(8 * 1024 * 1024, "abcdefg\n");
  for (let at = 0; at < 9; at++) {
    log.add(piece);
    hash.update(piece);
  }
  log.add(Buffer.from("the end 😀"));
  hash.update("the end 😀");
  const { digest, tail } = log.end();
  expect([digest, tail.length, tail.endsWith("the end 😀")]).toEqual([`sha256:${hash.digest("hex")}`, 4000, true]);
  const note = "\n[cut here: a log has at most 64 MB]\n";
  const written = readFileSync(file);
  expect([written.length, written.subarray(-note.length).toString()]).toEqual([
    LOG_LIMITS.fileBytes + note.length,
    note,
  ]);
});

test("programs are looked for in the checkout instead of the agent's folder, and never relatively", () => {
  expect(searchPath("/usr/bin:.::/project/node_modules/.bin:/project2/bin:bin", "/project", "/checkout")).toBe(
    "/usr/bin:/checkout/node_modules/.bin:/project2/bin",
  );
});

test("a missing program is told from a missing file of the project", () => {
  const missing = (tail: string, exit = 127) => missingProgram({ exit, tail });
  expect([
    missing("bash: line 1: jest: command not found\n"),
    missing("> x@1.0.0 test\n> jest\n\nsh: 1: jest: not found\n"),
    missing("bash: line 1: ./run.sh: No such file or directory\n"),
    missing("bash: line 1: scripts/x: Permission denied\n", 126),
    missing("bash: line 1: jest: command not found\n", 1),
  ]).toEqual(["jest", "jest", undefined, undefined, undefined]);
});
