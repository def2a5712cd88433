import type { CommandAnalysis, Segment } from "./command-analysis.ts";
import { resolveFrom } from "./lexical-path.ts";
import { loosensOwnGate } from "./own-gate.ts";
import { baseName } from "./rules.ts";

// What no rule, no grant and no flag allows.

/** Why it is refused; undefined when it is not. */
export function hardDeny(analysis: CommandAnalysis, home: string): string | undefined {
  if (analysis.concerns.some(({ type }) => type === "fork-bomb")) return "it starts itself without end";
  for (const segment of analysis.segments) {
    const reason = segmentReason(segment, home);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function segmentReason(segment: Segment, home: string): string | undefined {
  for (const words of [...segment.layers, ...segment.candidates]) {
    const reason = wordsReason(words, segment, home);
    if (reason !== undefined) return reason;
  }
  const device = segment.paths.find(({ kind, path }) => kind === "write" && path !== undefined && isDevice(path));
  return device === undefined ? undefined : `it writes to the device ${device.text}`;
}

const PRIVILEGE = /^(sudo|su|doas|pkexec|run0|runuser|sudoedit|visudo)$/;
const MACHINE =
  /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|cfdisk|parted|shutdown|reboot|halt|poweroff|telinit|insmod|rmmod|modprobe|swapoff|cryptsetup|lvremove|vgremove|pvremove)$/;

function wordsReason(words: readonly string[], segment: Segment, home: string): string | undefined {
  const [first = ""] = words;
  const program = baseName(first);
  if (PRIVILEGE.test(program)) return `${program} takes other rights`;
  if (MACHINE.test(program)) return `${program} acts on the machine itself`;
  const widened = loosensOwnGate(words);
  if (widened !== undefined) return widened;
  if (program === "dd" && words.some((word) => word.startsWith("of=") && isDevice(word.slice(3))))
    return "dd would write to a device";
  if (!/^(rm|chmod|chown|chgrp|shred)$/.test(program) || !isSweeping(words)) return undefined;
  const target = words.slice(1).find((word) => isSwept(word, program, { cwds: segment.cwds ?? [], home }));
  return target === undefined ? undefined : `${program} on all of ${target}`;
}

/** The root of something, or for `rm` the folder it stands in with all that is above. */
function isSwept(word: string, program: string, place: { cwds: readonly string[]; home: string }): boolean {
  if (word.startsWith("-")) return false;
  if (isRoot(word, place.home)) return true;
  return place.cwds.some((cwd) => {
    const path = resolveFrom(cwd, word.replace(/\/\*+$/, "/"));
    if (isRoot(path, place.home) && word.includes("..")) return true;
    return cwd === "/" ? isRoot(path, place.home) : program === "rm" && `${cwd}/`.startsWith(`${path}/`);
  });
}

/** Recursive, also as an abbreviation or in a cluster. */
function isSweeping(words: readonly string[]): boolean {
  return words.some((word) => /^-[A-Za-z]*[rR]/.test(word) || word.startsWith("--r") || word.startsWith("--no-pres"));
}

function isRoot(word: string, home: string): boolean {
  const path = word
    .replace(/\/\*+$/, "/")
    .replace(/\/+(\.?\/+)*/g, "/")
    .replace(/(.)\/$/, "$1");
  if (path === "/" || path === "/." || path === "/*" || path === "~" || path === home || path === "$HOME") return true;
  return /^\/(bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library|Applications)$/.test(
    path,
  );
}

function isDevice(path: string): boolean {
  return /^\/dev\/(?!null$|zero$|stdin$|stdout$|stderr$|fd\/|tty$|tcp\/|udp\/|shm\/)/.test(path);
}
