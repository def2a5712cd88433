import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { sampleKey } from "../support/sample-keys.ts";
import type { TempWorkspace } from "../support/temp-workspace.ts";

const KEY = sampleKey("GitHub token", 1);
const OTHER = sampleKey("npm token", 2);

function git(workspace: TempWorkspace, ...words: string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "init.defaultBranch=main"];
  const { success, stderr } = Bun.spawnSync(["git", ...identity, ...words], {
    cwd: workspace.project,
    env: workspace.environment,
  });
  if (!success) throw new Error(stderr.toString());
}

describe("ralph secrets scan", () => {
  test("names what it finds without telling it, skips what is no text, and says 1", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    workspace.write("project/src/a.ts", `const a = 1;\nconst key = "${KEY}";\n`);
    workspace.write("project/src/ünï.md", `see ${OTHER}\n`);
    workspace.write("project/fine.txt", "nothing\n");
    workspace.write("project/node_modules/x.js", KEY);
    writeFileSync(`${workspace.project}/binary`, Buffer.from(`\0${KEY}`));
    expect(outcomeOf(await ralph.run(["secrets", "scan"]))).toEqual({
      code: 1,
      stdout: `src/a.ts:2:14: GitHub token ghp_…${KEY.slice(-2)}\nsrc/ünï.md:1:5: npm token npm_…${OTHER.slice(-2)}\n2 secrets in 3 files\n`,
      stderr: "",
    });
    expect(outcomeOf(await ralph.run(["secrets", "scan", "fine.txt"]))).toEqual({
      code: 0,
      stdout: "no secret in 1 file\n",
      stderr: "",
    });
    const { stdout, code } = await ralph.run(["secrets", "scan", "--json", "src/a.ts", "node_modules"]);
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 1,
      files: 2,
      findings: [
        { path: "src/a.ts", kind: "GitHub token", line: 2, column: 14, shown: `ghp_…${KEY.slice(-2)}` },
        { path: "node_modules/x.js", kind: "GitHub token", line: 1, column: 1, shown: `ghp_…${KEY.slice(-2)}` },
      ],
    });
  });

  test("in a repository leaves ignored files out", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    git(workspace, "init", "-q");
    workspace.write("project/.gitignore", "ignored/\n");
    workspace.write("project/ignored/a", KEY);
    workspace.write("project/sub/new", `${OTHER}\n`);
    const { stdout, code, stderr } = await ralph.run(["secrets", "scan"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: `sub/new:1:1: npm token npm_…${OTHER.slice(-2)}\n1 secret in 2 files\n`,
      stderr: "",
    });
    expect((await ralph.run(["secrets", "scan", "ignored/a"])).code).toBe(1);
  });

  test("with --staged looks at what would be committed and was not before", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    const scan = async () => outcomeOf(await ralph.run(["secrets", "scan", "--staged"]));
    expect(await scan()).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: --staged needs a git repository; there is none here.\n",
    });
    git(workspace, "init", "-q");
    workspace.write("project/old name", `${KEY}\n`);
    git(workspace, "add", ".");
    expect(await scan()).toEqual({
      code: 1,
      stdout: `old name:1:1: GitHub token ghp_…${KEY.slice(-2)}\n1 secret in 1 file\n`,
      stderr: "",
    });
    git(workspace, "commit", "-q", "-m", "x");
    workspace.write("project/old name", `a\n${KEY}\n`);
    workspace.write("project/fresh", `${OTHER}\n`);
    git(workspace, "add", "old name");
    expect(await scan()).toEqual({ code: 0, stdout: "no secret in 1 file\n", stderr: "" });
    git(workspace, "add", "fresh");
    workspace.write("project/fresh", "cleaned, but not staged\n");
    expect(await scan()).toEqual({
      code: 1,
      stdout: `fresh:1:1: npm token npm_…${OTHER.slice(-2)}\n1 secret in 2 files\n`,
      stderr: "",
    });
  });

  test("says what it does not understand or cannot read", async () => {
    using ralph = await openFrontDoor();
    expect((await ralph.run(["secrets"])).code).toBe(2);
    expect((await ralph.run(["secrets", "scan", "--staged", "x"])).code).toBe(2);
    const missing = await ralph.run(["secrets", "scan", "nowhere"]);
    expect(outcomeOf(missing)).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: There is no file or folder nowhere here.\n",
    });
  });
});
