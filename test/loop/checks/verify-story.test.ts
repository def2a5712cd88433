import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sealChecks } from "../../../src/loop/checks/seal.ts";
import { type Verification, type VerifyRequest, verifyStory } from "../../../src/loop/checks/verify-story.ts";
import { makeCandidate } from "../../../src/loop/git/candidate.ts";
import type { Check } from "../../../src/protocol/loop-tasks.ts";
import { receipt } from "../../../src/protocol/receipts.ts";
import { findProcess } from "../../../src/system/process-table.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

/** A project whose greeting is to become "hello", with a test that says so. */
const PROJECT = {
  "greet.sh": "echo nothing\n",
  "test/greet.sh": '[ "$(sh greet.sh)" = hello ]\n',
  "package.json": '{\n  "name": "x",\n  "scripts": { "test": "sh test/greet.sh" }\n}\n',
};

const run = (command: string, more: Partial<Extract<Check, { type: "run" }>> = {}): Check => ({
  type: "run",
  run: command,
  timeoutSeconds: 20,
  mustFailFirst: false,
  ...more,
});

interface Try {
  files?: Record<string, string>;
  checks: Check[];
  sealed?: string[];
  /** What a person has there before the run. */
  prepare?(workspace: GitWorkspace): void;
  /** What the agent does. */
  agent(workspace: GitWorkspace): void;
  request?: Partial<VerifyRequest>;
}

interface Tried extends Verification {
  workspace: GitWorkspace;
  folder: string;
}

/** A run of one iteration: seal, agent, candidate, checks. */
async function tryStory({ files = PROJECT, checks, sealed = [], prepare, agent, request = {} }: Try): Promise<Tried> {
  const folder = newDirectory();
  const workspace = await gitWorkspace(folder, files);
  const { repository } = workspace;
  prepare?.(workspace);
  const base = workspace.git("rev-parse", "HEAD").trim();
  const story = { id: "US-1", checks, sealed };
  const sealing = await sealChecks(repository, { base, stories: [story] });
  if (!sealing.ok) throw new Error(sealing.message);
  const before = await workspace.state(base);
  agent(workspace);
  const after = await workspace.state(base);
  const message = "US-1: Greet\n";
  const made = await makeCandidate(repository, {
    before,
    after,
    since: base,
    exclude: [],
    overrides: new Map(),
    message,
  });
  if (!made.ok) throw new Error(made.message);
  const seal = sealing.seal.stories.get("US-1");
  if (seal === undefined) throw new Error("no seal");
  const verification = await verifyStory(repository, {
    story,
    candidate: made.candidate,
    since: base,
    base,
    isOldWork: false,
    seal,
    message,
    setup: undefined,
    exclude: [],
    place: { checkouts: join(folder, "checkouts"), logs: join(folder, "checks"), environment: workspace.environment },
    receipt: { id: "rc1", run: "r1", iteration: 1 },
    now: () => "2030-01-01T00:00:00.000Z",
    ...request,
  });
  return { ...verification, workspace, folder };
}

const summary = ({ passes, verified, cheats, results, receipt: proof }: Verification) => ({
  passes,
  verified,
  cheats: cheats.map(({ kind, detail }) => `${kind}: ${detail}`),
  exits: results.map(({ exit, passesWithout }) => [exit, passesWithout]),
  receipt: proof?.id,
});

const honest = (workspace: GitWorkspace) => workspace.write("greet.sh", "echo hello\n");

