import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { decodePath, encodePath } from "../../../src/loop/git/path-bytes.ts";
import { compareStates, stateDigest } from "../../../src/loop/git/workspace-state.ts";
import { gitWorkspace } from "../../support/git-workspace.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();
const idOf = (content: string) =>
  new Bun.CryptoHasher("sha1").update(`blob ${Buffer.byteLength(content)}\0${content}`).digest("hex");

describe("the state of a workspace", () => {
  test("has what is changed, new, deleted, linked and executable, and neither ignored nor excluded files", async () => {
    const workspace = await gitWorkspace(newDirectory(), {
      "kept.txt": "kept\n",
      "changed.txt": "old\n",
      "gone.txt": "gone\n",
      "run.sh": "run\n",
      ".gitignore": "ignored/\n",
      "tasks/prd.json": "{}\n",
    });
    const base = workspace.git("rev-parse", "HEAD").trim();
    const indexBefore = workspace.git("ls-files", "--stage", "--debug");
    workspace.write("changed.txt", "new\n");
    workspace.remove("gone.txt");
    workspace.write("run.sh", "run\n", 0o755);
    workspace.write("ignored/x", "x");
    workspace.write("tasks/prd.json", "{ }\n");
    workspace.write("new.txt", "new\n");
    symlinkSync("/etc/passwd", join(workspace.root, "link"));
    const { entries, head } = await workspace.state(base, ["tasks/"]);
    const file = (id: string, mode = "100644") => ({ mode, id });
    const dirty = { isDirty: true, isCommitted: false };
    expect({ head, entries: Object.fromEntries(entries) }).toEqual({
      head: { branch: "main", commit: base },
      entries: {
        "changed.txt": { base: file(idOf("old\n")), now: file(idOf("new\n")), ...dirty },
        "gone.txt": { base: file(idOf("gone\n")), now: undefined, ...dirty },
        "run.sh": { base: file(idOf("run\n")), now: file(idOf("run\n"), "100755"), ...dirty },
        "new.txt": { base: undefined, now: file(idOf("new\n")), ...dirty },
        link: { base: undefined, now: file(idOf("/etc/passwd"), "120000"), ...dirty },
      },
    });
    expect(workspace.git("ls-files", "--stage", "--debug")).toEqual(indexBefore);
  });

  test("is the same before and after a commit of the same contents, and names a change that is taken back", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const base = workspace.git("rev-parse", "HEAD").trim();
    const start = await workspace.state(base);
    workspace.write("a.txt", "b\n");
    workspace.write("new.txt", "n\n");
    const changed = await workspace.state(base);
    workspace.commit();
    const committed = await workspace.state(base);
    workspace.write("a.txt", "a\n");
    const back = await workspace.state(base);
    workspace.remove("new.txt");
    const start2 = await workspace.state(base);
    expect([compareStates(start, changed), compareStates(changed, committed), compareStates(start, back)]).toEqual([
      ["a.txt", "new.txt"],
      [],
      ["new.txt"],
    ]);
    expect([stateDigest(changed) === stateDigest(committed), stateDigest(start) === stateDigest(start2)]).toEqual([
      true,
      true,
    ]);
    expect(stateDigest(start)).not.toEqual(stateDigest(changed));
  });

  test("works before the first commit and with names that are no text", async () => {
    const workspace = await gitWorkspace(newDirectory());
    const odd = ["new\nline", 'quo"te', "back\\slash", " space", "ümlaut", "-dash"];
    for (const name of odd) workspace.write(name, name);
    writeFileSync(Buffer.concat([Buffer.from(`${workspace.root}/`), Buffer.from([0xff, 0x61])]), "bytes");
    const { entries, head } = await workspace.state(undefined);
    expect({ head, paths: [...entries.keys()].sort() }).toEqual({
      head: { branch: "main", commit: undefined },
      paths: [...odd, "\udcffa"].sort(),
    });
  });

  test("a folder replaced by a link to elsewhere is read as a link", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "dir/a.txt": "a\n" });
    const base = workspace.git("rev-parse", "HEAD").trim();
    workspace.remove("dir");
    symlinkSync("../home", join(workspace.root, "dir"));
    const { entries } = await workspace.state(base);
    expect([...entries].map(([path, { now }]) => [path, now?.mode])).toEqual([
      ["dir/a.txt", undefined],
      ["dir", "120000"],
    ]);
  });

  test("submodules count by their commit, repositories nobody added are named as a problem", async () => {
    const folder = newDirectory();
    const workspace = await gitWorkspace(folder, { "a.txt": "a\n" });
    const other = await gitWorkspace(join(folder, "other"), { "b.txt": "b\n" });
    workspace.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.root, "sub");
    const base = workspace.commit();
    const sub = join(workspace.root, "sub");
    const env = { ...workspace.environment };
    writeFileSync(join(sub, "b.txt"), "c\n");
    execFileSync("git", ["commit", "-qam", "next"], { cwd: sub, env });
    const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: sub, env, encoding: "utf8" }).trim();
    execFileSync("git", ["init", "-q", join(workspace.root, "nested")]);
    workspace.write("nested/x.txt", "x");
    const { entries } = await workspace.state(base);
    const seen = [...entries].map(([path, { now, problem }]) => ({ path, now, problem }));
    expect(seen).toEqual([
      { path: "sub", now: { mode: "160000", id: head }, problem: undefined },
      { path: "nested/", now: { mode: "other", id: "" }, problem: "a folder" },
    ]);
  });
});

test("every name made of bytes comes back as the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(Buffer.from(encodePath(decodePath(bytes)))).toEqual(Buffer.from(bytes));
    }),
  );
});
