import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { copyText, pastePicture } from "../../../src/cli/interactive/services/clipboard.ts";
import { listFiles } from "../../../src/cli/interactive/services/files.ts";
import { gitBranch } from "../../../src/cli/interactive/services/git-branch.ts";
import { openWritten } from "../../../src/cli/interactive/services/written.ts";
import type { RunContext } from "../../../src/cli/run-context.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { ralphPaths } from "../../../src/system/paths.ts";
import { png } from "../../support/pictures.ts";
import { sampleKey } from "../../support/sample-keys.ts";
import { type TempWorkspace, tempWorkspace } from "../../support/temp-workspace.ts";

const workspaces: TempWorkspace[] = [];
afterEach(() => {
  for (const workspace of workspaces.splice(0)) workspace.stop();
});

function opened() {
  const workspace = tempWorkspace();
  workspaces.push(workspace);
  const { environment, project: cwd, root: home } = workspace;
  const paths = ralphPaths({ home, environment, platform: process.platform });
  return { workspace, context: { paths, cwd, environment, clock: systemClock } as RunContext };
}

describe("what was written", () => {
  test("is there again the next time, without prompts that hold a key, readable only for its owner", async () => {
    const { workspace, context } = opened();
    const written = openWritten(context, true);
    for (const text of ["first", "second", "second", `use ${sampleKey("GitHub token", 1)}`]) written.storePrompt(text);
    written.storeDraft("half");
    written.storeDraft("half a thought");
    await written.settled();
    const again = openWritten(context, true);
    expect({ history: again.loadHistory(), draft: again.loadDraft() }).toEqual({
      history: ["first", "second"],
      draft: "half a thought",
    });
    const files = workspace.find("ralph-home/data/{history,drafts}/*");
    expect(files.map((path) => statSync(`${workspace.root}/${path}`).mode & 0o777)).toEqual([0o600, 0o600]);
    again.storeDraft("");
    await again.settled();
    expect(openWritten(context, true).loadDraft()).toBe("");
  });

  test("is passed over where a line of it cannot be read, and shortened when it is long", async () => {
    const { workspace, context } = opened();
    const written = openWritten(context, true);
    written.storePrompt("kept");
    await written.settled();
    const [path = ""] = workspace.find("ralph-home/data/history/*");
    const many = Array.from({ length: 3000 }, (_, index) => `${JSON.stringify({ text: `prompt ${index}` })}\n`).join(
      "",
    );
    workspace.write(path, `${many}{broken\n`);
    const again = openWritten(context, true);
    expect(again.loadHistory().slice(-2)).toEqual(["prompt 2998", "prompt 2999"]);
    await again.settled();
    expect(readFileSync(`${workspace.root}/${path}`, "utf8").split("\n").length).toBeLessThan(1100);
  });

  test("is not kept where nothing is to be kept", async () => {
    const { workspace, context } = opened();
    const written = openWritten(context, false);
    written.storePrompt("secret plan");
    written.storeDraft("more of it");
    await written.settled();
    expect(workspace.find("ralph-home/data/**")).toEqual([]);
  });
});

describe("the files of a project", () => {
  test("are those that git does not ignore and that may be attached", async () => {
    const { workspace, context } = opened();
    await Bun.spawn(["git", "init", "-q"], { cwd: context.cwd, env: workspace.environment }).exited;
    for (const path of ["a.ts", "src/b.ts", "out/c.js", ".env"]) workspace.write(`project/${path}`, "x");
    workspace.write("project/.gitignore", "out/\n");
    expect((await listFiles(context)).toSorted()).toEqual([".gitignore", "a.ts", "src/b.ts"]);
  });

  test("are found without git as well", async () => {
    const { workspace, context } = opened();
    for (const path of ["a.ts", "src/b.ts", "node_modules/x/y.js"]) workspace.write(`project/${path}`, "x");
    expect((await listFiles(context)).toSorted()).toEqual(["a.ts", "src/b.ts"]);
  });
});

describe("the clipboard", () => {
  test("gets a text through the terminal and through a program of the desktop", async () => {
    const { workspace, context } = opened();
    program(workspace, "wl-copy", `cat > ${workspace.root}/copied`);
    const sequences: string[] = [];
    const desktop = { ...context, environment: desktopOf(workspace) };
    expect(await copyText(desktop, "a text", (sequence) => sequences.push(sequence))).toBe(true);
    expect({ sequences, copied: workspace.read("copied") }).toEqual({
      sequences: [`\x1b]52;c;${btoa("a text")}\x07`],
      copied: "a text",
    });
    expect(await copyText(context, "x".repeat(1_000_000), () => {})).toBe(false);
  });

  test("gives a picture, and nothing where there is none or it is none", async () => {
    const { workspace, context } = opened();
    const environment = desktopOf(workspace);
    const desktop = { ...context, environment };
    expect(await pastePicture(desktop)).toBeUndefined();
    writeFileSync(`${workspace.root}/picture.png`, png(2, 2, { pixel: () => [1, 2, 3] }));
    program(workspace, "wl-paste", `cat ${workspace.root}/picture.png`);
    expect(await pastePicture(desktop)).toMatchObject({ mediaType: "image/png" });
    program(workspace, "wl-paste", "echo no picture");
    expect(await pastePicture(desktop)).toBeUndefined();
    program(workspace, "wl-paste", "cat /dev/zero");
    expect(await pastePicture(desktop)).toBeUndefined();
  });
});

function program(workspace: TempWorkspace, name: string, script: string): void {
  chmodSync(workspace.write(`programs/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
}

function desktopOf({ root, environment }: TempWorkspace): Record<string, string> {
  return { ...environment, PATH: `${root}/programs:/usr/bin:/bin`, WAYLAND_DISPLAY: "wayland-0" };
}

describe("the branch", () => {
  test("is read from a repository, a worktree and a detached commit", () => {
    const { workspace, context } = opened();
    expect(gitBranch(context.cwd)).toBeUndefined();
    workspace.write("project/.git/HEAD", "ref: refs/heads/fix/it\n");
    expect(gitBranch(context.cwd)).toBe("fix/it");
    workspace.write("project/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    expect(gitBranch(context.cwd)).toBe("01234567");
    mkdirSync(`${workspace.root}/tree`);
    workspace.write("tree/.git", `gitdir: ${workspace.root}/project/.git/worktrees/tree\n`);
    workspace.write("project/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n");
    expect(gitBranch(`${workspace.root}/tree`)).toBe("other");
  });
});