describe("an honest story", () => {
  test("gets a receipt for the commit that was checked, and leaves nothing but logs", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh"), { type: "exists", exists: "greet.sh" }],
      agent: honest,
    });
    expect(summary(tried)).toEqual({
      passes: true,
      verified: true,
      cheats: [],
      exits: [
        [0, false],
        [0, true],
      ],
      receipt: "rc1",
    });
    const proof = receipt.parse(tried.receipt);
    expect({ ...proof, checks: [], logDigest: "" }).toEqual({
      version: 1,
      id: "rc1",
      run: "r1",
      iteration: 1,
      story: "US-1",
      commit: tried.candidate.commit,
      tree: tried.workspace.git("rev-parse", `${tried.candidate.commit}^{tree}`).trim(),
      command: "sh test/greet.sh && exists greet.sh",
      exit: 0,
      logDigest: "",
      time: "2030-01-01T00:00:00.000Z",
      checks: [],
    });
    expect(readdirSync(join(tried.folder, "checkouts"))).toEqual([]);
    expect(readdirSync(join(tried.folder, "checks")).sort()).toEqual(
      ["rc1-1.log", "rc1-2.log", "rc1-without-1.log", "rc1-without-2.log"].sort(),
    );
  });

  test("that fails says so with the end of the output", async () => {
    const tried = await tryStory({
      checks: [run("echo PASS all tests passed; exit 1")],
      agent: honest,
    });
    expect([summary(tried), tried.results[0]?.tail]).toEqual([
      { passes: false, verified: false, cheats: [], exits: [[1, undefined]], receipt: undefined },
      "PASS all tests passed\n",
    ]);
  });

  test("sees a clean checkout: no ignored or uncommitted files, but installed packages and what the setup makes", async () => {
    const tried = await tryStory({
      files: { ...PROJECT, ".gitignore": "node_modules\nbuild\n" },
      checks: [run("[ ! -e build ] && [ -e node_modules/dep/index.js ] && [ -e ready ] && sh test/greet.sh")],
      agent(workspace) {
        workspace.write("build/out", "stale");
        workspace.write("node_modules/dep/index.js", "1");
        honest(workspace);
      },
      request: { setup: "touch ready" },
    });
    expect(summary(tried)).toEqual({ passes: true, verified: true, cheats: [], exits: [[0, false]], receipt: "rc1" });
  });

  test("is proven by a check of old work without taking anything away", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh")],
      files: { ...PROJECT, "greet.sh": "echo hello\n" },
      agent() {},
      request: { isOldWork: true },
    });
    expect(summary(tried)).toEqual({
      passes: true,
      verified: true,
      cheats: [],
      exits: [[0, undefined]],
      receipt: "rc1",
    });
  });

  test("is not proven by what passes and is not the agent's work", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh")],
      files: { ...PROJECT, "greet.sh": "echo hello\n" },
      agent() {},
    });
    expect(summary(tried)).toEqual({
      passes: true,
      verified: false,
      cheats: [],
      exits: [[0, true]],
      receipt: undefined,
    });
  });
});

