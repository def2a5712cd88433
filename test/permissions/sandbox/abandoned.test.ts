import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { removeAbandoned } from "../../../src/permissions/sandbox/run-sandboxed.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

test.skipIf(process.platform !== "linux")(
  "what a killed Ralph left of its sandbox is ended and removed; what a living one has stays",
  async () => {
    using workspace = tempWorkspace();
    const folder = join(workspace.root, "sandbox");
    const session = (name: string) => join(folder, "sessions", name);
    const [dead, living] = [session("1-not-its-start"), session(`${process.pid}-${startOf(process.pid)}`)];
    for (const path of [dead, living]) mkdirSync(path, { recursive: true });
    const waiting = (path: string) => Bun.spawn(["sh", "-c", "read nothing", path], { stdin: "pipe" });
    const [left, used] = [waiting(dead), waiting(living)];
    await removeAbandoned(folder);
    await left.exited;
    expect([left.signalCode, existsSync(dead), used.exitCode, existsSync(living)]).toEqual([
      "SIGKILL",
      false,
      null,
      true,
    ]);
    used.kill();
  },
);

function startOf(pid: number): string {
  const { stdout } = Bun.spawnSync(["sh", "-c", `sed 's/.*) //' /proc/${pid}/stat | cut -d' ' -f20`]);
  return stdout.toString().trim();
}
