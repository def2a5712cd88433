import type { CommandNeeds, Decision } from "../../protocol/asks.ts";
import type { PathClass } from "../paths/path-request.ts";
import { analyseCommand } from "../shell/analyse-command.ts";
import type { CommandAnalysis, PathUseKind, Segment } from "../shell/command-analysis.ts";
import { judgeCommand, judgeSegment } from "../shell/judge-command.ts";
import { tierOf } from "../shell/tiers.ts";
import { hasNeeds, needs, needsInWords } from "./command-needs.ts";
import { commandPaths } from "./command-paths.ts";
import { ruled } from "./decide.ts";
import { commandRules, matchesPath, matchesSegment, type RulePlaces } from "./match-rule.ts";
import type { PermissionRule } from "./permission-rule.ts";
import type { GatePolicy, GateWorld } from "./policy.ts";

/** A command for the shell, judged as a whole and piece by piece. */
export interface CommandVerdict extends Decision {
  segments: SegmentVerdict[];
  /** What it gets beyond the sandbox where it is allowed; absent where nothing is needed. */
  needs?: CommandNeeds;
}

export interface SegmentVerdict {
  /** As written. */
  command: string;
  /** Decoded, wrappers taken off. */
  words: readonly string[];
  effect: Decision["effect"];
  reason: string;
  rule?: string;
}

export interface WantedCommand {
  command: string;
  /** Absolute. */
  cwd: string;
  /** What the model wishes to have beyond the sandbox. */
  wish?: CommandNeeds | undefined;
}

export function decideCommand(wanted: WantedCommand, policy: GatePolicy, world: GateWorld): CommandVerdict {
  const analysis = analyseCommand(wanted.command, { cwd: wanted.cwd, home: world.home });
  const { wish = {} } = wanted;
  const known = policy.isSandboxed ? knownNeeds(analysis, policy, world) : {};
  const all = policy.isSandboxed ? needs({ ...known, ...wish }) : {};
  // What is not done by the sandbox's own means is judged as if there were none.
  const judged = hasNeeds(all) ? { ...policy, isSandboxed: false } : policy;
  const judge = { analysis, policy: judged, world, classifyPath: pathClasses(policy, world) };
  const refused = refusal(judge) ?? refusedWish(all, policy);
  if (refused !== undefined) return { ...refused, segments: [] };
  const segments = analysis.segments.map((segment) => decideSegment(segment, judge));
  const decision = wholeDecision(judge, segments);
  if (!hasNeeds(all)) return { ...decision, segments };
  const wished = { network: wish.network === true && known.network !== true, unsandboxed: wish.unsandboxed === true };
  return { ...withWish(decision, wished, policy), segments, needs: all };
}

/** What the words say it needs. Who allows all commands alike has not looked at this one: then it does not leave the sandbox. */
function knownNeeds(analysis: CommandAnalysis, { actions, rules }: GatePolicy, world: GateWorld): CommandNeeds {
  const { network, writable = [], unsandboxed } = needsInWords(analysis, world);
  const allowsAll =
    actions.shell === "allow" || rules.some(({ effect, body }) => effect === "allow" && body.type === "every-command");
  return needs({
    network: network === true && actions.network !== "deny",
    writable,
    unsandboxed: unsandboxed === true && !allowsAll && actions.network !== "deny",
  });
}

function refusedWish(
  { network, unsandboxed }: CommandNeeds,
  { actions, isSandboxed }: GatePolicy,
): Decision | undefined {
  if (!isSandboxed || actions.network !== "deny" || !(network || unsandboxed)) return undefined;
  return { effect: "deny", tier: "category", reason: "the network is denied in the settings" };
}

/** A wish is never answered by a rule about the command: that was made for what its words say. */
function withWish(decision: Decision, { network, unsandboxed }: CommandNeeds, { actions }: GatePolicy): Decision {
  if (decision.effect !== "allow") return decision;
  if (unsandboxed) return { effect: "ask", tier: "category", reason: "it wants to run without the sandbox" };
  if (network && actions.network !== "allow")
    return { effect: "ask", tier: "category", reason: "it wants the network" };
  return decision;
}

interface Judging {
  analysis: CommandAnalysis;
  policy: GatePolicy;
  world: GateWorld;
  classifyPath(path: string, kind: PathUseKind): PathClass;
}

