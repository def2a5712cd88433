import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Candidate,
  type CandidateRequest,
  commitMessage,
  makeCandidate,
} from "../../../src/loop/git/candidate.ts";
import { landCandidate } from "../../../src/loop/git/land.ts";
import type { WorkspaceState } from "../../../src/loop/git/workspace-state.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

async function candidateOf(
  workspace: GitWorkspace,
  before: WorkspaceState,
  extra: Partial<CandidateRequest> = {},
): Promise<Candidate> {
  const after = await workspace.state(before.base, [...(extra.exclude ?? [])]);
  const request = {
    before,
    after,
    since: before.head.commit,
    exclude: [],
    overrides: new Map(),
    message: "US-1: Work\n",
  };
  const made = await makeCandidate(workspace.repository, { ...request, ...extra });
  if (!made.ok) throw new Error(made.message);
  return made.candidate;
}

const land = (workspace: GitWorkspace, candidate: Candidate) =>
  landCandidate(workspace.repository, {
    branch: "main",
    from: candidate.parent,
    commit: candidate.commit,
    reason: "ralph: US-1",
  });

describe("a candidate", () => {
  test("has the agent's changes and nothing the person had changed before", async () => {
    const workspace = await gitWorkspace(newDirectory(), {
      "mine.txt": "mine\n",
      "both.txt": "both\n",
      "agent.txt": "agent\n",
      "gone.txt": "gone\n",
      ".gitignore": "*.log\n",
    });
    workspace.write("mine.txt", "mine, changed\n");
    workspace.write("both.txt", "both, changed by me\n");
    workspace.write("untracked.txt", "my notes\n");
    workspace.write("staged.txt", "staged\n");
    workspace.git("add", "staged.txt");
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    const indexBefore = workspace.git("ls-files", "--stage");
    workspace.write("agent.txt", "agent, changed\n");
    workspace.write("both.txt", "both, changed by the agent\n");
    workspace.remove("gone.txt");
    workspace.write("run.sh", "echo hi\n", 0o755);
    workspace.write("debug.log", "ignored\n");
    symlinkSync("agent.txt", join(workspace.root, "link"));
    const candidate = await candidateOf(workspace, before);
    const { files, heldOut, isEmpty, warnings } = candidate;
    expect({ files, heldOut, isEmpty, warnings }).toEqual({
      files: ["agent.txt", "gone.txt", "link", "run.sh"],
      heldOut: [{ path: "both.txt", why: "it had changes of yours before the run and was changed by the agent" }],
      isEmpty: false,
      warnings: [],
    });
    const raw = workspace.git("diff-tree", "-r", "--raw", "--abbrev=4", "HEAD", candidate.commit).split("\n");
    expect(raw.filter(Boolean).map((line) => line.replace(/^:\d+ (\d+) \S+ \S+ /, "$1 "))).toEqual([
      "100644 M\tagent.txt",
      "000000 D\tgone.txt",
      "120000 A\tlink",
      "100755 A\trun.sh",
    ]);
    expect(workspace.git("ls-files", "--stage")).toBe(indexBefore);
    expect(workspace.git("rev-parse", "HEAD").trim()).toBe(before.head.commit ?? "");
  });

  test("keeps the person's changes out where the agent has committed everything itself", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "mine.txt": "mine\n", "agent.txt": "agent\n" });
    workspace.write("mine.txt", "not yet to be committed\n");
    workspace.write("notes.txt", "my notes\n");
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.write("agent.txt", "agent, changed\n");
    const parent = workspace.commit("agent: everything");
    const candidate = await candidateOf(workspace, before);
    expect({ ...candidate, commit: "", tree: "" }).toEqual({
      commit: "",
      tree: "",
      parent,
      files: ["agent.txt"],
      heldOut: [],
      warnings: [],
      isEmpty: false,
    });
    expect(await land(workspace, candidate)).toEqual({ type: "landed" });
    expect(workspace.git("status", "--porcelain")).toBe(" M mine.txt\n?? notes.txt\n");
    expect(readFileSync(join(workspace.root, "mine.txt"), "utf8")).toBe("not yet to be committed\n");
  });

  test("is the agent's own commit where nothing has to be added, and empty where only the task's files changed", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n", "tasks/prd.json": "{}\n" });
    const base = workspace.git("rev-parse", "HEAD").trim();
    const before = await workspace.state(base, ["tasks/"]);
    workspace.write("a.txt", "b\n");
    const own = workspace.commit("agent");
    const first = await candidateOf(workspace, before, { exclude: ["tasks/"] });
    workspace.git("reset", "--quiet", "--hard", base);
    workspace.write("tasks/prd.json", '{"passes":true}\n');
    workspace.commit("agent: done!");
    const overrides = new Map([["tasks/prd.json", '{"harness":1}\n']]);
    const second = await candidateOf(workspace, before, { exclude: ["tasks/"], overrides });
    expect([first.commit, second.isEmpty, workspace.git("show", `${second.commit}:tasks/prd.json`)]).toEqual([
      own,
      true,
      '{"harness":1}\n',
    ]);
  });

  test("takes the task's files out again where the agent added them", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    workspace.write("tasks/prd.json", "{}\n");
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim(), ["tasks/"]);
    workspace.commit("agent: all in");
    const overrides = new Map([["tasks/prd.json", "{}\n"]]);
    const candidate = await candidateOf(workspace, before, { exclude: ["tasks/"], overrides });
    expect(workspace.git("ls-tree", "-r", "--name-only", candidate.commit)).toBe("a.txt\n");
  });

  test("takes odd names, renames, a folder that became a file, and CRLF as git add would", async () => {
    const workspace = await gitWorkspace(newDirectory(), {
      "old name": "same content\n",
      "dir/inner": "x\n",
      ".gitattributes": "*.txt text\n",
    });
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.git("mv", "old name", "new\nname");
    workspace.remove("dir");
    workspace.write("dir", "now a file\n");
    workspace.write('q"\\uote', "q\n");
    workspace.write("lines.txt", "a\r\nb\r\n");
    writeFileSync(Buffer.concat([Buffer.from(`${workspace.root}/`), Buffer.from([0xfe, 0x62])]), "bytes");
    const candidate = await candidateOf(workspace, before);
    workspace.git("add", "--all");
    expect(candidate.tree).toBe(workspace.git("write-tree").trim());
    expect(await land(workspace, candidate)).toEqual({ type: "landed" });
    expect(workspace.git("status", "--porcelain")).toBe("");
  });

  test.each(["core.symlinks", "core.fileMode"])(
    "has the modes git add would give where %s is false",
    async (setting) => {
      const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n", "run.sh": "a\n" });
      symlinkSync("a.txt", join(workspace.root, "link"));
      chmodSync(join(workspace.root, "run.sh"), 0o755);
      const base = workspace.commit();
      workspace.git("config", setting, "false");
      const before = await workspace.state(base);
      if (setting === "core.symlinks") workspace.remove("link");
      if (setting === "core.symlinks") workspace.write("link", "run.sh");
      workspace.write("run.sh", "b\n", 0o644);
      workspace.write("a.txt", "b\n", 0o755);
      workspace.write("new.sh", "new\n", 0o755);
      workspace.write("added.sh", "new\n", 0o755);
      workspace.git("add", "--chmod=+x", "added.sh");
      const candidate = await candidateOf(workspace, before);
      workspace.git("add", "--all");
      expect(workspace.git("ls-tree", candidate.tree)).toBe(
        workspace.git("ls-tree", workspace.git("write-tree").trim()),
      );
    },
  );

  test("does not bring back what the agent has put a folder or a file in the place of", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n", "d/b.txt": "b\n", "c.txt": "c\n" });
    for (const path of ["a.txt", "d", "c.txt"]) workspace.remove(path);
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.write("a.txt/x", "x\n");
    workspace.write("d", "d\n");
    workspace.commit("agent");
    const candidate = await candidateOf(workspace, before);
    expect(workspace.git("ls-tree", "-r", "--name-only", candidate.commit)).toBe("a.txt/x\nc.txt\nd\n");
  });

  test("works before the first commit, without a name in the settings, and warns of large files", async () => {
    const workspace = await gitWorkspace(newDirectory());
    workspace.git("config", "--global", "--remove-section", "user");
    const before = await workspace.state(undefined);
    workspace.write("a.txt", "a\n");
    workspace.write("large.bin", new Uint8Array(6 * 1024 * 1024));
    const candidate = await candidateOf(workspace, before);
    expect(candidate.warnings).toEqual(["large.bin has 6.0 MB and becomes part of the history."]);
    expect(await land(workspace, candidate)).toEqual({ type: "landed" });
    expect(workspace.git("log", "--format=%an <%ae> %s")).toBe("Ralph <ralph@localhost> US-1: Work\n");
    expect(workspace.git("status", "--porcelain")).toBe("");
  });

  test("names the person's changes that the agent threw away", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "mine.txt": "mine\n" });
    workspace.write("mine.txt", "precious\n");
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.git("checkout", "--", "mine.txt");
    const { heldOut, isEmpty } = await candidateOf(workspace, before);
    expect({ heldOut, isEmpty }).toEqual({
      heldOut: [{ path: "mine.txt", why: "your own changes to it are gone from the working tree" }],
      isEmpty: true,
    });
  });

  test("a message has the story in its first line, and one line only", () => {
    const message = commitMessage({ id: "US-003", title: `Fix\nthe ${"long ".repeat(40)}` }, ["Checks: npm test"]);
    const [subject, ...rest] = message.split("\n");
    expect([subject?.startsWith("US-003: Fix the long"), subject?.length, rest]).toEqual([
      true,
      100,
      ["", "Checks: npm test", ""],
    ]);
  });
});

