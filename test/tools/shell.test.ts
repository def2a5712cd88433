import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { asObject, asString } from "../../src/protocol/json.ts";
import type { ToolOutput } from "../../src/protocol/tool-runs.ts";
import { createJobs } from "../../src/tools/jobs.ts";
import { shellTool } from "../../src/tools/shell.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { callTool, textOf, toolWorldIn } from "../support/tool-runs.ts";

const directory = temporaryDirectories();
const mark = `mark-${crypto.randomUUID()}`;
const world = toolWorldIn(directory(), { TEST_MARK: mark });
const jobs = createJobs(world);
const shell = shellTool(world, jobs);

afterAll(() => jobs.close());

/** The output with the one value that differs from run to run set to zero. */
function steady(output: ToolOutput): ToolOutput {
  return { ...output, details: { ...(asObject(output.details) as object), execution_time: 0 } };
}

function artifactOf(output: ToolOutput): string {
  return asString(asObject(output.details)?.artifact) ?? "";
}

const finished = {
  stdout: "",
  stderr: "",
  exit_code: 0,
  execution_time: 0,
  timed_out: false,
  aborted: false,
  truncated: false,
};

/** Processes of this file that still run, found without the code under test. */
function marked(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "latin1").includes(`TEST_MARK=${mark}`);
    } catch {
      return false;
    }
  });
}

describe("the ask", () => {
  const asksOf = (input: Record<string, unknown>) => {
    const prepared = shell.prepare(input);
    return "message" in prepared ? prepared.message : prepared.asks;
  };

  test("names the whole command and shows it in one line", () => {
    expect(asksOf({ command: "cd a &&\n  make" })).toEqual([
      { category: "shell", resources: ["cd a &&\n  make"], summary: "cd a && ⏎ make", cwd: world.root },
    ]);
  });

  test("says where a command runs that does not run in the workspace itself", () => {
    mkdirSync(join(world.root, "sub"), { recursive: true });
    expect(asksOf({ command: "ls", working_dir: "sub" })).toEqual([
      { category: "shell", resources: ["ls"], summary: "ls (in sub)", cwd: join(world.root, "sub") },
    ]);
  });

  test("is not made for a timeout beyond the limit", () => {
    expect(asksOf({ command: "ls", timeout: 601 })).toBe('"timeout" must be at most 600');
  });
});

describe("a command that ends", () => {
  test("gives its output and its exit code", async () => {
    expect(steady(await callTool(shell, { command: "echo hello" }))).toEqual({
      content: [{ type: "text", text: "hello\nExit code 0." }],
      details: { ...finished, stdout: "hello\n" },
    });
  });

  test("with another code is an error, and its streams are kept apart", async () => {
    expect(steady(await callTool(shell, { command: "echo out; echo err > /dev/stderr; exit 3" }))).toEqual({
      content: [{ type: "text", text: "out\n\nstderr:\nerr\n\nExit code 3." }],
      details: { ...finished, stdout: "out\n", stderr: "err\n", exit_code: 3 },
      isError: true,
    });
  });

  test("by a signal says which", async () => {
    expect(steady(await callTool(shell, { command: "kill -SEGV $$" }))).toEqual({
      content: [{ type: "text", text: "The command was ended by SIGSEGV." }],
      details: { ...finished, exit_code: null, signal: "SIGSEGV" },
      isError: true,
    });
  });

  test("reads nothing from stdin", async () => {
    expect(textOf(await callTool(shell, { command: "cat; read line; echo $?" }))).toBe("1\nExit code 0.");
  });

  test("runs in bash, in the folder it was given", async () => {
    mkdirSync(join(world.root, "sub"), { recursive: true });
    const output = await callTool(shell, { command: "[[ -n $BASH_VERSION ]] && pwd", working_dir: "sub" });
    expect(textOf(output)).toBe(`${join(world.root, "sub")}\nExit code 0.`);
  });

  test("does not run outside the workspace, not even through a link", async () => {
    const link = join(world.root, "way-out");
    if (!existsSync(link)) symlinkSync(dirname(world.root), link);
    for (const working_dir of ["..", "/", "way-out"]) {
      expect(await callTool(shell, { command: "echo ran", working_dir })).toEqual({
        content: [
          {
            type: "text",
            text: `working_dir ${working_dir} is outside the workspace. Give a folder in ${world.root}, or leave it out.`,
          },
        ],
        isError: true,
      });
    }
  });
});

describe("the environment of a command", () => {
  test("has no keys, no start-up files of the shell, and nobody who reads pages", async () => {
    const directoryOfRun = directory();
    const wide = toolWorldIn(directoryOfRun, {
      ANTHROPIC_API_KEY: "k",
      GITHUB_TOKEN: "t",
      DB_PASSWORD: "p",
      AWS_ACCESS_KEY_ID: "i",
      CLIENT_SECRET: "s",
      BASH_ENV: "/tmp/never",
      "BASH_FUNC_ls%%": "() { echo fooled; }",
      LANG: "C.UTF-8",
      LC_TIME: "C",
      JAVA_HOME: "/opt/java",
      HTTPS_PROXY: "http://name:password@proxy.test",
      HTTP_PROXY: "http://proxy.test",
      NODE_OPTIONS: "--require ./evil.js",
      LD_PRELOAD: "/tmp/evil.so",
      GIT_SSH_COMMAND: "evil",
      PYTHONSTARTUP: "evil.py",
      PERL5OPT: "-Mevil",
      SOMETHING_ELSE: "1",
    });
    const output = await callTool(shellTool(wide, createJobs(wide)), {
      command: "env | grep -vE '^(RALPH_RUN_ID|PWD|OLDPWD|SHLVL|_)=' | sort",
    });
    expect(textOf(output).split("\n")).toEqual([
      "GIT_PAGER=cat",
      "GIT_TERMINAL_PROMPT=0",
      `HOME=${directoryOfRun}`,
      "HTTP_PROXY=http://proxy.test",
      "JAVA_HOME=/opt/java",
      "LANG=C.UTF-8",
      "LC_TIME=C",
      "MANPAGER=cat",
      "PAGER=cat",
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "TERM=dumb",
      "Exit code 0.",
    ]);
  });
});

