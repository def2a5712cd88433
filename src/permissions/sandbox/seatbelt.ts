import type { ProtectedNames } from "../paths/protected-names.ts";
import type { WrappedCommand } from "./bubblewrap.ts";
import type { Layer, SandboxProfile } from "./sandbox-profile.ts";
import { GIT_READ_ONLY, READABLE_IN_WORKSPACE } from "./sandbox-rows.ts";

// The same profile in the language of macOS. Of several rules that fit, the last counts.

/** The arguments that run a command as the profile says. Pure. */
export function seatbeltArguments(program: string, profile: SandboxProfile, { argv }: WrappedCommand): string[] {
  const { text, parameters } = seatbeltProfile(profile);
  const definitions = Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  return [program, "-p", text, ...definitions, "--", ...limited(argv, profile.mostProcesses)];
}

export interface SeatbeltProfile {
  text: string;
  /** Paths are handed over beside the text, so that no name of a folder is read as a rule. */
  parameters: Record<string, string>;
}

export function seatbeltProfile({ layers, roots, network, protectedNames }: SandboxProfile): SeatbeltProfile {
  const parameters: Record<string, string> = {};
  const parameterOf = (path: string) => {
    const name = `PLACE_${Object.keys(parameters).length}`;
    parameters[name] = path;
    return `(param "${name}")`;
  };
  const lines = [
    ...BASE,
    ...layers.map((layer) => layerRule(layer, parameterOf(layer.path))),
    ...roots.flatMap((root) => nameRules(root, protectedNames)),
    ...(network ? NETWORK : ["(deny network*)"]),
  ];
  return { text: `${lines.join("\n")}\n`, parameters };
}

const BASE: readonly string[] = [
  "(version 1)",
  "(deny default)",
  "(allow process-exec)",
  "(allow process-fork)",
  "(allow signal (target same-sandbox))",
  "(allow process-info* (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow user-preference-read)",
  "(allow ipc-posix-sem)",
  "(allow ipc-posix-shm*)",
  "(allow pseudo-tty)",
  '(allow file-ioctl (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))',
  "(allow mach-lookup",
  '  (global-name "com.apple.system.opendirectoryd.libinfo")',
  '  (global-name "com.apple.system.opendirectoryd.membership")',
  '  (global-name "com.apple.system.notification_center")',
  '  (global-name "com.apple.system.logger")',
  '  (global-name "com.apple.bsd.dirhelper"))',
  "(allow file-read*)",
  '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx")',
  '  (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$") (regex #"^/dev/fd/[0-9]+$"))',
];

/** Names are looked up by a service with a socket of its own; certificates by another. */
const NETWORK: readonly string[] = [
  "(allow network-outbound (remote ip))",
  "(allow network-inbound (local ip))",
  "(allow network-bind (local ip))",
  "(allow system-socket)",
  '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
  "(allow mach-lookup",
  '  (global-name "com.apple.SystemConfiguration.configd")',
  '  (global-name "com.apple.dnssd.service")',
  '  (global-name "com.apple.trustd.agent")',
  '  (global-name "com.apple.SecurityServer"))',
];

function layerRule(layer: Layer, place: string): string {
  switch (layer.type) {
    case "writable":
      return `(allow file-read* file-write* (subpath ${place}))`;
    case "read-only":
      return `(allow file-read* (subpath ${place}))\n(deny file-write* (subpath ${place}))`;
    case "hidden":
      return `(deny file-read* file-write* (subpath ${place}))`;
  }
}

/** At any depth, in any spelling, whether they exist or not. */
function nameRules(root: string, rows: readonly ProtectedNames[]): string[] {
  const start = `^${escaped(root === "/" ? "" : root)}/(.*/)?`;
  return [
    ...rows.flatMap((row) => rowRules(start, row)),
    // The folder of git can be written, but neither made, removed nor put elsewhere.
    `(deny file-write-create file-write-unlink (regex #"${start}${anyCase(".git")}$"))`,
    `(deny file-write* (regex #"${start}${anyCase(".git")}/((modules|worktrees)/.*/)?(${GIT_READ_ONLY.map(anyCase).join("|")})(/|$)"))`,
  ];
}

function rowRules(start: string, { level, names, except = [] }: ProtectedNames): string[] {
  const below = names.filter((name) => !name.startsWith("/") && name !== ".git");
  const hidden = below.filter((name) => level === "secret" && !READABLE_IN_WORKSPACE.has(name));
  const readOnly = below.filter((name) => !hidden.includes(name));
  return [
    ...(readOnly.length > 0
      ? [`(deny file-write* (regex ${readOnly.map((name) => pattern(start, name)).join(" ")}))`]
      : []),
    ...(hidden.length > 0
      ? [`(deny file-read-data file-write* (regex ${hidden.map((name) => pattern(start, name)).join(" ")}))`]
      : []),
    ...(level === "secret" && except.length > 0
      ? [`(allow file-read-data (regex ${except.map((name) => pattern(start, name)).join(" ")}))`]
      : []),
  ];
}

function pattern(start: string, name: string): string {
  return `#"${start}${anyCase(name)}(/|$)"`;
}

/** The disk of a Mac takes small and capital letters for the same. */
function anyCase(name: string): string {
  const pieces = [...name].map((letter) => {
    if (letter === "*") return "[^/]*";
    const [small, large] = [letter.toLowerCase(), letter.toUpperCase()];
    return small === large ? escaped(letter) : `[${small}${large}]`;
  });
  return pieces.join("");
}

/** A quote cannot be written in an expression; any character stands for it. */
function escaped(text: string): string {
  return text.replace(/[.$^*+?()[\]{}|\\]/g, "\\$&").replaceAll('"', ".");
}

function limited(argv: readonly string[], mostProcesses: number): string[] {
  return ["/bin/sh", "-c", `ulimit -u ${mostProcesses} 2>/dev/null; exec "$@"`, "sh", ...argv];
}
