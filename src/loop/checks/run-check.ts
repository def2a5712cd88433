import { lstatSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { Check } from "../../protocol/loop-tasks.ts";
import type { CheckResult } from "../../protocol/receipts.ts";
import { type ProcessOutcome, runProcess } from "../../system/run-process.ts";
import { openCheckLog } from "./check-log.ts";
import type { Checkout } from "./checkout.ts";
import { isWithin } from "./linked-folders.ts";

export interface CheckRun {
  check: Check;
  checkout: Checkout;
  /** All a check gets of the environment, besides what `checkEnvironment` adds. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The folder the agent worked in: programs found there are looked for in the checkout instead. */
  root: string;
  logFile: string;
  signal?: AbortSignal;
}

export interface CheckOutcome {
  result: CheckResult;
  /** Why the check could not even be started. */
  notStarted?: string;
  /** It was ended because the run was. */
  wasStopped: boolean;
}

/** Runs one check in a checkout and looks at nothing but how it ends. What it leaves running is ended with it. */
export function runCheck(run: CheckRun): Promise<CheckOutcome> {
  const { check } = run;
  return check.type === "run" ? runCommand(run, check.run, check.timeoutSeconds * 1000) : runExists(run, check.exists);
}

export async function runCommand(
  run: Omit<CheckRun, "check">,
  command: string,
  deadlineMs: number,
): Promise<CheckOutcome> {
  const { checkout, signal } = run;
  const environment = checkEnvironment(run);
  const log = openCheckLog(run.logFile);
  const { outcome, durationMs } = await runProcess({
    argv: shell(command, environment),
    cwd: checkout.directory,
    environment,
    onOutput: ({ bytes }) => log.add(bytes),
    capBytes: 0,
    deadlineMs,
    openableStreams: true,
    ...(signal && { signal }),
  }).result;
  const note = noteOf(outcome);
  if (note !== undefined) log.add(Buffer.from(`${note}\n`));
  const { digest, tail } = log.end();
  return {
    result: { command, exit: exitCode(outcome), logDigest: digest, durationMs, tail },
    ...(outcome.type === "not-started" && { notStarted: outcome.message }),
    wasStopped: outcome.type === "aborted",
  };
}

/** Nothing that loads other programs, and nothing that leads git or the shell elsewhere. */
const NEVER = /^(BASH_.*|ENV|SHELLOPTS|BASHOPTS|GIT_.*|PROMPT_COMMAND|CDPATH|OLDPWD|RALPH_SIGNAL_FILE)$/;

export function checkEnvironment({ environment, checkout, root }: Omit<CheckRun, "check" | "logFile">) {
  const kept = Object.entries(environment).filter(([name]) => !NEVER.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: searchPath(environment.PATH ?? DEFAULT_PATH, root, checkout.directory),
    CI: "1",
    RALPH_CHECK: "1",
    TMPDIR: checkout.temporary,
    PWD: checkout.directory,
    GIT_CEILING_DIRECTORIES: dirname(checkout.directory),
    GIT_TERMINAL_PROMPT: "0",
    PAGER: "cat",
    TERM: "dumb",
  };
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Folders named relatively are left out; those of the agent's folder are those of the checkout. */
export function searchPath(path: string, root: string, directory: string): string {
  const folders = path.split(":").filter(isAbsolute);
  return folders
    .map((folder) => (isWithin(folder, root) ? join(directory, folder.slice(root.length)) : folder))
    .join(":");
}

/** Without anybody's start-up files. */
function shell(command: string, { PATH }: { PATH: string }): string[] {
  const bash = Bun.which("bash", { PATH });
  return bash === null ? ["sh", "-c", command] : [bash, "--norc", "--noprofile", "-c", command];
}

function exitCode(outcome: ProcessOutcome): number {
  switch (outcome.type) {
    case "exited":
      return outcome.code;
    case "timed-out":
      return 124;
    case "signalled":
      return 128 + (new Map<string, number>(Object.entries(constants.signals)).get(outcome.signal) ?? 0);
    case "aborted":
      return 130;
    case "not-started":
      return 127;
  }
}

function noteOf(outcome: ProcessOutcome): string | undefined {
  if (outcome.type === "timed-out") return `[ended after ${outcome.afterMs / 1000} seconds, the timeout of this check]`;
  if (outcome.type === "not-started") return outcome.message;
  return undefined;
}

async function runExists(run: CheckRun, path: string): Promise<CheckOutcome> {
  const missing = whyMissing(run.checkout.directory, path);
  const log = openCheckLog(run.logFile);
  log.add(Buffer.from(`${missing ?? `${path} is there`}\n`));
  const { digest, tail } = log.end();
  const exit = missing === undefined ? 0 : 1;
  return { result: { command: `exists ${path}`, exit, logDigest: digest, durationMs: 0, tail }, wasStopped: false };
}

/** A link counts only when it leads to something inside of the checkout. */
export function whyMissing(directory: string, path: string): string | undefined {
  const place = join(directory, path);
  if (isAbsolute(path) || !isWithin(place, directory)) return `${path} is outside of the checkout`;
  if (isWithin(place, join(directory, ".git"))) return `${path} belongs to git`;
  try {
    lstatSync(place);
    return isWithin(realpathSync(place), realpathSync(directory)) ? undefined : `${path} leads out of the checkout`;
  } catch {
    return `${path} is not there`;
  }
}
