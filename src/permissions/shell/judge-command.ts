import type { CommandAnalysis, PathUse, Segment } from "./command-analysis.ts";
import { hardDeny } from "./hard-denies.ts";
import { allowMatch, type CommandRule, denyMatch, describeRule } from "./rules.ts";

// A command against rules: hard denies, deny rules, then every segment for itself. One segment that asks makes all ask.

export type PathClass = "inside" | "external" | "protected";

export interface JudgingWorld {
  home: string;
  /** Absolute path in; resolved by whoever knows the disk, by its text where there is none. */
  classifyPath(path: string, kind: PathUse["kind"]): PathClass;
}

export interface SegmentDecision {
  command: string;
  decision: "allow" | "ask" | "deny";
  reason: string;
  rule?: string;
}

export interface CommandDecision {
  decision: "allow" | "ask" | "deny";
  reason: string;
  rule?: string;
  segments?: SegmentDecision[];
}

export function judgeCommand(
  analysis: CommandAnalysis,
  rules: readonly CommandRule[],
  world: JudgingWorld,
): CommandDecision {
  const refusal = hardDeny(analysis, world.home) ?? protectedReason(analysis, world);
  if (refusal !== undefined) return { decision: "deny", reason: `${refusal}; no rule allows that` };
  const denied = deniedBy(analysis, rules);
  if (denied !== undefined) return denied;
  const segments = analysis.segments
    .filter(({ nested }) => !nested)
    .map((segment) => judgeSegment(segment, rules, world));
  const [concern] = analysis.concerns;
  if (concern !== undefined) return { decision: "ask", reason: concern.detail, segments };
  const nested = analysis.segments.find((segment) => segment.nested);
  const asking = segments.find(({ decision }) => decision !== "allow");
  if (asking !== undefined) return { decision: "ask", reason: `${asking.command}: ${asking.reason}`, segments };
  if (segments.length === 0) return { decision: "ask", reason: "there is no command in it" };
  if (nested !== undefined && !analysis.segments.some(runsNamedCode))
    return { decision: "ask", reason: `${nested.text} runs inside another command`, segments };
  const rule = segments.find((segment) => segment.rule !== undefined)?.rule;
  return { decision: "allow", reason: "every command in it is allowed", ...(rule !== undefined && { rule }), segments };
}

/** Code that a rule spells out word for word was looked into as well. */
function runsNamedCode({ nested, concerns }: Segment): boolean {
  return !nested && concerns.some(({ type, word }) => word !== undefined && /^runs-/.test(type));
}

function protectedReason({ segments }: CommandAnalysis, { classifyPath }: JudgingWorld): string | undefined {
  for (const { paths, words } of segments) {
    const use = paths.find(
      ({ path, kind, pattern }) =>
        path !== undefined && pattern !== true && kind !== "look" && classifyPath(path, kind) === "protected",
    );
    if (use !== undefined) return `${words[0] ?? "a redirection"} would ${use.kind} the protected ${use.text}`;
  }
  return undefined;
}

function deniedBy(analysis: CommandAnalysis, rules: readonly CommandRule[]): CommandDecision | undefined {
  for (const segment of analysis.segments) {
    const rule = denyMatch(segment, rules);
    if (rule !== undefined)
      return { decision: "deny", reason: `${segment.text} matches a deny rule`, rule: describeRule(rule) };
  }
  if (analysis.complete) return undefined;
  if (analysis.concerns.some(({ type }) => type === "too-deep" || type === "too-many-segments"))
    return {
      decision: "deny",
      reason: `${analysis.concerns[0]?.detail ?? "too much"}: it cannot be checked, split it`,
    };
  const named = rules.find(({ action, words }) => action === "deny" && mentions(analysis.text, words[0] ?? ""));
  if (named === undefined) return undefined;
  return { decision: "deny", reason: "it cannot be read and names a denied program", rule: describeRule(named) };
}

/** In text that cannot be parsed, a name counts wherever it stands, quotes and line ends taken out. */
function mentions(text: string, program: string): boolean {
  const bare = text.replaceAll("\\\n", "").replace(/['"\\]/g, "");
  return bare.split(/[^\w.+-]+/).includes(program);
}

export function judgeSegment(
  segment: Segment,
  rules: readonly CommandRule[],
  { classifyPath }: Pick<JudgingWorld, "classifyPath">,
): SegmentDecision {
  const command = segment.text;
  const ask = (reason: string): SegmentDecision => ({ command, decision: "ask", reason });
  const match = allowMatch(segment, rules);
  if (match === undefined && !segment.neutral) return ask("no rule allows it");
  const [concern] = match === undefined ? segment.concerns : match.left;
  if (concern !== undefined) return ask(concern.detail);
  const outside = pathReason(segment, classifyPath);
  if (outside !== undefined) return ask(outside);
  if (match === undefined) return { command, decision: "allow", reason: "changes nothing" };
  return { command, decision: "allow", reason: "a rule allows it", rule: describeRule(match.rule) };
}

/** The first path, or working folder, that is not known to be inside. */
export function pathReason(
  { paths, cwds }: Pick<Segment, "paths" | "cwds">,
  classifyPath: JudgingWorld["classifyPath"],
): string | undefined {
  const unknown = paths.find(({ path }) => path === undefined);
  if (unknown !== undefined) return `${unknown.text} cannot be checked before it runs`;
  const away = paths.find(({ path, kind }) => {
    if (path === undefined) return false;
    const place = classifyPath(path, kind);
    return place !== "inside" && !(place === "protected" && kind === "look");
  });
  if (away !== undefined) return `${away.text} is outside the workspace`;
  if (cwds === undefined) return "the folder it would run in is not known";
  const folder = cwds.find((cwd) => classifyPath(cwd, "enter") !== "inside");
  return folder === undefined ? undefined : `it would run in ${folder}, outside the workspace`;
}