describe("landing", () => {
  test("keeps what the person has staged and can be done twice", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n", "staged.txt": "s\n" });
    workspace.write("staged.txt", "staged change\n");
    workspace.git("add", "staged.txt");
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.write("a.txt", "b\n");
    const candidate = await candidateOf(workspace, before);
    expect([await land(workspace, candidate), await land(workspace, candidate)]).toEqual([
      { type: "landed" },
      { type: "landed" },
    ]);
    expect(workspace.git("status", "--porcelain")).toBe("M  staged.txt\n");
    expect(workspace.git("log", "--format=%s")).toBe("US-1: Work\nbase\n");
    expect(workspace.git("reflog", "--format=%gs", "main")).toBe("ralph: US-1\ncommit (initial): base\n");
  });

  test("says which file is in the way where the branch is locked, and can be done once it is gone", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.write("a.txt", "b\n");
    const candidate = await candidateOf(workspace, before);
    workspace.write(".git/refs/heads/main.lock", "");
    const locked = await land(workspace, candidate);
    expect([locked.type, "message" in locked && locked.message.includes("main.lock")]).toEqual(["failed", true]);
    workspace.remove(".git/refs/heads/main.lock");
    expect([await land(workspace, candidate), workspace.git("status", "--porcelain")]).toEqual([
      { type: "landed" },
      "",
    ]);
  });

  test("brings the index in line, but for what is kept", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.git("rm", "--quiet", "--cached", "a.txt", "b.txt");
    workspace.write("c.txt", "changed\n");
    const candidate = await candidateOf(workspace, before);
    const { commit, parent: from } = candidate;
    const keepsStaged = (path: string) => path === "b.txt" || path === "c.txt";
    const request = { branch: "main", from, commit, reason: "ralph: US-1", keepsStaged };
    expect(await landCandidate(workspace.repository, request)).toEqual({ type: "landed" });
    expect(workspace.git("status", "--porcelain")).toBe("D  b.txt\n?? b.txt\n");
  });

  test("of what is there already changes nothing", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const commit = workspace.git("rev-parse", "HEAD").trim();
    const request = { branch: "main", from: commit, commit, reason: "ralph: US-1" };
    expect([
      await landCandidate(workspace.repository, request),
      workspace.git("reflog", "--format=%gs", "main"),
    ]).toEqual([{ type: "landed" }, "commit (initial): base\n"]);
  });

  test("leaves a branch alone that somebody else has moved", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.write("a.txt", "b\n");
    const candidate = await candidateOf(workspace, before);
    workspace.git("commit", "--quiet", "--allow-empty", "--message", "somebody else");
    const tip = workspace.git("rev-parse", "HEAD").trim();
    const result = await land(workspace, candidate);
    expect([result.type, workspace.git("rev-parse", "HEAD").trim()]).toEqual(["moved", tip]);
  });

  test("finishes what was interrupted between the branch and the index", async () => {
    const workspace = await gitWorkspace(newDirectory(), { "a.txt": "a\n" });
    const before = await workspace.state(workspace.git("rev-parse", "HEAD").trim());
    workspace.write("a.txt", "b\n");
    const candidate = await candidateOf(workspace, before);
    workspace.git("update-ref", "refs/heads/main", candidate.commit);
    expect(workspace.git("status", "--porcelain")).toBe("MM a.txt\n");
    await land(workspace, candidate);
    expect(workspace.git("status", "--porcelain")).toBe("");
  });
});
