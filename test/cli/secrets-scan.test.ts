import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
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

describe("a command that commits", () => {
  test("is asked about where it would commit a key, staged or added on the way, whatever rule allows it", async () => {
    using ralph = await openFrontDoor();
    const { workspace, provider } = ralph;
    git(workspace, "init", "-q");
    workspace.write("project/fine.txt", "nothing\n");
    git(workspace, "add", ".");
    git(workspace, "commit", "-q", "-m", "x");
    const commit = async (command: string) => {
      provider.answer(toolCallAnswer({ name: "shell", input: { command } }), textAnswer("ok"));
      await ralph.run(["-p", "go", "--allow", "Bash(git commit:*)", "--allow", "Bash(git add:*)"]);
      return /it would commit GitHub token/.exec(JSON.stringify(provider.requests.at(-1)?.body))?.[0];
    };
    workspace.write("project/new.ts", `const key = "${KEY}";\n`);
    expect(await commit("git commit -m nothing-staged")).toBeUndefined();
    expect(await commit("git add new.ts && git commit -m x")).toBe("it would commit GitHub token");
    git(workspace, "add", "new.ts");
    expect(await commit("git commit -m staged")).toBe("it would commit GitHub token");
    expect(ralph.workspace.read("project/.git/logs/HEAD").trimEnd().split("\n")).toHaveLength(1);
  }, 20_000);
});

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
    const fingerprint = expect.stringMatching(/^[0-9a-f]{20}$/);
    const { stdout, code } = await ralph.run(["secrets", "scan", "--json", "src/a.ts", "node_modules"]);
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 1,
      files: 2,
      exempt: 0,
      findings: [
        { path: "src/a.ts", kind: "GitHub token", line: 2, column: 14, shown: `ghp_…${KEY.slice(-2)}`, fingerprint },
        {
          path: "node_modules/x.js",
          kind: "GitHub token",
          line: 1,
          column: 1,
          shown: `ghp_…${KEY.slice(-2)}`,
          fingerprint,
        },
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

  test("leaves out what a marker in its line or the ignore file exempts, and counts it", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    workspace.write("project/a.ts", `const one = "${KEY}"; // ralph:allow-secret\nconst two = "${OTHER}";\n`);
    workspace.write(
      "project/b.py",
      `one = "${OTHER}"  # gitleaks:allow\ntwo = "${OTHER}"  # pragma: allowlist secret\n`,
    );
    const told = async (...flags: string[]) => outcomeOf(await ralph.run(["secrets", "scan", ...flags]));
    const shown = `a.ts:2:14: npm token npm_…${OTHER.slice(-2)}`;
    expect(await told()).toEqual({ code: 1, stdout: `${shown}\n1 secret in 2 files, 3 exempt\n`, stderr: "" });
    const { stdout } = await told("--fingerprints");
    const fingerprint = stdout.match(/ {2}([0-9a-f]{20})$/m)?.[1] ?? "";
    expect(stdout).toBe(`${shown}  ${fingerprint}\n1 secret in 2 files, 3 exempt\n`);
    workspace.write("project/.ralph/secrets-ignore", `# fixtures\n${fingerprint}  the npm token in a.ts\nnonsense\n`);
    expect(await told()).toEqual({
      code: 0,
      stdout: "no secret in 3 files, 4 exempt\n",
      stderr:
        "ralph: .ralph/secrets-ignore:3 is no fingerprint, so it exempts nothing. See: ralph secrets scan --fingerprints\n",
    });
    // Another value is another find, whatever stands around it.
    workspace.write("project/a.ts", `const two = "${sampleKey("npm token", 3)}";\n`);
    expect((await told()).code).toBe(1);
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