describe("cheats", () => {
  test("an edited test is put back, also in what lands", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh")],
      agent: (workspace) => workspace.write("test/greet.sh", "true\n"),
    });
    expect(summary(tried)).toEqual({
      passes: false,
      verified: false,
      cheats: ["sealed-file-edited: test/greet.sh was changed; the checks ran with the original."],
      exits: [[1, undefined]],
      receipt: undefined,
    });
    expect([tried.putBack, tried.candidate.isEmpty]).toEqual([["test/greet.sh"], true]);
    expect(tried.workspace.git("show", `${tried.candidate.commit}:test/greet.sh`)).toBe(PROJECT["test/greet.sh"]);
  });

  test("work that is done counts although a test was edited, without the edit", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh")],
      agent(workspace) {
        honest(workspace);
        workspace.write("test/greet.sh", "true\n");
      },
    });
    expect([tried.verified, tried.cheats.length, tried.candidate.files]).toEqual([true, 1, ["greet.sh"]]);
    expect(tried.receipt?.commit).toBe(tried.candidate.commit);
  });

  test("a test that is deleted, made a folder or reached through a link is put back", async () => {
    const agents: ((workspace: GitWorkspace) => void)[] = [
      (workspace) => workspace.remove("test/greet.sh"),
      (workspace) => {
        workspace.remove("test/greet.sh");
        workspace.write("test/greet.sh/x", "true\n");
      },
      (workspace) => {
        workspace.remove("test/greet.sh");
        symlinkSync("/bin/true", join(workspace.root, "test/greet.sh"));
      },
      (workspace) => {
        workspace.remove("test");
        workspace.write("elsewhere/greet.sh", "true\n");
        symlinkSync("elsewhere", join(workspace.root, "test"));
      },
    ];
    for (const agent of agents) {
      const tried = await tryStory({ checks: [run("sh test/greet.sh")], agent });
      expect([tried.passes, tried.cheats.map(({ kind }) => kind)]).toEqual([false, ["sealed-file-edited"]]);
    }
  });

  test("a script that always succeeds, and one that runs before it, are put back", async () => {
    const scripts = { test: "sh test/greet.sh || true", pretest: "echo true > test/greet.sh" };
    const tried = await tryStory({
      checks: [run("npm test --silent")],
      agent: (workspace) => workspace.write("package.json", JSON.stringify({ name: "x", version: "2.0.0", scripts })),
    });
    const where = "of package.json";
    const original = "the checks ran with the original.";
    expect([tried.passes, tried.cheats]).toEqual([
      false,
      [
        {
          kind: "script-edited",
          detail: `The script "pretest" ${where} was not there and now is \`${scripts.pretest}\`; ${original}`,
        },
        {
          kind: "script-edited",
          detail: `The script "test" ${where} was \`sh test/greet.sh\` and now is \`${scripts.test}\`; ${original}`,
        },
      ],
    ]);
    expect(JSON.parse(tried.workspace.git("show", `${tried.candidate.commit}:package.json`))).toEqual({
      name: "x",
      version: "2.0.0",
      scripts: { test: "sh test/greet.sh" },
    });
  });

  test("a sealed pattern covers files no command names", async () => {
    const tried = await tryStory({
      files: { ...PROJECT, "judge/rules.txt": "strict\n" },
      checks: [run("grep -q strict judge/rules.txt && sh test/greet.sh")],
      sealed: ["judge/**"],
      agent: (workspace) => workspace.write("judge/rules.txt", "lax\n"),
    });
    expect(tried.cheats.map(({ detail }) => detail)).toEqual([
      "judge/rules.txt was changed; the checks ran with the original.",
    ]);
  });

  test("a new test that proves nothing leaves the story unverified", async () => {
    const tried = await tryStory({
      checks: [run("sh test/new.sh")],
      agent(workspace) {
        workspace.write("test/new.sh", "true\n");
        workspace.write("notes.md", "done\n");
      },
    });
    expect(summary(tried)).toEqual({
      passes: true,
      verified: false,
      cheats: ["proves-nothing: New tests (test/new.sh) pass without the implementation as well."],
      exits: [[0, true]],
      receipt: undefined,
    });
  });

  test("a check that must fail first and does not is a failure", async () => {
    const tried = await tryStory({ checks: [run("true", { mustFailFirst: true })], agent: honest });
    expect([tried.passes, tried.verified, tried.results[0]?.passesWithout]).toEqual([false, false, true]);
  });

  test("a program put before the real one is named", async () => {
    const tried = await tryStory({
      files: { ...PROJECT, ".gitignore": "node_modules\n" },
      prepare: (workspace) => workspace.write("node_modules/.bin/judge", "#!/bin/sh\nexit 1\n", 0o755),
      checks: [run("PATH=node_modules/.bin:$PATH; judge")],
      agent(workspace) {
        workspace.write("node_modules/.bin/judge", "#!/bin/sh\nexit 0\n", 0o755);
        honest(workspace);
      },
    });
    expect(tried.cheats).toEqual([
      { kind: "script-edited", detail: "node_modules/.bin/judge, which a check starts, is not the program it was." },
    ]);
  });

  test("hooks, filters and settings planted in the repository start nothing", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh")],
      agent(workspace) {
        honest(workspace);
        const plant = `touch ${workspace.root}/../planted; cat`;
        for (const key of ["clean", "smudge"]) workspace.git("config", `filter.evil.${key}`, plant);
        workspace.git("config", "core.fsmonitor", plant);
        workspace.write(".gitattributes", "* filter=evil\n");
        for (const hook of ["post-checkout", "post-index-change", "reference-transaction"]) {
          workspace.write(`.git/hooks/${hook}`, `#!/bin/sh\n${plant}\n`, 0o755);
        }
      },
    });
    expect([tried.verified, existsSync(join(tried.folder, "planted"))]).toEqual([true, false]);
  });

  test("work that is linked in from outside is no work", async () => {
    const tried = await tryStory({
      checks: [run("sh test/greet.sh"), { type: "exists", exists: "more.sh" }],
      agent(workspace) {
        workspace.write("../outside.sh", "echo hello\n");
        workspace.remove("greet.sh");
        symlinkSync("../outside.sh", join(workspace.root, "greet.sh"));
        symlinkSync(join(workspace.root, "test/greet.sh"), join(workspace.root, "more.sh"));
      },
    });
    expect({
      ...summary(tried),
      cheats: tried.cheats.map(({ kind, detail }) => `${kind}: ${detail.split(" ")[0]}`),
    }).toEqual({
      passes: false,
      verified: false,
      cheats: ["link-outside: greet.sh", "link-outside: more.sh"],
      exits: [
        [1, undefined],
        [1, undefined],
      ],
      receipt: undefined,
    });
  });

  test("an exists check is not fooled by links that lead out", async () => {
    const exists = (path: string): Check => ({ type: "exists", exists: path });
    const paths = ["out", "within", "greet.sh", "../x", "/etc/passwd", ".git/config", "dangling"];
    const tried = await tryStory({
      checks: paths.map(exists),
      agent(workspace) {
        symlinkSync("/etc/passwd", join(workspace.root, "out"));
        symlinkSync("greet.sh", join(workspace.root, "within"));
        symlinkSync("nowhere", join(workspace.root, "dangling"));
      },
    });
    expect(tried.results.map(({ exit }) => exit)).toEqual([1, 0, 0, 1, 1, 1, 1]);
  });

  test("changed tests and settings that nothing seals are pointed out", async () => {
    const tried = await tryStory({
      files: { ...PROJECT, "test/other.sh": "true\n" },
      checks: [run("sh test/greet.sh")],
      agent(workspace) {
        honest(workspace);
        workspace.write("test/other.sh", "false\n");
        workspace.write("bunfig.toml", "[test]\n");
      },
    });
    expect(tried.notices).toEqual([
      'Tests that were there before were changed: test/other.sh. List them under "sealed" to keep them.',
      "Settings of test runners were changed: bunfig.toml.",
    ]);
  });
});

