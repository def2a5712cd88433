import { readdirSync } from "node:fs";
import { join } from "node:path";
import { probeSandbox, type SandboxState } from "../../src/permissions/sandbox/probe-sandbox.ts";
import { createSandbox, type Sandbox } from "../../src/permissions/sandbox/run-sandboxed.ts";
import { outputText } from "../../src/system/capped-output.ts";
import { noMemo } from "../../src/system/memo.ts";
import { type ProcessOptions, type ProcessOutcome, runProcess } from "../../src/system/run-process.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

// Real commands in a real sandbox around a temporary project, home and data folder.

/** What this machine offers. Suites that need more than `none` skip with the reason in their title. */
export const sandboxHere: SandboxState = await probeSandbox({ platform: process.platform, memo: noMemo });

export const skipReason = sandboxHere.type === "bubblewrap" ? "" : ` (skipped here: ${sandboxHere.reason})`;

export interface Sandboxed extends TempWorkspace {
  userHome: string;
  sandbox: Sandbox;
  run(command: string, options?: RunOptions): Promise<Ran>;
  /** All files and folders of the project. */
  names(): string[];
}

export interface RunOptions extends Partial<ProcessOptions> {
  network?: boolean;
}

export interface Ran {
  outcome: ProcessOutcome;
  stdout: string;
  stderr: string;
  /** What the command made that others obey. */
  made: string[];
  leftover: boolean;
  survivors: number[];
}

export interface SandboxedOptions {
  /** Whether every command runs in a sandbox that was made ahead and waited for it. */
  isMadeAhead?: boolean;
}

export function sandboxed(
  writable: (workspace: TempWorkspace) => string[] = () => [],
  { isMadeAhead = false }: SandboxedOptions = {},
): Sandboxed {
  const place = tempWorkspace();
  const userHome = join(place.root, "user");
  const data = join(userHome, ".local/share/ralph");
  if (sandboxHere.type === "none") throw new Error(sandboxHere.reason);
  const sandbox = createSandbox({
    state: sandboxHere,
    workspace: place.project,
    writable: writable(place),
    home: userHome,
    own: { config: join(userHome, ".config/ralph"), data },
    folder: join(data, "cache/sandbox"),
  });
  const { environment } = place;
  const dispose = async () => {
    await sandbox.close();
    place.stop();
  };
  const wrap = async (command: string, { network = false, cwd = place.project }: RunOptions) => {
    const argv = ["/bin/bash", "--norc", "--noprofile", "-c", command];
    const wrapped = await sandbox.wrap({ argv, cwd, environment, network });
    if (!wrapped.ok) throw new Error(wrapped.message);
    return wrapped;
  };
  return {
    ...place,
    userHome,
    sandbox,
    async run(command, options = {}) {
      const { cwd = place.project } = options;
      if (isMadeAhead) {
        (await wrap(":", options)).finish();
        await sandbox.expectCommand();
      }
      const wrapped = await wrap(command, options);
      const running = runProcess({
        openableStreams: true,
        deadlineMs: 20_000,
        ...options,
        ...wrapped,
        cwd,
      });
      const { outcome, stdout, stderr, leftover, survivors } = await running.result;
      const made = wrapped.finish().map((line) => line.replaceAll(`${place.project}/`, ""));
      return { outcome, stdout: outputText(stdout), stderr: outputText(stderr), made, leftover, survivors };
    },
    names: () => readdirSync(place.project, { recursive: true, encoding: "utf8" }).sort(),
    [Symbol.asyncDispose]: dispose,
  };
}
