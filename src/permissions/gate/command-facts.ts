import type { CommandFacts } from "../../protocol/command-facts.ts";
import { analyseCommand } from "../shell/analyse-command.ts";
import type { CommandAnalysis, ConcernType, Segment } from "../shell/command-analysis.ts";
import { hardDeny } from "../shell/hard-denies.ts";
import { pathReason } from "../shell/judge-command.ts";
import { baseName } from "../shell/rules.ts";
import { tierOf } from "../shell/tiers.ts";
import { needsInWords } from "./command-needs.ts";
import { commandPaths } from "./command-paths.ts";
import type { GateWorld } from "./policy.ts";

export function commandFacts(command: string, cwd: string, world: GateWorld): CommandFacts {
  const analysis = analyseCommand(command, { cwd, home: world.home });
  const { segments, concerns } = analysis;
  const verdictOf = commandPaths(world.classify, world.workspace);
  const classifyPath: Parameters<typeof pathReason>[1] = (path, kind) =>
    path === world.workspace && kind !== "write" ? "inside" : verdictOf(path, kind).class;
  const isReadable = isWhollyRead(analysis);
  const reads = segments.every((segment) => tierOf(segment, { classifyPath }).tier === "allowed");
  const some = (test: (words: readonly string[]) => boolean) =>
    segments.some(({ layers, candidates }) => [...layers, ...candidates].some(test));
  return {
    isReadOnly: isReadable && segments.length > 0 && concerns.length === 0 && reads,
    isReadable,
    deletes: some(isDeleting),
    destroys: hardDeny(analysis, world.home) !== undefined || some(isDestroying),
    forcePushes: some(isForcePush),
    usesNetwork: segments.some(({ network }) => network),
    leavesWorkspace: segments.some((segment) => isAnywhere(segment) || pathReason(segment, classifyPath) !== undefined),
    leavesSandbox: segments.some((segment) => needsInWords({ ...analysis, segments: [segment] }, world).unsandboxed),
  };
}

const UNREADABLE: ReadonlySet<ConcernType> = new Set([
  "parse-error",
  "unsupported-syntax",
  "process-substitution",
  "definition",
  "control-character",
  "invisible-character",
  "look-alike",
  "dynamic-command",
  "fork-bomb",
  "too-long",
  "too-many-segments",
  "too-deep",
]);

function isWhollyRead({ complete, concerns, segments }: CommandAnalysis): boolean {
  const all = [...concerns, ...segments.flatMap((segment) => segment.concerns)];
  if (!complete || all.some(({ type }) => UNREADABLE.has(type))) return false;
  if (segments.some(isMadeUp)) return false;
  // Code that was looked into stands there as commands of its own.
  return !segments.some(runsCode) || segments.some(({ nested }) => nested);
}

/** A line that is put together when it runs. */
function isMadeUp({ words, concerns }: Segment): boolean {
  return /^(eval|source|\.|trap)$/.test(words[0] ?? "") && concerns.some(({ type }) => type === "expansion");
}

function runsCode({ concerns, nested }: Segment): boolean {
  return !nested && concerns.some(({ type }) => type === "runs-code");
}

const ANYWHERE: ReadonlySet<ConcernType> = new Set(["expansion", "tilde", "parent-path", "working-directory"]);

/** Some of its words may name any place once it runs. */
function isAnywhere({ concerns }: Segment): boolean {
  return concerns.some(({ type }) => ANYWHERE.has(type));
}

const DELETES = /^(rm|rmdir|unlink|shred)$/;

function isDeleting(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  const name = baseName(program);
  if (DELETES.test(name)) return true;
  if (name === "find") return rest.includes("-delete");
  return name === "git" && /^(rm|clean)$/.test(subcommand(rest));
}

const DESTROYS =
  /^(dd|truncate|shred|mkfs.*|systemctl|service|launchctl|crontab|iptables|nft|sysctl|mount|umount|useradd|userdel|usermod|groupadd|passwd|apt|apt-get|dpkg|dnf|yum|rpm|pacman|apk|brew|snap|kill|pkill|killall)$/;

function isDestroying(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  const name = baseName(program);
  if (name === "git") return isDestroyingGit(subcommand(rest), rest);
  if (/^(rm|chmod|chown|chgrp)$/.test(name)) return rest.some((word) => /^-[A-Za-z]*[rR]|^--r/.test(word));
  return DESTROYS.test(name);
}

function isDestroyingGit(command: string, words: readonly string[]): boolean {
  const has = (option: RegExp) => words.some((word) => option.test(word));
  switch (command) {
    case "reset":
      return has(/^--(hard|merge|keep)$/);
    case "checkout":
    case "switch":
      return has(/^-[A-Za-z]*f|^--(force|discard-changes)$|^--$|^\.$/);
    case "stash":
      return has(/^(drop|clear)$/);
    case "branch":
    case "tag":
      return has(/^-[A-Za-z]*[dD]|^--delete$/);
    case "push":
      return isForcePush(["git", ...words]);
    default:
      return /^(clean|restore|filter-branch|filter-repo|reflog|gc|prune|update-ref)$/.test(command);
  }
}

function isForcePush(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  if (baseName(program) !== "git" || subcommand(rest) !== "push") return false;
  return rest.some((word) => /^(-[A-Za-z]*[fd]|--(force|force-with-lease|mirror|delete|prune)\b|[+:])/.test(word));
}

const TAKES_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"]);

/** The word behind git's own options. */
function subcommand(words: readonly string[]): string {
  const place = words.findIndex((word, index) => !word.startsWith("-") && !TAKES_VALUE.has(words[index - 1] ?? ""));
  return words[place] ?? "";
}
