import { ORDERS, READY } from "../../system/start-ahead.ts";
import type { Layer, SandboxProfile } from "./sandbox-profile.ts";

export interface BubblewrapProgram {
  path: string;
  /** Whether it can forbid user namespaces inside, in which a command would be its own administrator. */
  forbidsNamespaces: boolean;
  /** Whether `env` can set how signals are taken, without which a command that is stopped has no time to tidy up. */
  setsSignals: boolean;
}

export interface WrappedCommand {
  argv: readonly string[];
  cwd: string;
}

/** The arguments that run a command as the profile says. Pure. */
export function bubblewrapArguments(
  program: BubblewrapProgram,
  profile: SandboxProfile,
  { argv, cwd }: WrappedCommand,
): string[] {
  return [...confinement(program, profile, cwd), ...inside(program, profile, 'exec "$@"'), "sh", ...argv];
}

/** The arguments that make the same sandbox, in which a shell waits for an order of `orderFor`. */
export function waitingArguments(program: BubblewrapProgram, profile: SandboxProfile, cwd: string): string[] {
  const wait = `echo >&${READY}; exec ${READY}>&-; . /dev/fd/${ORDERS}`;
  return [...confinement(program, profile, cwd), ...inside(program, profile, wait)];
}

/** What tells a waiting shell to become the command. */
export function orderFor(argv: readonly string[]): string {
  const words = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return `exec ${words.join(" ")} ${ORDERS}<&-\n`;
}

function confinement(program: BubblewrapProgram, profile: SandboxProfile, cwd: string): string[] {
  return [
    // Its end is the end of the whole sandbox, so that it must outlive the request to end that the command gets too.
    ...(program.setsSignals ? [ENV, "--ignore-signal=TERM"] : []),
    program.path,
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...profile.layers.flatMap((layer) => mount(layer, profile.emptyFile)),
    // For root the settings of the kernel are files like others, and one of them names a program that runs outside.
    ...["--remount-ro", "/proc"],
    // Only now: what is kept below a hidden folder had to be made in it.
    ...profile.layers.flatMap((layer) => (isHiddenFolder(layer) ? ["--remount-ro", layer.path] : [])),
    ...isolation(program),
    ...(profile.network ? [] : ["--unshare-net"]),
    ...["--chdir", cwd, "--"],
  ];
}

export const ENV = "/usr/bin/env";

/** Everything but the mounts and the network; the trial run uses it too. */
export function isolation({ forbidsNamespaces }: Pick<BubblewrapProgram, "forbidsNamespaces">): string[] {
  return [
    "--unshare-user",
    ...(forbidsNamespaces ? ["--disable-userns"] : []),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
  ];
}

function mount(layer: Layer, emptyFile: string): string[] {
  switch (layer.type) {
    case "writable":
      return ["--bind", layer.source, layer.path];
    case "read-only":
      return ["--ro-bind", layer.path, layer.path];
    case "hidden":
      return layer.kind === "directory" ? ["--tmpfs", layer.path] : ["--ro-bind", emptyFile, layer.path];
  }
}

function isHiddenFolder(layer: Layer): boolean {
  return layer.type === "hidden" && layer.kind === "directory";
}

/** The limit is set inside, where only the processes of the sandbox count. Shells name it differently, and some not at all. */
function inside({ setsSignals }: BubblewrapProgram, { mostProcesses }: SandboxProfile, script: string): string[] {
  const limit = `ulimit -u ${mostProcesses} 2>/dev/null || ulimit -p ${mostProcesses} 2>/dev/null`;
  return [...(setsSignals ? [ENV, "--default-signal=TERM"] : []), "/bin/sh", "-c", `${limit}; ${script}`];
}
