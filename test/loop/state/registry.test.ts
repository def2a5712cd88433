import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { type LoopRegistry, openRegistry } from "../../../src/loop/state/registry.ts";
import { findProcess } from "../../../src/system/process-table.ts";
import { openRalphDatabase } from "../../../src/system/ralph-database.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const PROGRAM = resolve(import.meta.dir, "../../support/programs/register-loop.ts");

async function registryAt(database: string, now = 2000): Promise<LoopRegistry> {
  const opened = await openRegistry({ database, now: () => now });
  if (!opened.ok) throw new Error(opened.message);
  return opened.registry;
}

function begin(...args: string[]) {
  return Bun.spawn([process.execPath, PROGRAM, ...args], { stdout: "pipe", stderr: "inherit" });
}

test("a loop is one row, whichever run it is, and only the process that runs it changes it", async () => {
  const database = join(directory(), "data/ralph.db");
  const registry = await registryAt(database);
  const loop = {
    folder: "/loops/checkout-0a",
    taskName: "checkout",
    taskDirectory: "/tasks/checkout",
    agent: "claude",
    startedAt: 1000,
    iteration: 1,
    maxIterations: 50,
    socket: "/sockets/checkout.sock",
  };
  expect(await registry.begin(loop)).toEqual({ ok: true });
  const changed = await registry.change(loop.folder, {
    iteration: 2,
    currentStory: "US-002",
    status: "failed",
    verdict: "stalled",
    reason: "Nothing changed.",
  });
  const row = {
    ...loop,
    pid: process.pid,
    processStarted: findProcess(process.pid)?.started ?? "",
    updatedAt: 2000,
    iteration: 2,
    currentStory: "US-002",
    status: "failed",
    verdict: "stalled",
    reason: "Nothing changed.",
  } as const;
  expect<unknown[]>([changed, await registry.list()]).toEqual([{ ok: true }, { ok: true, loops: [row] }]);
  const stranger = await openRegistry({ database, now: () => 3000, pid: process.ppid });
  if (!stranger.ok) throw new Error(stranger.message);
  await stranger.registry.change(loop.folder, { status: "completed" });
  expect(await registry.list()).toEqual({ ok: true, loops: [row] });
  await registry.begin({ ...loop, startedAt: 4000, iteration: 0 });
  const { verdict: _verdict, reason: _reason, currentStory: _story, ...fresh } = row;
  expect(await registry.list()).toEqual({
    ok: true,
    loops: [{ ...fresh, startedAt: 4000, iteration: 0, status: "running" }],
  });
  await stranger.registry.close();
  await registry.close();
});

test("a loop whose process was killed is settled as failed, by its pid and its start", async () => {
  const database = join(directory(), "ralph.db");
  const registry = await registryAt(database, 9000);
  const child = begin(database, "killed", "stay");
  await child.stdout.getReader().read();
  const status = async () => {
    const listed = await registry.list();
    return listed.ok ? listed.loops.map(({ status, reason, updatedAt }) => ({ status, reason, updatedAt })) : listed;
  };
  expect(await status()).toMatchObject([{ status: "running" }]);
  child.kill("SIGKILL");
  await child.exited;
  const settled = [
    {
      status: "failed",
      reason: "Its process ended without a verdict. Run it again: it goes on where it was.",
      updatedAt: 9000,
    },
  ];
  expect(await status()).toEqual(settled as never);
  await registry.close();
});

test("a process that got the number of another one does not keep its loop alive", async () => {
  const database = join(directory(), "ralph.db");
  const registry = await registryAt(database);
  const loop = { folder: "/loops/a", taskName: "a", taskDirectory: "/tasks/a", agent: "claude" };
  await registry.begin({ ...loop, startedAt: 1, iteration: 0, maxIterations: 50 });
  const opened = await openRalphDatabase(database);
  if (!opened.ok) throw new Error(opened.message);
  await opened.database.write((connection) => void connection.run("UPDATE loops SET process_started = 'earlier'"));
  await opened.database.close();
  const listed = await registry.list();
  expect(listed.ok && listed.loops.map(({ pid, status }) => [pid, status])).toEqual([[process.pid, "failed"]]);
  await registry.close();
});

test("64 processes write at once and none of them fails", async () => {
  const database = join(directory(), "ralph.db");
  const names = Array.from({ length: 64 }, (_, index) => `task-${index}`);
  const said = await Promise.all(
    names.map(async (name) => {
      const child = begin(database, name);
      const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
      return text;
    }),
  );
  expect(said).toEqual(names.map(() => "done\n"));
  const registry = await registryAt(database);
  const listed = await registry.list();
  const rows = listed.ok ? listed.loops.map(({ taskName, status, iteration }) => [taskName, status, iteration]) : [];
  expect(rows.sort()).toEqual(names.map((name) => [name, "completed", 5]).sort());
  await registry.close();
}, 60_000);
