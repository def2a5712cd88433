import { outputText } from "../../system/capped-output.ts";
import { type ProcessResult, runProcess } from "../../system/run-process.ts";

/** What git said, or why it could not say it. */
export type GitResult = { ok: true; stdout: Uint8Array } | GitFailure;

export interface GitFailure {
  ok: false;
  reason: "no-git" | "no-repository" | "bare" | "too-slow" | "too-much" | "stopped" | "failed";
  /** What git printed, or a sentence of ours. */
  message: string;
}

export interface GitCall {
  /** After `git`, without the settings this module adds. */
  arguments: readonly string[];
  stdin?: string | Uint8Array;
  /** Instead of the repository's own index. */
  indexFile?: string;
  /** More settings, `key=value`. */
  settings?: readonly string[];
  /** Added to the environment. */
  variables?: Readonly<Record<string, string>>;
  deadlineMs?: number;
  capBytes?: number;
}

export interface GitPlace {
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

const DEADLINE_MS = 120_000;
const CAP_BYTES = 128 * 1024 * 1024;

/**
 * Runs git so that nothing in a repository starts another program: no hooks, no file system monitor, no pager, editor, signing,
 * external diff or maintenance. Filters that the repository's own settings define are the caller's to switch off; see
 * `repository.ts`. Never throws.
 */
export async function runGit(place: GitPlace, call: GitCall): Promise<GitResult> {
  const capBytes = call.capBytes ?? CAP_BYTES;
  const deadlineMs = call.deadlineMs ?? DEADLINE_MS;
  const settings = [...SETTINGS, ...(call.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const result = await runProcess({
    argv: ["git", "--no-pager", "--literal-pathspecs", ...settings, ...call.arguments],
    cwd: place.directory,
    environment: gitEnvironment(place.environment, call),
    ...(call.stdin !== undefined && { stdin: call.stdin }),
    ...(place.signal && { signal: place.signal }),
    capBytes,
    deadlineMs,
  }).result;
  if (result.outcome.type === "exited" && result.outcome.code === 0) {
    if (result.stdout.droppedBytes === 0) return { ok: true, stdout: result.stdout.head };
    const message = `git ${call.arguments[0]} printed more than the ${capBytes} bytes Ralph reads.`;
    return { ok: false, reason: "too-much", message };
  }
  return explain(result, call);
}

export function gitText(result: { stdout: Uint8Array }): string {
  return new TextDecoder().decode(result.stdout).trimEnd();
}

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.editor=false",
  "core.askPass=",
  "core.sshCommand=false",
  "diff.external=",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "log.showSignature=false",
  "credential.helper=",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "protocol.ext.allow=never",
  "safe.bareRepository=explicit",
  "advice.detachedHead=false",
];

/** Of the environment only what finds git and the person's own settings; nothing that redirects git. */
const HANDED_ON = ["PATH", "HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "TMPDIR", "TZ", "SystemRoot", "USERPROFILE"];

function gitEnvironment(environment: GitPlace["environment"], call: GitCall): Record<string, string> {
  const kept = HANDED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // Nothing is ever fetched: a remote's settings can name programs too.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_EDITOR: "false",
    GIT_PAGER: "cat",
    ...call.variables,
    ...(call.indexFile !== undefined && { GIT_INDEX_FILE: call.indexFile }),
  };
}

function explain({ outcome, stderr }: ProcessResult, call: GitCall): GitFailure {
  const said = outputText(stderr).trim();
  switch (outcome.type) {
    case "not-started":
      if (outcome.reason === "program-not-found") {
        return { ok: false, reason: "no-git", message: "git was not found. Install it, or put it on the PATH." };
      }
      return { ok: false, reason: "failed", message: outcome.message };
    case "timed-out":
      return {
        ok: false,
        reason: "too-slow",
        message: `git ${call.arguments[0]} took more than ${outcome.afterMs / 1000} seconds and was ended.`,
      };
    case "aborted":
      return { ok: false, reason: "stopped", message: "git was stopped." };
    case "signalled":
      return { ok: false, reason: "failed", message: `git was ended by ${outcome.signal}.` };
    case "exited":
      return { ok: false, reason: failureReason(said), message: said || `git ended with code ${outcome.code}.` };
  }
}

function failureReason(said: string): GitFailure["reason"] {
  if (/not a git repository/i.test(said)) return "no-repository";
  if (/cannot use bare repository|must be run in a work tree/i.test(said)) return "bare";
  return "failed";
}