/** What no yes lifts: hard denies, protected files, deny rules, a category that is denied. */
function refusal({ analysis, policy, world, classifyPath }: Judging): Decision | undefined {
  const rules = commandRules(policy.rules, analysis.segments);
  const judged = judgeCommand(analysis, rules, { home: world.home, classifyPath });
  if (judged.decision === "deny") {
    const isAbout = (rule: PermissionRule) => analysis.segments.some((segment) => matchesSegment(rule, segment));
    const rule = policy.rules.find((candidate) => candidate.effect === "deny" && isAbout(candidate));
    return rule === undefined ? { effect: "deny", tier: "protected", reason: judged.reason } : ruled(rule);
  }
  const everything = policy.rules.find(({ effect, body }) => effect === "deny" && body.type === "every-command");
  if (everything !== undefined) return ruled(everything);
  if (policy.actions.shell !== "deny") return undefined;
  return { effect: "deny", tier: "category", reason: "commands are denied in the settings" };
}

function decideSegment(segment: Segment, judging: Judging): SegmentVerdict {
  const { policy, classifyPath } = judging;
  const about = { command: segment.text, words: segment.words };
  const asked = policy.rules.find((rule) => rule.effect === "ask" && matchesSegment(rule, segment));
  if (asked !== undefined) return { ...about, effect: "ask", reason: ruled(asked).reason, rule: asked.text };
  const allowing = policy.rules.filter((rule) => rule.effect === "allow" && matchesSegment(rule, segment));
  const judged = judgeSegment(segment, commandRules(allowing, [segment]), { classifyPath });
  if (judged.decision === "allow" && !segment.nested) {
    const [rule] = judged.rule === undefined ? [] : allowing;
    if (rule === undefined) return { ...about, effect: "allow", reason: judged.reason };
    return { ...about, effect: "allow", reason: ruled(rule).reason, rule: rule.text };
  }
  return { ...about, ...byTier(segment, judging, allowing.length > 0 ? judged.reason : undefined) };
}

/** `left` is what a rule that is about the command leaves open. */
function byTier(
  segment: Segment,
  { policy, classifyPath }: Judging,
  left: string | undefined,
): Pick<SegmentVerdict, "effect" | "reason"> {
  const { actions, isSandboxed } = policy;
  if (actions.shell === "allow") return { effect: "allow", reason: "commands are allowed in the settings" };
  const { tier, reason } = tierOf(segment, { classifyPath });
  const runs = actions.shell === "tiered" && (tier === "allowed" || (tier === "build" && isSandboxed));
  return runs ? { effect: "allow", reason } : { effect: "ask", reason: left ?? reason };
}

/** A rule for every command answers everything that can be answered. */
function wholeDecision({ analysis, policy }: Judging, segments: readonly SegmentVerdict[]): Decision {
  const everything = policy.rules.find(({ effect, body }) => effect === "allow" && body.type === "every-command");
  const asking = segments.find(({ effect }) => effect !== "allow");
  const isAsked = segments.some(({ effect, rule }) => effect === "ask" && rule !== undefined);
  if (everything !== undefined && !isAsked) return ruled(everything);
  const [concern] = analysis.concerns;
  if (concern !== undefined && policy.actions.shell !== "allow")
    return { effect: "ask", tier: "category", reason: concern.detail };
  if (asking !== undefined) {
    const { command, reason, rule } = asking;
    const tier = rule === undefined ? "category" : "ask-rule";
    return { effect: "ask", tier, reason: `${command}: ${reason}`, ...(rule === undefined ? {} : { rule }) };
  }
  if (segments.length === 0) return { effect: "ask", tier: "category", reason: "there is no command in it" };
  const rule = segments.find((segment) => segment.rule !== undefined)?.rule;
  const reason = policy.isSandboxed ? "it can do no harm outside the workspace" : "it only reads, inside the workspace";
  if (rule === undefined) return { effect: "allow", tier: "category", reason };
  return { effect: "allow", tier: "grant", rule, reason: "every command in it is allowed" };
}

/** Grants let commands out of the workspace; what may not be read by a tool may not be read by a command either. */
function pathClasses({ rules }: GatePolicy, { classify, workspace, home }: GateWorld): Judging["classifyPath"] {
  const places: RulePlaces = { root: workspace, home, isOnDisk: true };
  const verdictOf = commandPaths(classify, workspace);
  return (path, kind) => {
    // The person chose this very folder to work in.
    if (path === workspace && kind !== "write") return "inside";
    const verdict = verdictOf(path, kind);
    const at = verdict.resolved || path;
    const has = (effect: string, scope: string) =>
      rules.some(
        (rule) =>
          rule.effect === effect &&
          rule.body.type === "path" &&
          rule.body.scope === scope &&
          matchesPath(rule, at, places),
      );
    const isDenied = kind !== "look" && has("deny", kind === "write" ? "Write" : "Read");
    if (verdict.class === "protected" || isDenied) return "protected";
    return verdict.class === "external" && has("allow", "Bash") ? "inside" : verdict.class;
  };
}
