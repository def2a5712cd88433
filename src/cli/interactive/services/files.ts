import { join, relative, sep } from "node:path";
import { protectedFileTest } from "../../../coder/protected-files.ts";
import type { RunContext } from "../../run-context.ts";

export const MOST_FILES = 50_000;
const LISTING_MS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** The files below the working directory, as paths from there: what git knows and does not ignore, otherwise what is found. */
export async function listFiles(context: RunContext): Promise<string[]> {
  const listed = (await filesOfGit(context)) ?? (await filesFound(context));
  const isProtected = protectedFileTest(context.paths);
  return listed.filter((path) => !isProtected(join(context.cwd, path)));
}

async function filesOfGit({ cwd, environment }: RunContext): Promise<string[] | undefined> {
  const { runProcess } = await import("../../../system/run-process.ts");
  const { outputText } = await import("../../../system/capped-output.ts");
  const argv = ["git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const running = runProcess({ argv, cwd, environment, deadlineMs: LISTING_MS, capBytes: MOST_BYTES });
  const { outcome, stdout } = await running.result;
  if (outcome.type !== "exited" || outcome.code !== 0) return undefined;
  const paths = outputText(stdout).split("\0");
  return [...new Set(paths)].filter((path) => path !== "").slice(0, MOST_FILES);
}

async function filesFound({ cwd }: RunContext): Promise<string[]> {
  const { walkFiles } = await import("../../../tools/walk-files.ts");
  const signal = AbortSignal.timeout(LISTING_MS);
  const found: string[] = [];
  for await (const paths of walkFiles(cwd, { root: cwd, includesIgnored: false, signal })) {
    found.push(...paths.map((path) => relative(cwd, path).replaceAll(sep, "/")));
    if (found.length >= MOST_FILES) break;
  }
  return found.slice(0, MOST_FILES);
}
