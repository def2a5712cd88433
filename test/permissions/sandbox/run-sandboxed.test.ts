import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { createSandbox } from "../../../src/permissions/sandbox/run-sandboxed.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { listProcesses } from "../../../src/system/process-table.ts";
import { runProcess } from "../../../src/system/run-process.ts";
import { type Ran, type Sandboxed, sandboxed, sandboxHere, skipReason } from "../../support/sandboxed.ts";

describe.skipIf(sandboxHere.type !== "bubblewrap")(`work in the sandbox${skipReason}`, () => {
  test("exit codes, streams, the working directory and the environment are those of the command", async () => {
    await using box = sandboxed();
    mkdirSync(join(box.project, "sub"));
    const pieces: string[] = [];
    const result = await box.run(
      "pwd; echo to-stderr > /dev/stderr; echo to-stdout > /dev/stdout; echo $LANG $TMPDIR; cat; exit 42",
      {
        cwd: join(box.project, "sub"),
        stdin: "typed",
        onOutput: ({ bytes }) => void pieces.push(new TextDecoder().decode(bytes)),
      },
    );
    expect(result).toEqual({
      outcome: { type: "exited", code: 42 },
      stdout: `${join(box.project, "sub")}\nto-stdout\nC.UTF-8 /tmp\ntyped`,
      stderr: "to-stderr\n",
      made: [],
      leftover: false,
      survivors: [],
    });
    expect(pieces.join("")).toContain("to-stdout");
  });

  test("a command that a signal ended has the exit code shells give to that", async () => {
    await using box = sandboxed();
    expect((await box.run("kill -SEGV $$")).outcome).toEqual({ type: "exited", code: 139 });
  });

  test("output comes while the command still runs", async () => {
    await using box = sandboxed();
    const stopping = new AbortController();
    const { stdout, outcome } = await box.run("echo first; sleep 60", {
      signal: stopping.signal,
      onOutput: () => stopping.abort(),
    });
    expect({ stdout, outcome }).toEqual({ stdout: "first\n", outcome: { type: "aborted" } });
  });

  test("a command that is stopped has the time to tidy up", async () => {
    await using box = sandboxed();
    const stopping = new AbortController();
    const command = "trap 'sleep 0.3; echo tidy > tidied.txt; exit 0' TERM; echo started; while :; do sleep 0.01; done";
    const { outcome } = await box.run(command, {
      signal: stopping.signal,
      onOutput: () => stopping.abort(),
      graceMs: 5000,
    });
    expect([outcome, box.read("project/tidied.txt")]).toEqual([{ type: "aborted" }, "tidy\n"]);
  });

  test("git commits, makes branches and stashes, but changes no configuration and makes no repository", async () => {
    await using box = sandboxed();
    identity(box);
    git(box, "init", "-q", "-b", "main");
    box.write("project/a.txt", "a\n");
    const work = await box.run(
      "set -e; git add -A; git commit -qm one; git checkout -qb topic; echo b > a.txt; git stash -q; git stash pop -q; git commit -qam two; git checkout -q main; git merge -q topic; git gc -q; git log --format=%s; git status --short",
    );
    expect(work).toEqual({ ...FINE, stdout: "two\none\n", stderr: "" });
    const config = await box.run("git config core.fsmonitor ./evil");
    expect(config.outcome).toEqual({ type: "exited", code: 4 });
    expect(git(box, "config", "--get", "core.fsmonitor")).toBe("");
  });

  test("a second work tree can be committed to, because its repository names it", async () => {
    await using box = sandboxed();
    identity(box);
    const main = join(box.root, "main");
    Bun.spawnSync(["git", "init", "-q", "-b", "main", main], { env: box.environment });
    Bun.spawnSync(["git", "-C", main, "commit", "-q", "--allow-empty", "-m", "one"], { env: box.environment });
    Bun.spawnSync(["git", "-C", main, "worktree", "add", "-q", "-b", "topic", box.project], { env: box.environment });
    const committed = await box.run("echo b > b.txt; git add -A && git commit -qm two && git log --format=%s");
    expect(committed).toEqual({ ...FINE, stdout: "two\none\n", stderr: "" });
    const own = join(main, ".git");
    await box.run(
      `echo evil > ${own}/hooks/pre-commit; echo evil >> ${own}/config; echo evil > ${own}/worktrees/project/commondir; echo evil > ${main}/file`,
    );
    expect([existsSync(join(own, "hooks/pre-commit")), existsSync(join(main, "file"))]).toEqual([false, false]);
    expect(
      [readFileSync(join(own, "config"), "utf8"), readFileSync(join(own, "worktrees/project/commondir"), "utf8")].join(
        "",
      ),
    ).not.toContain("evil");
  });

  test("a .git file that names the folder of another work tree opens nothing", async () => {
    await using box = sandboxed();
    identity(box);
    const main = join(box.userHome, "main");
    Bun.spawnSync(["git", "init", "-q", main], { env: box.environment });
    Bun.spawnSync(["git", "-C", main, "commit", "-q", "--allow-empty", "-m", "one"], { env: box.environment });
    Bun.spawnSync(["git", "-C", main, "worktree", "add", "-q", join(box.userHome, "other")], { env: box.environment });
    box.write("project/.git", box.read("user/other/.git"));
    const { outcome } = await box.run(`echo evil > ${main}/.git/evil || echo evil > ${main}/.git/worktrees/other/evil`);
    expect([outcome, box.find("user/main/.git/**/evil")]).toEqual([{ type: "exited", code: 1 }, []]);
  });

  test("a .git file that came with the project opens no folder outside", async () => {
    await using box = sandboxed();
    box.write("user/target/HEAD", "ref: refs/heads/main\n");
    mkdirSync(join(box.userHome, "target/objects"));
    box.write("project/.git", `gitdir: ${box.userHome}/target\n`);
    const { outcome } = await box.run(`echo evil > ${box.userHome}/target/evil`);
    expect(outcome).toEqual({ type: "exited", code: 1 });
    expect(box.find("user/target/*")).toEqual(["user/target/HEAD"]);
  });

  test("what a command puts into a cache is for other commands, and only checked caches are shared", async () => {
    await using box = sandboxed();
    for (const path of [
      ".cache/pip/old",
      ".npm/_cacache/old",
      ".npm/_npx/old",
      ".cargo/bin/cargo",
      ".cache/puppeteer/chrome",
    ]) {
      box.write(`user/${path}`, "old\n");
    }
    await box.run(
      "for f in .cache/pip/new .npm/_cacache/new .npm/_npx/new .cargo/bin/new .cache/puppeteer/new; do mkdir -p ~/$(dirname $f); echo new > ~/$f; done",
    );
    const { stdout } = await box.run("cd ~; find .cache .npm .cargo -type f | sort");
    expect(stdout.trim().split("\n")).toEqual([
      ".cache/pip/new",
      ".cache/puppeteer/chrome",
      ".cargo/bin/cargo",
      ".npm/_cacache/new",
      ".npm/_cacache/old",
      ".npm/_npx/old",
    ]);
    expect(box.find("user/{.cache,.npm,.cargo}/**/new")).toEqual(["user/.npm/_cacache/new"]);
  });

  test("places a person made writable can be written to, and are guarded like the workspace", async () => {
    await using box = sandboxed(({ root }) => {
      mkdirSync(join(root, "extra"));
      return [join(root, "extra")];
    });
    const { outcome } = await box.run(`cd ${box.root}/extra; echo fine > file; mkdir .vscode/x`);
    expect(outcome).toEqual({ type: "exited", code: 1 });
    await box.sandbox.close();
    expect(box.find("extra/**")).toEqual(["extra/file"]);
  });

  test("a home that is the workspace keeps its start-up files, existing or not", async () => {
    await using box = sandboxed();
    const home = box.project;
    box.write("project/.bashrc", "old\n");
    if (sandboxHere.type === "none") throw new Error(sandboxHere.reason);
    const own = { config: join(home, ".config/ralph"), data: join(home, ".local/share/ralph") };
    const sandbox = createSandbox({
      state: sandboxHere,
      workspace: home,
      writable: [],
      home,
      own,
      folder: join(own.data, "cache/sandbox"),
    });
    const argv = [
      "/bin/bash",
      "-c",
      "echo evil >> .bashrc; echo evil > .zshenv; mkdir -p .local/bin .config/autostart; echo evil > .local/bin/ls; echo evil > .config/autostart/x; mv .config c; mv .local l; mkdir -p .config/autostart; echo evil > .config/autostart/y; echo fine > notes.txt",
    ];
    const wrapped = await sandbox.wrap({ argv, cwd: home, environment: box.environment, network: false });
    if (!wrapped.ok) throw new Error(wrapped.message);
    await runProcess({ ...wrapped, cwd: home }).result;
    wrapped.finish();
    await sandbox.close();
    expect(box.find("project/**").filter((path) => !path.includes("/ralph/"))).toEqual([
      "project/.bashrc",
      "project/notes.txt",
    ]);
    expect(box.read("project/.bashrc")).toBe("old\n");
  });

  test("a command starts only so many processes", async () => {
    await using box = sandboxed();
    const program =
      'my $n = 0; for (1..20000) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } $n++ } print "$n\\n"';
    const wrapped = await box.sandbox.wrap({
      argv: ["perl", "-e", program],
      cwd: box.project,
      environment: box.environment,
      network: false,
    });
    if (!wrapped.ok) throw new Error(wrapped.message);
    // The limit never counts for root, so that root plays somebody else here.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) Bun.spawnSync(["chown", "-R", "65534:65534", box.root]);
    const somebody = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : [];
    const { result } = runProcess({
      argv: [...somebody, ...wrapped.argv],
      cwd: box.project,
      environment: box.environment,
      deadlineMs: 15_000,
    });
    const { stdout, outcome, survivors } = await result;
    wrapped.finish();
    const most = Math.max(1024, 32 * availableParallelism());
    expect({ outcome, survivors }).toEqual({ outcome: { type: "exited", code: 0 }, survivors: [] });
    expect(Number(new TextDecoder().decode(stdout.head))).toBeWithin(most - 20, most);
  }, 20_000);

  test("a killed Ralph takes its commands with it, and the next one removes what it left", async () => {
    await using box = sandboxed();
    const data = join(box.userHome, ".local/share/ralph");
    const options = {
      state: sandboxHere,
      workspace: box.project,
      writable: [],
      home: box.userHome,
      own: { config: join(box.userHome, ".config/ralph"), data },
      folder: join(data, "cache/sandbox"),
    };
    const mark = `9${process.pid}.5`;
    const program = resolve(import.meta.dir, "../../support/programs/sandbox-that-is-killed.ts");
    const ralph = Bun.spawn([process.execPath, program, JSON.stringify(options), mark], {
      stdout: "pipe",
      stderr: "ignore",
    });
    await ralph.stdout.getReader().read();
    const whileItRuns = box.names();
    ralph.kill("SIGKILL");
    await ralph.exited;
    expect(whileItRuns).toEqual(HELD);
    await until(() => processesWith(mark).length === 0);
    expect((await box.run("ls -A")).stdout).toBe(`${HELD.join("\n")}\n`);
    await box.sandbox.close();
    expect(box.names()).toEqual([]);
    expect(box.find("user/.local/share/ralph/cache/sandbox/{sessions,held}/**")).toEqual([]);
  });

  test("two sessions in one folder do not take each other's guard away", async () => {
    await using box = sandboxed();
    if (sandboxHere.type === "none") throw new Error(sandboxHere.reason);
    const data = join(box.userHome, ".local/share/ralph");
    const own = { config: join(box.userHome, ".config/ralph"), data };
    const other = createSandbox({
      state: sandboxHere,
      workspace: box.project,
      writable: [],
      home: box.userHome,
      own,
      folder: join(data, "cache/sandbox"),
    });
    await box.run(":");
    const argv = ["/bin/bash", "-c", "echo up; read -r; echo evil > .mcp.json; rmdir .mcp.json; mkdir -p .vscode/x"];
    const wrapped = await other.wrap({ argv, cwd: box.project, environment: box.environment, network: false });
    if (!wrapped.ok) throw new Error(wrapped.message);
    const child = Bun.spawn(wrapped.argv, {
      cwd: box.project,
      env: box.environment,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    await child.stdout.getReader().read();
    await box.sandbox.close();
    const whileItRuns = box.names();
    child.stdin.write("\n");
    child.stdin.end();
    await child.exited;
    expect([whileItRuns, wrapped.finish(), box.names()]).toEqual([HELD, [], HELD]);
    await other.close();
    expect(box.names()).toEqual([]);
  });

  test("what somebody puts into a held folder stays", async () => {
    await using box = sandboxed();
    await box.run(":");
    box.write("project/.vscode/settings.json", "{}");
    await box.sandbox.close();
    expect(box.names()).toEqual([".vscode", ".vscode/settings.json"]);
  });
});

const FINE: Omit<Ran, "stdout" | "stderr"> = {
  outcome: { type: "exited", code: 0 },
  made: [],
  leftover: false,
  survivors: [],
};
const HELD = [".claude", ".codex", ".cursor", ".gemini", ".git", ".idea", ".mcp.json", ".ralph", ".vscode"];

function identity(box: Sandboxed): void {
  box.write(
    "user/.gitconfig",
    "[user]\n\tname = Somebody\n\temail = somebody@example.org\n[init]\n\tdefaultBranch = main\n",
  );
}

function git(box: Sandboxed, ...words: string[]): string {
  return Bun.spawnSync(["git", ...words], { cwd: box.project, env: box.environment }).stdout.toString();
}

function processesWith(mark: string): number[] {
  return listProcesses().flatMap(({ pid }) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes(mark) && words.includes("sleep") ? [pid] : [];
    } catch {
      return [];
    }
  });
}

async function until(isSo: () => boolean): Promise<void> {
  const end = systemClock.monotonic() + 4000;
  while (!isSo() && systemClock.monotonic() < end) await systemClock.sleep(5);
  expect(isSo()).toBe(true);
}
