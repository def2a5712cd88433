import { accessSync, constants, readFileSync, readlinkSync, statSync } from "node:fs";
import { release } from "node:os";
import { outputText } from "../../system/capped-output.ts";
import type { Memo } from "../../system/memo.ts";
import { type ProcessResult, runProcess } from "../../system/run-process.ts";
import { type BubblewrapProgram, ENV, isolation } from "./bubblewrap.ts";

export type SandboxState =
  | { type: "bubblewrap"; program: BubblewrapProgram; reason: string }
  | { type: "seatbelt"; program: string; reason: string }
  /** `reason` says what is missing and what to do about it. */
  | { type: "none"; reason: string };

export interface ProbeOptions {
  platform: NodeJS.Platform;
  /** Remembers what worked, so that only the first command after a boot pays for the trial. */
  memo: Memo;
  /** Where the helper may be. Never taken from PATH: a project could put its own there. */
  places?: readonly string[];
}

const BUBBLEWRAP_PLACES = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const SEATBELT_PLACES = ["/usr/bin/sandbox-exec"];

/** Whether commands can be confined here. Runs a trial; to be called before the first command, not at start. */
export async function probeSandbox({ platform, memo, places }: ProbeOptions): Promise<SandboxState> {
  if (platform === "linux") return probeBubblewrap(memo, places ?? BUBBLEWRAP_PLACES);
  if (platform === "darwin") return findSeatbelt(places ?? SEATBELT_PLACES);
  return { type: "none", reason: `Ralph has no sandbox for ${platform}, so every command is asked about.` };
}

function findSeatbelt(places: readonly string[]): SandboxState {
  const program = places.find(isProgram);
  if (program !== undefined) return { type: "seatbelt", program, reason: "sandbox-exec is part of macOS." };
  return { type: "none", reason: `sandbox-exec is missing (${places.join(", ")}). It is part of macOS; restore it.` };
}

const MEMO_NAME = "sandbox";

async function probeBubblewrap(memo: Memo, places: readonly string[]): Promise<SandboxState> {
  const path = places.find(isProgram);
  if (path === undefined) {
    return {
      type: "none",
      reason: `bubblewrap is not installed (looked for ${places.join(", ")}). Install it: apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap, or apk add bubblewrap.`,
    };
  }
  const key = situation(path);
  const known = memo.find(MEMO_NAME, key)?.value;
  if (isFeatures(known)) return works({ path, ...known });
  for (const forbidsNamespaces of [true, false]) {
    const result = await tryOut(path, forbidsNamespaces);
    if (result.outcome.type === "exited" && result.outcome.code === 0) {
      const features: Features = { forbidsNamespaces, setsSignals: outputText(result.stdout) === YES };
      await memo.keep(MEMO_NAME, key, features);
      return works({ path, ...features });
    }
    if (!forbidsNamespaces) return { type: "none", reason: refusal(result) };
  }
  return { type: "none", reason: "bubblewrap was not tried." };
}

type Features = Omit<BubblewrapProgram, "path">;

function isFeatures(value: unknown): value is Features {
  if (typeof value !== "object" || value === null) return false;
  const { forbidsNamespaces, setsSignals } = value as Partial<Features>;
  return typeof forbidsNamespaces === "boolean" && typeof setsSignals === "boolean";
}

function works(program: BubblewrapProgram): SandboxState {
  return { type: "bubblewrap", program, reason: `bubblewrap works (${program.path}).` };
}

const TRIAL_MS = 5000;

const YES = "signals\n";
const TRIAL = `${ENV} --ignore-signal=TERM --default-signal=TERM echo ${YES.trim()} 2>/dev/null || :`;

function tryOut(path: string, forbidsNamespaces: boolean): Promise<ProcessResult> {
  const mounts = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/run",
    "--remount-ro",
    "/proc",
  ];
  const argv = [path, ...mounts, ...isolation({ forbidsNamespaces }), "--unshare-net", "--", "/bin/sh", "-c", TRIAL];
  return runProcess({ argv, cwd: "/", environment: { PATH: "/usr/bin:/bin" }, deadlineMs: TRIAL_MS }).result;
}

/** What the words of the helper mean for a person. */
function refusal({ outcome, stderr }: ProcessResult): string {
  if (outcome.type === "timed-out") return `bubblewrap did not come back within ${TRIAL_MS / 1000} s.`;
  if (outcome.type === "not-started") return `bubblewrap could not be started: ${outcome.message}`;
  const said = outputText(stderr).trim().split("\n").at(-1) ?? "";
  const fix = REFUSALS.find(({ shows }) => shows.test(said))?.fix ?? "Run it in a terminal to see why.";
  return `bubblewrap does not work here: ${said === "" ? "it ended without a word" : said}. ${fix}`;
}

const REFUSALS: readonly { shows: RegExp; fix: string }[] = [
  {
    shows: /mount proc/i,
    fix: "The container Ralph runs in refuses a new /proc. Start it with --security-opt systempaths=unconfined, or treat the container as the sandbox and set `sandbox: off`.",
  },
  {
    shows: /uid map|gid map|RTM_NEWADDR|loopback/i,
    fix: "The system keeps user namespaces from programs without a profile. On Ubuntu allow it for bwrap in AppArmor, or set kernel.apparmor_restrict_unprivileged_userns=0.",
  },
  {
    shows: /namespace|Operation not permitted|No permissions|No space left/i,
    fix: "User namespaces are refused. On a machine set kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0; in a container let its seccomp profile allow unshare and mount, or treat the container as the sandbox and set `sandbox: off`.",
  },
];

/** A trial counts for this boot, this kernel, this helper, this user and these namespaces. */
function situation(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  const boot = textOf("/proc/sys/kernel/random/boot_id");
  const namespaces = ["user", "mnt", "pid"].map((name) => linkOf(`/proc/self/ns/${name}`));
  return JSON.stringify({ path, mtimeMs, size, ino, boot, release: release(), user: process.getuid?.(), namespaces });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
