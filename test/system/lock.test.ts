import { describe, expect, test } from "bun:test";
import { linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { acquireLock, type LockResult } from "../../src/system/lock.ts";
import { newRecord } from "../../src/system/lock-record.ts";
import { takeOver } from "../../src/system/lock-takeover.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const newPath = () => join(directory(), "session.lock");
const lockModule = JSON.stringify(join(import.meta.dir, "../../src/system/lock.ts"));

/** Runs code in a process of its own, with `acquireLock` in scope. */
function inProcess(code: string, ...args: string[]) {
  const script = `import { acquireLock } from ${lockModule};\nimport * as fs from "node:fs";\nconst args = process.argv.slice(1);\n${code}`;
  return Bun.spawn([process.execPath, "-e", script, ...args], { stdout: "pipe", stderr: "inherit", stdin: "ignore" });
}

async function firstOutput(child: ReturnType<typeof inProcess>): Promise<string> {
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return Buffer.from(value ?? []).toString();
}

async function acquired(result: LockResult) {
  if (!result.ok) throw new Error(result.message);
  return result;
}

/** A process that took the lock and was killed. */
async function killedHolder(path: string): Promise<number> {
  const holder = inProcess(
    'const l = await acquireLock(args[0], { owner: "victim" }); console.log(l.ok); setInterval(() => {}, 1000);',
    path,
  );
  expect(await firstOutput(holder)).toBe("true\n");
  holder.kill("SIGKILL");
  await holder.exited;
  return holder.pid;
}

describe("a free lock", () => {
  test("is taken, and free again after its release", async () => {
    const path = newPath();
    const first = await acquired(await acquireLock(path, { owner: "test" }));
    await first.release();
    await first.release();
    const second = await acquired(await acquireLock(path, { owner: "test" }));
    await second.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("in a directory that is missing is a value", async () => {
    expect(await acquireLock("/nowhere/a.lock", { owner: "test" })).toEqual({
      ok: false,
      reason: "missing",
      message: "/nowhere/a.lock could not be locked: it does not exist.",
    });
  });
});

describe("a held lock", () => {
  test("is refused with its holder", async () => {
    const path = newPath();
    const first = await acquired(await acquireLock(path, { owner: "ralph run checkout" }));
    expect(await acquireLock(path, { owner: "other" })).toEqual({
      ok: false,
      reason: "held",
      holder: { pid: process.pid, owner: "ralph run checkout", host: hostname(), startedAt: expect.any(Number) },
      message: `${path} is held by ralph run checkout (process ${process.pid} on ${hostname()}). Wait until it is done, or end that process.`,
    });
    await first.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("is waited for", async () => {
    const path = newPath();
    const first = await acquired(await acquireLock(path, { owner: "first" }));
    const waiting = acquireLock(path, { owner: "second", waitMs: 5000 });
    await first.release();
    await (await acquired(await waiting)).release();
  });

  test("is not waited for once the signal is aborted", async () => {
    const path = newPath();
    const first = await acquired(await acquireLock(path, { owner: "first" }));
    const controller = new AbortController();
    const waiting = acquireLock(path, { owner: "second", waitMs: 60_000, signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ ok: false, reason: "held" });
    await first.release();
  });

  test("of another machine, or of a process this one cannot see, is respected", async () => {
    const path = newPath();
    for (const difference of [{ host: "elsewhere" }, { namespace: "pid:[1]" }]) {
      writeFileSync(path, JSON.stringify({ ...newRecord("far away"), pid: 2 ** 30, ...difference }));
      expect(await acquireLock(path, { owner: "test" })).toMatchObject({ ok: false, reason: "held" });
    }
  });
});

describe("a lock whose holder died", () => {
  test("is taken over", async () => {
    const path = newPath();
    await killedHolder(path);
    const taken = await acquired(await acquireLock(path, { owner: "test" }));
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ owner: "test", pid: process.pid });
    await taken.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  const abandoned: [string, object][] = [
    ["its pid belongs to a later process", { processStart: "1" }],
    ["the machine was started again since", { boot: "another" }],
    ["its pid is gone", { pid: 2 ** 30 }],
  ];
  for (const [name, difference] of abandoned) {
    test.if(process.platform === "linux" || !("boot" in difference))(`is taken over when ${name}`, async () => {
      const path = newPath();
      writeFileSync(path, JSON.stringify({ ...newRecord("dead"), ...difference }));
      await (await acquired(await acquireLock(path, { owner: "test" }))).release();
      expect(readdirSync(join(path, ".."))).toEqual([]);
    });
  }

  test("is taken over when a power cut left it empty", async () => {
    const path = newPath();
    writeFileSync(path, "");
    await (await acquired(await acquireLock(path, { owner: "test" }))).release();
  });

  test("is taken over when its first taker died too, before or after replacing it", async () => {
    const dead = () => ({ ...newRecord("dead"), pid: 2 ** 30 });
    const [holder, taker] = [dead(), dead()];
    for (const standing of [holder, taker]) {
      const path = newPath();
      writeFileSync(`${path}.${taker.token}.tmp`, JSON.stringify(taker));
      linkSync(`${path}.${taker.token}.tmp`, `${path}.claim-${holder.token}`);
      writeFileSync(path, JSON.stringify(standing));
      await (await acquired(await acquireLock(path, { owner: "test" }))).release();
      expect(readdirSync(join(path, ".."))).toEqual([]);
    }
  });

  test("is left alone by a taker that looked before another one took it", async () => {
    const path = newPath();
    const dead = { ...newRecord("dead"), pid: 2 ** 30 };
    const holder = JSON.stringify(newRecord("faster"));
    writeFileSync(path, holder);
    writeFileSync(`${path}.slow.tmp`, JSON.stringify(newRecord("slower")));
    const attempt = await takeOver(path, `${path}.slow.tmp`, { token: dead.token, record: dead });
    expect([attempt.type, readFileSync(path, "utf8"), readdirSync(join(path, "..")).sort()]).toEqual([
      "changing",
      holder,
      ["session.lock", "session.lock.slow.tmp"],
    ]);
  });

  test("waits for a living taker and names it", async () => {
    const path = newPath();
    const holder = { ...newRecord("dead"), pid: 2 ** 30 };
    const taker = newRecord("taker");
    writeFileSync(path, JSON.stringify(holder));
    writeFileSync(`${path}.claim-${holder.token}`, JSON.stringify(taker));
    expect(await acquireLock(path, { owner: "test" })).toMatchObject({
      ok: false,
      reason: "held",
      holder: { owner: "taker" },
    });
  });
});

describe("several processes", () => {
  /** Everybody who holds the lock makes a directory that must not be there, and removes it. */
  const contend = `
    const [path, inside, rounds] = args;
    let done = 0;
    for (let round = 0; round < Number(rounds); round++) {
      const lock = await acquireLock(path, { owner: "contender", waitMs: 20000 });
      if (!lock.ok) { console.log("refused", lock.message); process.exit(1); }
      try { fs.mkdirSync(inside); } catch { console.log("two holders"); process.exit(2); }
      fs.rmdirSync(inside);
      done++;
      await lock.release();
    }
    console.log(done);
  `;

  test("never hold it at the same time", async () => {
    const path = newPath();
    const children = Array.from({ length: 4 }, () => inProcess(contend, path, `${path}-inside`, "20"));
    const outputs = await Promise.all(children.map((child) => new Response(child.stdout).text()));
    expect(outputs).toEqual(["20\n", "20\n", "20\n", "20\n"]);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("that find a dead holder together: one gets it, and the next gets it only after that one died", async () => {
    const path = newPath();
    await killedHolder(path);
    const code = `
      const lock = await acquireLock(args[0], { owner: "taker", waitMs: 20000 });
      try { fs.mkdirSync(args[1]); } catch { console.log("two holders"); process.exit(2); }
      fs.writeFileSync(args[1] + "-log", "held\\n", { flag: "a" });
      fs.rmdirSync(args[1]);
      process.kill(process.pid, "SIGKILL");
    `;
    const children = Array.from({ length: 5 }, () => inProcess(code, path, `${path}-inside`));
    const outputs = await Promise.all(children.map((child) => new Response(child.stdout).text()));
    await Promise.all(children.map((child) => child.exited));
    expect(outputs).toEqual(["", "", "", "", ""]);
    expect(readFileSync(`${path}-inside-log`, "utf8")).toBe("held\n".repeat(5));
    await (await acquired(await acquireLock(path, { owner: "test" }))).release();
  });

  test("many takers in one process: exactly one gets it, however late the others look", async () => {
    const late = async (path: string, turns: number) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      return acquireLock(path, { owner: "taker" });
    };
    for (let round = 0; round < 20; round++) {
      const path = newPath();
      writeFileSync(path, JSON.stringify({ ...newRecord("dead"), pid: 2 ** 30 }));
      const results = await Promise.all(Array.from({ length: 12 }, (_, index) => late(path, index * round)));
      expect(results.filter((result) => result.ok).length).toBe(1);
    }
  });
});