describe("a command that does not end", () => {
  test("is ended at its timeout with children that ignore SIGTERM, hold the pipes and detach", async () => {
    const command =
      "echo begun; (trap '' TERM; sleep 1000) & setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep 1000' > /dev/null 2>&1 &) ; trap '' TERM; while :; do sleep 1000; done";
    const output = await callTool(shell, { command, timeout: 1 });
    expect(steady(output)).toEqual({
      content: [
        {
          type: "text",
          text: "begun\nThe command was ended with all its processes: it ran longer than its limit of 1 s. Give a longer timeout (at most 600), or background true.",
        },
      ],
      details: { ...finished, stdout: "begun\n", exit_code: null, timed_out: true },
      isError: true,
    });
    expect(marked()).toEqual([]);
  });

  test("is ended with its whole tree when the person stops it, and says so", async () => {
    const abort = new AbortController();
    const output = await callTool(
      shell,
      { command: "sleep 1000 & echo ready; trap '' TERM; sleep 1000" },
      { signal: abort.signal, update: () => abort.abort() },
    );
    expect(steady(output)).toEqual({
      content: [{ type: "text", text: "ready\nThe command was stopped, with all its processes, before it was done." }],
      details: { ...finished, stdout: "ready\n", exit_code: null, aborted: true },
      isError: true,
    });
    expect(marked()).toEqual([]);
  });

  test("but only left something running is told how to do that", async () => {
    expect(textOf(await callTool(shell, { command: "sleep 1000 & echo started" }))).toBe(
      "started\nExit code 0.\nIt left processes running; they were ended. Use background true for what should go on.",
    );
    expect(marked()).toEqual([]);
  });
});

describe("output", () => {
  test("comes as updates while the command runs", async () => {
    const updates: string[] = [];
    const go = join(world.root, "go");
    await callTool(
      shell,
      { command: `echo one; while [ ! -e go ]; do sleep 0.01; done; echo two` },
      {
        update: (text) => {
          updates.push(text);
          void Bun.write(go, "");
        },
      },
    );
    expect(updates).toEqual(["one\n", "two\n"]);
  });

  test("of 300 MB stays out of memory and is whole in its artifact", async () => {
    const program = join(import.meta.dir, "../support/programs/shell-memory.ts");
    const { stdout } = Bun.spawnSync([process.execPath, program, join(world.root, "..")]);
    const { grown, output } = JSON.parse(stdout.toString());
    const path = artifactOf(output);
    expect(dirname(path)).toBe(world.artifacts);
    expect(statSync(path).size).toBe(300_000_005);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(textOf(output)).toBe(
      `${"x".repeat(32768)}\n[… ${300_000_005 - 65536} bytes left out …]\n${"x".repeat(32768 - 5)}\nend\nExit code 0.\nThe whole output (300000005 bytes, both streams as they came) is in ${path}`,
    );
    expect(grown).toBeLessThan(100 * 1024 * 1024);
  });

  test("of both streams shares what is shown; the shorter one is whole", async () => {
    const output = await callTool(shell, { command: "echo failed >&2; seq 1 100000" });
    const text = textOf(output);
    expect(text.length).toBeLessThan(66_500);
    expect(text).toStartWith("1\n2\n3\n");
    expect(text).toContain("99999\n100000\n\nstderr:\nfailed\n\nExit code 0.\nThe whole output");
    expect(readFileSync(artifactOf(output), "utf8").split("\n").length).toBe(100_002);
  });

  test("that is binary is only counted", async () => {
    expect(textOf(await callTool(shell, { command: "head -c 5000 /dev/urandom" }))).toBe(
      "[binary output, 5000 bytes]\nExit code 0.",
    );
  });

  test("that is not UTF-8, coloured or has control characters becomes readable", async () => {
    const command = "printf 'caf\\351 au lait, a longer line of it\\n\\033[31mred\\033[0m\\r\\nbell\\a\\n'";
    expect(textOf(await callTool(shell, { command }))).toBe(
      "caf� au lait, a longer line of it\nred\nbell�\nExit code 0.",
    );
  });

  test("that cannot be kept whole says why", async () => {
    const blocked = toolWorldIn(directory());
    await Bun.write(blocked.artifacts, "a file where the folder should be");
    const output = await callTool(shellTool(blocked, createJobs(blocked)), { command: "seq 1 100000" });
    expect(textOf(output)).toContain("Exit code 0.\nOnly part of the output was kept, in ");
  });
});
