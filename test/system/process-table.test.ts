import { expect, test } from "bun:test";
import {
  findProcess,
  listProcesses,
  parseProcessList,
  parseStat,
  processesSince,
  startedNotBefore,
} from "../../src/system/process-table.ts";

const tail = "0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 98765 1000 2";

test("a name with spaces and parentheses does not shift the fields", () => {
  expect(parseStat(`42 (a) b (c) S 7 8 9 ${tail}`)).toEqual({
    pid: 42,
    parent: 7,
    group: 8,
    session: 9,
    started: "98765",
  });
});

test("processes that ended, and lines that are none, are not there", () => {
  expect([parseStat(`42 (a) Z 7 8 9 ${tail}`), parseStat(""), parseStat("garbage")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("the list of ps is read", () => {
  const text =
    "    1     0     1 Ss   Mon Jan  5 10:00:00 2026\n  300     1   299 S+   Mon Jan  5 10:00:01 2026    \n  301   300   299 Z    Mon Jan  5 10:00:02 2026\n\n";
  expect(parseProcessList(text)).toEqual([
    { pid: 1, parent: 0, group: 1, session: 0, started: "Mon Jan  5 10:00:00 2026" },
    { pid: 300, parent: 1, group: 299, session: 0, started: "Mon Jan  5 10:00:01 2026" },
  ]);
});

for (const platform of ["linux", "darwin"] as const) {
  test.if(platform === process.platform || Bun.which("/bin/ps") !== null)(
    `this process is found the way of ${platform}`,
    () => {
      const own = findProcess(process.pid, platform);
      expect(own?.pid).toBe(process.pid);
      expect(listProcesses(platform).find((entry) => entry.pid === process.pid)).toEqual(own);
    },
  );
}

test("a pid nobody has is not found", () => {
  expect(findProcess(2 ** 30)).toBeUndefined();
});

test.if(process.platform === "linux")("what was started since a process is found without the list of all", async () => {
  const child = Bun.spawn(["sh", "-c", "setsid sleep 1000 & echo $!; read _"], { stdin: "pipe", stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const grandchild = Number(new TextDecoder().decode(value));
  try {
    const since = processesSince(child.pid, 0);
    const ids = since?.map(({ pid }) => pid);
    expect([child.pid, grandchild, process.pid].map((pid) => ids?.includes(pid))).toEqual([true, true, false]);
    expect(since?.every(startedNotBefore(child.pid))).toBe(true);
    expect(
      [process.pid, grandchild]
        .map((pid) => findProcess(pid))
        .map((entry) => entry && startedNotBefore(grandchild)(entry)),
    ).toEqual([false, true]);
  } finally {
    process.kill(grandchild, "SIGKILL");
    child.kill("SIGKILL");
    await child.exited;
  }
});

test("after a long time ids may have come round, and only the list of all counts", () => {
  expect(processesSince(process.pid, 1e9)).toBeUndefined();
});
