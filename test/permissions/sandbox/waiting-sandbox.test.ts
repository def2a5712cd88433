import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SandboxCommand } from "../../../src/permissions/sandbox/run-sandboxed.ts";
import { outputText } from "../../../src/system/capped-output.ts";
import { listProcesses } from "../../../src/system/process-table.ts";
import { runProcess } from "../../../src/system/run-process.ts";
import { type Sandboxed, sandboxed, sandboxHere, skipReason } from "../../support/sandboxed.ts";

/** The sandboxes of the box that run. One that is just being started has no words yet. */
function sandboxes({ project }: Sandboxed): number[] {
  return listProcesses().flatMap(({ pid, parent }) => {
    const words = wordsOf(pid);
    return parent === process.pid && (words.join("") === "" || words.includes(project)) ? [pid] : [];
  });
}

/** None of a process that has just ended. */
function wordsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Runs a command and says in which sandbox. */
async function run(box: Sandboxed, words: string, more: Partial<SandboxCommand> = {}) {
  const argv = ["/bin/sh", "-c", words];
  const { project: cwd, environment } = box;
  const wrapped = await box.sandbox.wrap({ argv, cwd, environment, network: false, ...more });
  if (!wrapped.ok) throw new Error(wrapped.message);
  const { pid, stdout, stderr } = await runProcess({ ...wrapped, cwd }).result;
  const made = wrapped.finish();
  return { pid, said: outputText(stdout) + outputText(stderr), made };
}

/** Has a sandbox wait for the next command, and says which. */
async function withOneWaiting(box: Sandboxed): Promise<number> {
  await run(box, ":");
  await box.sandbox.expectCommand();
  for (;;) {
    const ready = sandboxes(box).find(hasShell);
    // Either way once round the event loop, so that what it said is heard.
    await Bun.sleep(1);
    if (ready !== undefined) return ready;
  }
}

/** Whether all is mounted and it has said so: then a shell waits inside. */
function hasShell(sandbox: number): boolean {
  const children = (pid: number) => listProcesses().filter(({ parent }) => parent === pid);
  const inside = children(sandbox).flatMap(({ pid }) => children(pid));
  return inside.some(({ pid }) => wordsOf(pid)[0] === "/bin/sh" && !existsSync(`/proc/${pid}/fd/4`));
}