describe("checks that misbehave", () => {
  test("harm neither branches nor files, whatever they do to their own repository", async () => {
    const script =
      "git update-ref -d refs/remotes/origin/main; git commit --allow-empty -qm x; git gc -q --prune=now; rm -rf .git greet.sh; ! git status";
    const tried = await tryStory({ checks: [run(script)], agent: honest });
    expect([tried.results[0]?.exit, tried.workspace.git("status", "--porcelain")]).toEqual([0, " M greet.sh\n"]);
    expect(tried.workspace.git("log", "--format=%s")).toBe("base\n");
    expect(tried.workspace.git("fsck", "--no-dangling")).toBe("");
  });

  test("are ended with all they started", async () => {
    const pidFile = join(newDirectory(), "pid");
    const tried = await tryStory({ checks: [run(`setsid sleep 300 & echo $! > ${pidFile}; exit 0`)], agent: honest });
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect([tried.results[0]?.exit, findProcess(pid)]).toEqual([0, undefined]);
  });

  test("are ended at their timeout and told apart by their exit codes", async () => {
    const checks = [run("sleep 300", { timeoutSeconds: 0.2 }), run("kill -9 $$"), run("exit 3")];
    const tried = await tryStory({ checks, agent: honest });
    expect(tried.results.map(({ exit, tail }) => [exit, tail])).toEqual([
      [124, "[ended after 0.2 seconds, the timeout of this check]\n"],
      [137, ""],
      [3, ""],
    ]);
  });

  test("may print a million lines: the log and its digest are whole, the end is short", async () => {
    const tried = await tryStory({ checks: [run("seq 1000000; exit 1")], agent: honest });
    const log = readFileSync(join(tried.folder, "checks/rc1-1.log"));
    const [result] = tried.results;
    expect([log.length, result?.tail.length, result?.tail.endsWith("999999\n1000000\n")]).toEqual([
      6888896,
      4000,
      true,
    ]);
    expect(result?.logDigest).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(log).digest("hex")}`);
  });

  test("get an environment of their own", async () => {
    const tried = await tryStory({
      checks: [run('echo "$CI $RALPH_CHECK $GIT_DIR$BASH_ENV [$PATH] $TMPDIR $HOME"; exit 1')],
      agent: honest,
      request: {},
    });
    const line = tried.results[0]?.tail ?? "";
    expect(line.startsWith("1 1  [")).toBe(true);
    expect(line.endsWith(`/tmp ${tried.workspace.home}\n`)).toBe(true);
  });

  test("that miss a program which was always missing are a problem of the environment", async () => {
    const missing = await tryStory({ checks: [run("no-such-program --version")], agent: honest });
    const own = await tryStory({ checks: [run("./made-by-the-agent")], agent: honest });
    expect([missing.environmentProblem, own.environmentProblem, own.results[0]?.exit]).toEqual([
      'The check `no-such-program --version` needs "no-such-program", which is not installed here. Install it, or set "setup" in prd.json to a command that does.',
      undefined,
      127,
    ]);
  });

  test("and a setup that never works is one too, unless the agent broke it", async () => {
    const never = await tryStory({ checks: [run("true")], agent: honest, request: { setup: "exit 9" } });
    const broke = await tryStory({
      checks: [run("true")],
      agent: (workspace) => workspace.remove("greet.sh"),
      request: { setup: "[ -e greet.sh ]" },
    });
    expect([never.environmentProblem, broke.environmentProblem, broke.passes]).toEqual([
      "The setup command `exit 9` fails here, without the agent's work too (exit 9). Repair it in prd.json.",
      undefined,
      false,
    ]);
  });

  test("are stopped with the run", async () => {
    const stop = new AbortController();
    const folder = newDirectory();
    const started = join(folder, "started");
    const place = {
      checkouts: join(folder, "c"),
      logs: join(folder, "l"),
      environment: { PATH: process.env.PATH },
      signal: stop.signal,
    };
    const trying = tryStory({ checks: [run(`touch ${started}; sleep 300`)], agent: honest, request: { place } });
    while (!existsSync(started)) await Bun.sleep(5);
    stop.abort();
    expect((await trying).wasStopped).toBe(true);
  });
});

test("a shallow clone can be checked as well", async () => {
  const folder = newDirectory();
  const origin = await gitWorkspace(folder, PROJECT);
  origin.commit("second");
  const shallow = join(folder, "shallow");
  origin.git("clone", "--quiet", "--depth=1", `file://${origin.root}`, shallow);
  writeFileSync(
    join(folder, "home/.gitconfig"),
    "[user]\n\tname = P\n\temail = p@example.com\n[safe]\n\tdirectory = *\n",
  );
  const { findRepository } = await import("../../../src/loop/git/repository.ts");
  const { copyReferences, openCheckout } = await import("../../../src/loop/checks/checkout.ts");
  const found = await findRepository({ directory: shallow, environment: origin.environment, scratch: folder });
  if (!found.ok) throw new Error(found.message);
  const commit = origin.git("rev-parse", "HEAD").trim();
  const references = copyReferences(found.repository);
  const request = { folder: join(folder, "c"), commit, tree: commit, references, link: [] };
  const opened = await openCheckout(found.repository, request);
  if (!opened.ok) throw new Error(opened.message);
  expect(readdirSync(opened.checkout.directory).sort()).toEqual([".git", "greet.sh", "package.json", "test"]);
  const log = await found.repository.gitIn(opened.checkout.directory, { arguments: ["log", "--format=%s"] });
  expect(log.ok && Buffer.from(log.stdout).toString()).toBe("second\n");
  await opened.checkout.close();
});
