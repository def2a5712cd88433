import type { TempWorkspace } from "./temp-workspace.ts";

// A program that has Ralph as a library, in a process of its own. It has to end by itself.

export interface ProgramOptions {
  workspace: TempWorkspace;
  /** The file with the program, absolute. */
  path: string;
  environment?: Record<string, string>;
}

export interface ProgramExit {
  code: number | null;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 20_000;

export async function runProgram({ workspace, path, environment }: ProgramOptions): Promise<ProgramExit> {
  const child = Bun.spawn([process.execPath, "--no-install", "--no-env-file", path], {
    cwd: workspace.project,
    env: { ...workspace.environment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code: child.exitCode, stdout, stderr };
}