describe.skipIf(sandboxHere.type !== "bubblewrap")(`a sandbox that is made ahead${skipReason}`, () => {
  test("is that of the next command, and of no other after it", async () => {
    await using box = sandboxed();
    const first = await withOneWaiting(box);
    const { pid, said } = await run(box, "echo it works; echo x > /dev/shm/left; ls /proc/self/fd | wc -l");
    expect({ pid, said }).toEqual({ pid: first, said: "it works\n4\n" });
    await box.sandbox.expectCommand();
    const next = await run(box, "ls /dev/shm");
    expect([next.pid === first, next.said]).toEqual([false, ""]);
  });

  test("ends when the session does, after which none is made", async () => {
    await using box = sandboxed();
    const pid = await withOneWaiting(box);
    expect(sandboxes(box)).toEqual([pid]);
    await box.sandbox.close();
    expect([sandboxes(box), box.names()]).toEqual([[], []]);
    await box.sandbox.expectCommand();
    expect([sandboxes(box), box.names()]).toEqual([[], []]);
  });

  test("is not used once something it guards was replaced", async () => {
    await using box = sandboxed();
    Bun.spawnSync(["git", "init", "-q"], { cwd: box.project });
    const config = join(box.project, ".git/config");
    const waiting = await withOneWaiting(box);
    box.write("project/.git/config.new", readFileSync(config, "utf8"));
    renameSync(join(box.project, ".git/config.new"), config);
    const { pid, said } = await run(box, "echo evil >> .git/config");
    expect(pid).not.toBe(waiting);
    expect(said).toContain("Read-only file system");
    expect(readFileSync(config, "utf8")).not.toContain("evil");
  });

  test("is not used once a held name was taken away and made again", async () => {
    await using box = sandboxed();
    const waiting = await withOneWaiting(box);
    rmSync(join(box.project, ".vscode"), { recursive: true });
    const { pid } = await run(box, "mkdir .vscode/x");
    expect([pid === waiting, existsSync(join(box.project, ".vscode/x"))]).toEqual([false, false]);
  });

  test("is not used once there is more to hide", async () => {
    await using box = sandboxed();
    const waiting = await withOneWaiting(box);
    box.write("project/.env", "TOKEN=secret\n");
    const { pid, said } = await run(box, "cat .env; echo end");
    expect([pid === waiting, said]).toEqual([false, "end\n"]);
  });

  test.each<[string, (box: Sandboxed) => Partial<SandboxCommand>]>([
    ["the network", () => ({ network: true })],
    ["a place to write to", ({ userHome }) => ({ writable: [userHome] })],
    ["another folder", ({ root }) => ({ cwd: root })],
    ["another environment", ({ environment }) => ({ environment: { ...environment, OTHER: "x" } })],
    ["more words than fit", () => ({ argv: ["/bin/sh", "-c", `: ${"x".repeat(5000)}`] })],
  ])("is not that of a command with %s", async (_, more) => {
    await using box = sandboxed();
    box.write("user/file", "");
    const waiting = await withOneWaiting(box);
    const { pid } = await run(box, "echo", more(box));
    expect(pid).not.toBe(waiting);
  });

  test("is never open for what one command was given", async () => {
    await using box = sandboxed();
    const { address, stop } = served();
    box.write("user/file", "");
    const open = { network: true, writable: [box.userHome] };
    const attempt = `echo x > ~/made && curl -s ${address}`;
    expect((await run(box, attempt, open)).said).toBe("reached");
    rmSync(join(box.userHome, "made"));
    expect(sandboxes(box)).toEqual([]);
    await box.sandbox.expectCommand();
    expect(sandboxes(box)).toEqual([]);
    expect((await run(box, attempt)).said).toContain("Read-only file system");
    stop();
  });

  test("ends with a Ralph that is killed, and the command it was for never runs", async () => {
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
    const program = resolve(import.meta.dir, "../../support/programs/sandbox-that-waits.ts");
    const ralph = Bun.spawn([process.execPath, program, JSON.stringify(options)], { stdout: "pipe" });
    await ralph.stdout.getReader().read();
    const inBox = () => listProcesses().filter(({ pid }) => wordsOf(pid).some((word) => word.startsWith(box.project)));
    expect(inBox().length).toBeGreaterThan(1);
    ralph.kill("SIGKILL");
    await ralph.exited;
    while (inBox().length > 0) await Bun.sleep(1);
    expect(existsSync(join(box.project, "ran.txt"))).toBe(false);
  });

  test("of a command that is not run in the end is ended", async () => {
    await using box = sandboxed();
    const { environment, project: cwd } = box;
    const argv = ["/bin/sh", "-c", "echo ran > ran.txt"];
    const aborted = await box.sandbox.wrap({ argv, cwd, environment, network: true });
    if (!aborted.ok) throw new Error(aborted.message);
    const { result } = runProcess({ ...aborted, cwd, signal: AbortSignal.abort() });
    expect((await result).outcome).toEqual({ type: "aborted" });
    aborted.finish();
    await gone(box);
    const unused = await box.sandbox.wrap({ argv, cwd, environment, network: true });
    if (!unused.ok) throw new Error(unused.message);
    unused.finish();
    await gone(box);
    expect(existsSync(join(cwd, "ran.txt"))).toBe(false);
  });
});

async function gone(box: Sandboxed): Promise<void> {
  while (sandboxes(box).length > 0) await Bun.sleep(1);
}

function served() {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("reached") });
  return { address: server.url.href, stop: () => void server.stop(true) };
}
