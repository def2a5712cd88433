import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputText } from "../../src/system/capped-output.ts";
import { findProcess } from "../../src/system/process-table.ts";
import { type ProcessOptions, runProcess } from "../../src/system/run-process.ts";
import { LONGEST_ORDER, type StartedAhead, startAhead } from "../../src/system/start-ahead.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const WAIT = "echo >&4; exec 4>&-; . /dev/fd/3";

function waits(script = WAIT): StartedAhead {
  const started = startAhead({ argv: ["/bin/sh", "-c", script], environment, openableStreams: true });
  if (started === undefined) throw new Error("it did not start");
  return started;
}

async function run(process: StartedAhead, order: string, more: Partial<ProcessOptions> = {}) {
  const { result } = runProcess({ argv: ["echo", "anew"], environment, ahead: { process, order }, ...more });
  const { outcome, stdout, stderr, pid, leftover } = await result;
  return { outcome, said: outputText(stdout) + outputText(stderr), isAhead: pid === process.pid, leftover };
}

const EXITED = { outcome: { type: "exited" as const, code: 0 }, leftover: false };

describe.skipIf(process.platform !== "linux")("a program that was started ahead", () => {
  test("does what it is ordered to, and is watched like any other", async () => {
    const process = waits();
    expect(await process.ready).toBe(true);
    const ran = await run(process, "echo out; echo err > /dev/stderr; exit 3\n");
    expect(ran).toEqual({ outcome: { type: "exited", code: 3 }, said: "out\nerr\n", isAhead: true, leftover: false });
    const slow = waits();
    const stopping = new AbortController();
    const onOutput = () => stopping.abort();
    const stopped = await run(slow, "echo begun; sleep 60; sleep 60\n", { signal: stopping.signal, onOutput });
    expect([stopped.outcome, stopped.said, findProcess(slow.pid)]).toEqual([{ type: "aborted" }, "begun\n", undefined]);
  });

  test("takes one order, whole or not at all", async () => {
    const process = waits();
    expect(process.order(`echo ${"x".repeat(LONGEST_ORDER)}\n`)).toBe(false);
    expect(process.order(`echo ${"x".repeat(LONGEST_ORDER - 6)}\n`)).toBe(true);
    expect(process.order("echo second\n")).toBe(false);
    await process.child.process.exited;
  });

  test("is replaced by a new one where it is gone, was used, or the program has something to read", async () => {
    const dead = waits("exit 1");
    expect(await dead.ready).toBe(false);
    await dead.child.process.exited;
    expect(await run(dead, "echo ahead\n")).toEqual({ ...EXITED, said: "anew\n", isAhead: false });
    const used = waits();
    await run(used, "exit 0\n");
    expect(await run(used, "echo ahead\n")).toEqual({ ...EXITED, said: "anew\n", isAhead: false });
    const reads = waits();
    const read = await run(reads, "cat\n", { argv: ["cat"], stdin: "typed" });
    expect(read).toEqual({ ...EXITED, said: "typed", isAhead: false });
    await reads.child.process.exited;
  });

  test("ends without having done anything when it is ended, or whoever started it is", async () => {
    const process = waits();
    await process.end();
    expect([findProcess(process.pid), process.order("echo late\n")]).toEqual([undefined, false]);
    const folder = directory();
    const program = join(folder, "starts.ts");
    const source = join(import.meta.dir, "../../src/system/start-ahead.ts");
    writeFileSync(
      program,
      `import { startAhead } from ${JSON.stringify(source)};
       const argv = ["/bin/sh", "-c", ${JSON.stringify(`${WAIT}; echo ended > ended`)}];
       const started = startAhead({ argv, cwd: ${JSON.stringify(folder)}, environment: {} });
       await started?.ready;
       process.stdout.write(String(started?.pid));
       await Bun.sleep(60_000);`,
    );
    const parent = Bun.spawn([Bun.argv[0] ?? "bun", program], { stdout: "pipe" });
    const { value } = await parent.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    expect(findProcess(pid)?.parent).toBe(parent.pid);
    parent.kill("SIGKILL");
    await parent.exited;
    while (findProcess(pid) !== undefined) await Bun.sleep(1);
    expect(readFileSync(join(folder, "ended"), "utf8")).toBe("ended\n");
  });
});
