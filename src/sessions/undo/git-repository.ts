import { lstatSync, readFileSync, type Stats } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { holdsSomething } from "../../system/empty-folder.ts";
import { runProcess } from "../../system/run-process.ts";
import { pathWithin } from "./observe-file.ts";

// Git asked about a work tree without letting the project run anything: no hooks, no monitor, no filters, no locks, no network.

export interface GitRepository {
  /** The work tree. */
  top: string;
  /** Of this work tree; holds its index. */
  gitDirectory: string;
  /** `-c` arguments that take the project's own filters away. */
  withoutFilters: string[];
}

export type FoundRepository = { ok: true; repository: GitRepository } | { ok: false; why?: string };

/** The repository around a folder. Without `why` there is none. */
export function findRepository(root: string): FoundRepository {
  for (let at = root; ; at = dirname(at)) {
    const found = look(join(at, ".git"));
    if (found !== undefined && holdsSomething(join(at, ".git"))) return openRepository(at, found);
    if (at === dirname(at)) return { ok: false };
  }
}

function openRepository(top: string, { isDirectory }: { isDirectory: boolean }): FoundRepository {
  const named = isDirectory ? ".git" : /^gitdir: (.+?)\n?$/.exec(readText(join(top, ".git")))?.[1];
  if (named === undefined) return { ok: false, why: "the .git file of the workspace could not be read" };
  const gitDirectory = resolve(top, named);
  const common = readText(join(gitDirectory, "commondir")).trim();
  const shared = common === "" ? gitDirectory : resolve(gitDirectory, common);
  const configuration = [join(shared, "config"), join(gitDirectory, "config.worktree")].map(readText).join("\n");
  if (/^\s*\[\s*include(if)?\b/im.test(configuration))
    return { ok: false, why: "the repository's git configuration includes other files" };
  return { ok: true, repository: { top, gitDirectory, withoutFilters: filterSwitches(configuration) } };
}

/** Any program a filter names would run on every changed file. */
function filterSwitches(configuration: string): string[] {
  const names = new Set(
    [...configuration.matchAll(/^\s*\[\s*filter\s+"((?:[^"\\\n]|\\.)*)"/gim)].map(([, name]) => name),
  );
  return [...names].flatMap((name) =>
    ["clean=", "smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.${name}.${setting}`]),
  );
}

export interface GitRun {
  root: string;
  repository: GitRepository;
  environment: Readonly<Record<string, string | undefined>>;
  /** The index git looks at instead of its own. */
  index: string;
  deadlineMs: number;
  stdin?: string;
  capBytes?: number;
}

const CAP_BYTES = 4_000_000;

/** Output of a git that ended well, and whole; else why not. */
export async function runGit(
  words: readonly string[],
  run: GitRun,
): Promise<{ ok: true; output: Uint8Array } | { ok: false; why: string }> {
  const { root, repository, deadlineMs, capBytes = CAP_BYTES, stdin } = run;
  const { result } = runProcess({
    argv: ["git", ...place(repository), ...SWITCHES, ...repository.withoutFilters, ...words],
    cwd: root,
    environment: gitEnvironment(run),
    // The output is kept in two halves.
    capBytes: 2 * capBytes,
    deadlineMs,
    ...(stdin !== undefined && { stdin }),
  });
  const { outcome, stdout } = await result;
  if (outcome.type === "timed-out") return { ok: false, why: `git took longer than the limit of ${deadlineMs} ms` };
  if (outcome.type === "not-started") return { ok: false, why: outcome.message };
  if (outcome.type !== "exited" || outcome.code !== 0) return { ok: false, why: `git ${words[0]} failed` };
  if (stdout.droppedBytes > 0) return { ok: false, why: `git told more than the limit of ${capBytes} bytes` };
  return { ok: true, output: stdout.head };
}

/** Given outright, so that the project's `core.worktree` counts for nothing. */
function place({ gitDirectory, top }: GitRepository): string[] {
  return ["--git-dir", gitDirectory, "--work-tree", top, "--literal-pathspecs", "--no-pager"];
}

const SWITCHES = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "core.quotePath=false",
  "submodule.recurse=false",
].flatMap((setting) => ["-c", setting]);

const KEPT_NAMES = ["HOME", "XDG_CONFIG_HOME", "TMPDIR"];

function gitEnvironment({ environment, root, index }: GitRun): Record<string, string | undefined> {
  const kept = KEPT_NAMES.map((name) => [name, environment[name]] as const);
  // A git that lies in the project is not git.
  const folders = (environment.PATH ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isIn(root, folder));
  return {
    ...Object.fromEntries(kept),
    PATH: folders.join(delimiter),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_INDEX_FILE: index,
  };
}

function isIn(root: string, folder: string): boolean {
  return folder === root || pathWithin(root, folder) !== undefined;
}

function look(path: string): { isDirectory: boolean } | undefined {
  try {
    const stats: Stats = lstatSync(path);
    return stats.isDirectory() || stats.isFile() ? { isDirectory: stats.isDirectory() } : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
