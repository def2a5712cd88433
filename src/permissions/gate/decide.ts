import type { Decision } from "../../protocol/asks.ts";
import type { AskDraft } from "../../protocol/tool-runs.ts";
import type { PathOperation } from "../paths/path-request.ts";
import {
  matchesCategory,
  matchesHost,
  matchesMcp,
  matchesPath,
  matchesResource,
  type RulePlaces,
} from "./match-rule.ts";
import type { PermissionRule, RuleEffect } from "./permission-rule.ts";
import type { GatePolicy, GateWorld } from "./policy.ts";

// The one place where it is decided whether something may be done. The order is fixed: what is protected, deny rules, ask rules,
// allow rules, then the category. `ask` means that a person has to say; who asks them, and what becomes of it without one, is not
// decided here.

/** Commands are decided elsewhere, because reading them takes a parser. */
export function decideResources(ask: AskOfTool, policy: GatePolicy, world: GateWorld): Decision {
  const kind = KINDS[ask.category];
  if (kind === undefined)
    return byRules(policy, (rule) => matchesCategory(rule, ask.category)) ?? byCategory(ask, policy);
  const decisions = ask.resources.map((resource) => decideOne(resource, { ask, kind, policy, world }));
  return strictestDecision(decisions) ?? byCategory(ask, policy);
}

export type AskOfTool = AskDraft & { tool: string };

type ResourceKind = "read" | "write" | "address" | "mcp";

const KINDS: Partial<Record<AskDraft["category"], ResourceKind>> = {
  file_read: "read",
  file_write: "write",
  network: "address",
  mcp: "mcp",
};

interface Question {
  ask: AskOfTool;
  kind: ResourceKind;
  policy: GatePolicy;
  world: GateWorld;
}

function decideOne(resource: string, question: Question): Decision {
  const { kind } = question;
  if (kind === "read" || kind === "write") return decidePath(resource, kind, question);
  const { tool, category } = question.ask;
  const matches = (rule: PermissionRule) =>
    matchesCategory(rule, category) ||
    matchesResource(rule, tool, resource) ||
    (kind === "mcp" ? matchesMcp(rule, resource) : URL.canParse(resource) && matchesHost(rule, new URL(resource)));
  return byRules(question.policy, matches) ?? byCategory(question.ask, question.policy);
}

function decidePath(path: string, op: PathOperation & ("read" | "write"), { ask, policy, world }: Question): Decision {
  const verdict = world.classify({ workspace: world.workspace, op, path });
  if (verdict.class === "protected")
    return { effect: "deny", tier: "protected", reason: `${path} is protected: ${verdict.reason}` };
  const scope = op === "read" ? "Read" : "Write";
  const places: RulePlaces = { root: world.workspace, home: world.home, isOnDisk: true };
  const at = verdict.resolved || path;
  const isAbout = (rule: PermissionRule) =>
    matchesCategory(rule, ask.category) ||
    matchesResource(rule, ask.tool, at) ||
    (rule.body.type === "path" && rule.body.scope === scope && matchesPath(rule, at, places));
  const ruled = byRules(policy, isAbout);
  if (ruled !== undefined) return ruled;
  if (verdict.class === "inside") return byCategory(ask, policy);
  return policy.actions[ask.category] === "deny"
    ? byCategory(ask, policy)
    : { effect: "ask", tier: "category", reason: `${path}: ${verdict.reason}` };
}

const TIERS: Record<RuleEffect, Decision["tier"]> = { deny: "deny-rule", ask: "ask-rule", allow: "grant" };

/** Deny wins over ask, and ask over allow. */
export function byRules(policy: GatePolicy, isAbout: (rule: PermissionRule) => boolean): Decision | undefined {
  for (const effect of ["deny", "ask", "allow"] as const) {
    const rule = policy.rules.find((candidate) => candidate.effect === effect && isAbout(candidate));
    if (rule !== undefined) return ruled(rule);
  }
  return undefined;
}

export function ruled({ effect, text, origin }: PermissionRule): Decision {
  const verb = { allow: "allows", ask: "asks about", deny: "denies" }[effect];
  return { effect, tier: TIERS[effect], rule: text, reason: `${text} of ${origin} ${verb} it` };
}

export function byCategory({ category }: AskDraft, { actions }: GatePolicy): Decision {
  const action = actions[category];
  if (action === "allow") return { effect: "allow", tier: "category", reason: `${category} is allowed` };
  if (action === "deny") return { effect: "deny", tier: "category", reason: `${category} is denied in the settings` };
  return { effect: "ask", tier: "category", reason: `${category} needs a yes` };
}

const ORDER: readonly Decision["effect"][] = ["deny", "ask", "allow"];

/** The first of the strictest. */
export function strictestDecision(decisions: readonly Decision[]): Decision | undefined {
  for (const effect of ORDER) {
    const found = decisions.find((decision) => decision.effect === effect);
    if (found !== undefined) return found;
  }
  return undefined;
}
