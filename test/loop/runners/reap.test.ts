import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endRecorded, reap } from "../../../src/loop/runners/reap.ts";
import { findProcess } from "../../../src/system/process-table.ts";
import { agentProgram } from "../../support/agent-programs.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const started: number[] = [];

afterAll(() => {
  for (const pid of started) if (findProcess(pid) !== undefined) process.kill(pid, "SIGKILL");
});

/** What a loop that was killed leaves: an agent in its own group that nobody waits for. */
async function orphan(environment: Record<string, string> = {}) {
  const child = Bun.spawn([agentProgram("ignores-term")], {
    env: { PATH: process.env.PATH, ...environment },
    stdout: "pipe",
    detached: true,
  });
  started.push(child.pid);
  await child.stdout.getReader().read();
  return { pid: child.pid, started: findProcess(child.pid)?.started ?? "" };
}

test("what carries the mark is ended, wherever it went", async () => {
  const mark = `RALPH_LOOP_MARK=${randomBytes(8).toString("hex")}`;
  const [name = "", value = ""] = mark.split("=");
  const pids = join(directory(), "pids");
  const agent = await orphan({ [name]: value });
  const other = await orphan({ [name]: "another run" });
  const forked = Bun.spawn([agentProgram("forks-daemon")], {
    env: { PATH: process.env.PATH, [name]: value, AGENT_PIDS: pids },
    stdin: "ignore",
    stdout: "ignore",
  });
  await forked.exited;
  const daemon = Number(readFileSync(pids, "utf8"));
  const ended = await reap({ mark, agents: [agent] });
  expect(ended).toContain(agent.pid);
  expect(ended).toContain(daemon);
  expect([agent.pid, daemon].map((pid) => findProcess(pid))).toEqual([undefined, undefined]);
  expect(findProcess(other.pid)?.started).toBe(other.started);
}, 10_000);

test("what was written down is ended with its group, where nothing carries a mark", async () => {
  const agent = await orphan();
  const ended = await endRecorded([agent]);
  expect(ended).toContain(agent.pid);
  expect(ended.length).toBeGreaterThan(1);
  expect(ended.map((pid) => findProcess(pid))).toEqual(ended.map(() => undefined));
});

test("a member of the group that descends from nobody is ended too", async () => {
  const child = Bun.spawn(["sh", "-c", "orphan=$(sleep 3600 >/dev/null & echo $!); echo $orphan; exec sleep 3600"], {
    env: { PATH: process.env.PATH },
    stdout: "pipe",
    detached: true,
  });
  const { value } = await child.stdout.getReader().read();
  const orphaned = Number(new TextDecoder().decode(value));
  started.push(child.pid, orphaned);
  const leader = { pid: child.pid, started: findProcess(child.pid)?.started ?? "" };
  expect((await endRecorded([leader])).sort()).toEqual([child.pid, orphaned].sort());
});

test("a pid that belongs to somebody else by now is left alone", async () => {
  const somebody = await orphan();
  expect(await endRecorded([{ pid: somebody.pid, started: "1" }, { pid: somebody.pid }])).toEqual([]);
  expect(findProcess(somebody.pid)?.started).toBe(somebody.started);
});

test("where nothing was left nothing is ended", async () => {
  expect(await reap({ mark: `RALPH_LOOP_MARK=${randomBytes(8).toString("hex")}`, agents: [] })).toEqual([]);
});
