import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { asNumber, asObject, asString } from "../../src/protocol/json.ts";
import type { ToolOutput } from "../../src/protocol/tool-runs.ts";
import { jobKillTool } from "../../src/tools/job-kill.ts";
import { jobListTool } from "../../src/tools/job-list.ts";
import { jobOutputTool } from "../../src/tools/job-output.ts";
import { createJobs } from "../../src/tools/jobs.ts";
import { shellTool } from "../../src/tools/shell.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { callTool, textOf, toolWorldIn } from "../support/tool-runs.ts";

const directory = temporaryDirectories();
const mark = `mark-${crypto.randomUUID()}`;
const opened: { close(): Promise<void> }[] = [];

afterAll(async () => {
  for (const jobs of opened) await jobs.close();
  expect(marked()).toEqual([]);
});

function setUp() {
  const world = toolWorldIn(directory(), { TEST_MARK: mark });
  const jobs = createJobs(world);
  opened.push(jobs);
  return {
    jobs,
    shell: (command: string) => callTool(shellTool(world, jobs), { command, background: true }),
    output: (input: Record<string, unknown>) => callTool(jobOutputTool(world, jobs), { job_id: "job-1", ...input }),
    list: () => callTool(jobListTool(jobs), {}),
    kill: (job_id = "job-1") => callTool(jobKillTool(jobs), { job_id }),
  };
}

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

const detail = (output: ToolOutput, name: string) => asObject(output.details)?.[name];

describe("a job", () => {
  test("is started by the shell, which does not wait for it", async () => {
    const { shell, kill } = setUp();
    const started = await shell("echo hello; sleep 1000");
    const pid = asNumber(detail(started, "pid"));
    const log = asString(detail(started, "log"));
    expect(started).toEqual({
      content: [
        {
          type: "text",
          text: `Started job-1 (pid ${pid}). Its output goes to ${log}; read it with job_output, end it with job_kill.`,
        },
      ],
      details: { job_id: "job-1", pid: pid ?? 0, log: log ?? "" },
    });
    await kill();
  });

  test("is read on from where the last reading ended, waiting for news", async () => {
    const { shell, output, kill } = setUp();
    await shell("echo one; while [ ! -e go ]; do sleep 0.01; done; echo two > /dev/stderr; sleep 1000");
    const first = await output({ since: 0, wait: 10 });
    expect(textOf(first)).toBe("one\njob-1: running. Next offset 4.");
    await shell("touch go");
    const second = await output({ since: 4, wait: 10 });
    expect(textOf(second)).toBe(
      `[… 4 bytes before this; the whole is in ${detail(first, "log")}]\ntwo\njob-1: running. Next offset 8.`,
    );
    await kill();
  });

  test("that ended says how", async () => {
    const { shell, output, list } = setUp();
    await shell("echo bye; exit 7");
    const first = await output({ since: 4, wait: 10 });
    expect(detail(first, "exit_code")).toBe(7);
    expect(textOf(await output({}))).toBe("bye\njob-1: Exit code 7. Next offset 4.");
    expect(textOf(await list())).toBe("job-1  echo bye; exit 7  Exit code 7.");
  });

  test("whose shell left something running says that this was ended", async () => {
    const { shell, output } = setUp();
    await shell("sleep 1000 &");
    expect(textOf(await output({ since: 0, wait: 10 }))).toBe(
      "(no output)\njob-1: Exit code 0. What it left running was ended: start it without & to keep it. Next offset 0.",
    );
  });

  test("is ended with everything it started, however it resists", async () => {
    const { shell, output, kill, list } = setUp();
    await shell(
      "trap '' TERM; setsid sleep 1000 & (setsid sleep 1000 > /dev/null 2>&1 &); echo up; sleep 1000; sleep 1000",
    );
    await output({ since: 0, wait: 10 });
    expect(textOf(await kill())).toBe("job-1: The command was stopped, with all its processes, before it was done.");
    expect(marked()).toEqual([]);
    expect(detail(await list(), "jobs")).toMatchObject([{ job_id: "job-1", running: false, exit_code: null }]);
  });

  test("keeps megabytes of output in its file and any part of it can be read", async () => {
    const { shell, output } = setUp();
    await shell("seq -f %09.0f 1 1000000");
    const end = await output({ since: 10_000_000, wait: 10 });
    expect(detail(end, "running")).toBe(false);
    expect(statSync(asString(detail(end, "log")) ?? "").size).toBe(10_000_000);
    const oldest = await output({ since: 0 });
    expect(textOf(oldest)).toStartWith("000000001\n000000002\n");
    expect(textOf(oldest)).toEndWith("Exit code 0. Next offset 32768, 9967232 bytes more.");
    expect(textOf(await output({ since: 9_999_980 }))).toContain("]\n000999999\n001000000\njob-1: Exit code 0.");
    expect(textOf(await output({}))).toContain("\n000999999\n001000000\njob-1: Exit code 0. Next offset 10000000.");
  });

  test("that is not known is a message", async () => {
    const { output, kill, list } = setUp();
    const message = 'There is no job "job-1". job_list shows those there are.';
    expect([textOf(await output({})), textOf(await kill())]).toEqual([message, message]);
    expect(await list()).toEqual({ content: [{ type: "text", text: "No job was started." }], details: { jobs: [] } });
  });
});

describe("the registry", () => {
  test("ends all jobs when it closes and starts none afterwards", async () => {
    const { jobs, shell } = setUp();
    await Promise.all([shell("sleep 1000"), shell("trap '' TERM; sleep 1000; sleep 1000")]);
    await jobs.close();
    expect(jobs.list().map(({ ended }) => ended?.outcome)).toEqual([{ type: "aborted" }, { type: "aborted" }]);
    expect(textOf(await shell("echo"))).toBe("Ralph is closing, so no job can be started.");
  });

  test("runs sixteen jobs at most", async () => {
    const { jobs, shell } = setUp();
    for (let count = 0; count < 16; count++) await shell("sleep 1000");
    expect(textOf(await shell("echo"))).toBe("16 jobs run already, which is the most. End one with job_kill.");
    await jobs.close();
  });
});
