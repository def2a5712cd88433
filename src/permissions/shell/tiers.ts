import type { Segment } from "./command-analysis.ts";
import { type JudgingWorld, pathReason } from "./judge-command.ts";
import { baseName } from "./rules.ts";

// What runs without any rule. Only for the normal gate: where rules alone count, nobody asks here.

/**
 * `allowed` reads and prints, checked option by option, inside the workspace. `build` runs the project's own code: fit to run
 * without a question inside the sandbox, to be asked about outside it. `denied` is not asked about at all unless a rule or grant names it.
 */
export type Tier = "allowed" | "build" | "ask" | "denied";

export interface TierDecision {
  tier: Tier;
  reason: string;
}

export function tierOf(segment: Segment, world: Pick<JudgingWorld, "classifyPath">): TierDecision {
  const [program = ""] = segment.words;
  if (DENIED.test(baseName(program))) return { tier: "denied", reason: `${program} is never run unasked` };
  const git = program === "git" ? deniedGit(segment) : undefined;
  if (git !== undefined) return { tier: "denied", reason: git };
  const [concern] = segment.concerns;
  if (concern !== undefined) return { tier: "ask", reason: concern.detail };
  if (segment.nested) return { tier: "ask", reason: "runs inside another command" };
  if (program.includes("/")) return { tier: "ask", reason: `${program} is started by its path` };
  const outside = pathReason(segment, world.classifyPath);
  if (outside !== undefined) return { tier: "ask", reason: outside };
  if (segment.paths.some(({ kind }) => kind === "write")) return { tier: "ask", reason: `${program} writes` };
  if (segment.neutral) return { tier: "allowed", reason: "changes nothing" };
  if (TELLS_SECRETS.test(program)) return { tier: "ask", reason: `${program} prints the environment` };
  if (segment.effect === "read") return { tier: "allowed", reason: "only reads" };
  if (segment.effect === "build") return { tier: "build", reason: "runs the project's own code" };
  return {
    tier: "ask",
    reason: segment.effect === undefined ? `nothing is known about ${program}` : EFFECT_REASONS[segment.effect],
  };
}

const EFFECT_REASONS = {
  write: "it writes",
  network: "it uses the network",
  code: "it runs code",
  build: "",
  read: "",
};

const TELLS_SECRETS = /^(env|printenv)$/;

const DENIED =
  /^(rm|rmdir|unlink|shred|touch|ln|chmod|chown|chgrp|dd|truncate|mkfs.*|fdisk|parted|mount|umount|shutdown|reboot|halt|poweroff|systemctl|service|launchctl|kill|pkill|killall|sudo|su|doas|passwd|useradd|userdel|usermod|groupadd|crontab|at|iptables|nft|sysctl|insmod|modprobe|pushd|popd|chroot)$/;

/** Sub-commands that publish, fetch, or throw work away. */
const DENIED_GIT =
  /^(push|pull|fetch|clone|clean|submodule|filter-branch|gc|prune|update-ref|send-email|apply|am|cherry-pick|revert|commit|merge|rebase|init|add|rm|mv|switch)$/;

function deniedGit({ words, shorter, effect }: Segment): string | undefined {
  const [, command = "", ...rest] = shorter ?? words;
  if (DENIED_GIT.test(command)) return `git ${command} changes the repository or uses the network`;
  if (command === "reset" && rest.some((word) => /^--(hard|mixed|keep|merge)$/.test(word)))
    return "git reset throws work away";
  if (command === "checkout" && rest.some((word) => /^-[fbB]|^--force$/.test(word)))
    return "git checkout with force or a new branch";
  if (/^(branch|tag|stash|remote)$/.test(command) && effect !== "read")
    return `git ${command} would change the repository`;
  return undefined;
}
