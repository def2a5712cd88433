import type { AskCategory } from "../../protocol/asks.ts";
import type { SettingValues } from "../../protocol/settings.ts";
import { type PermissionRule, type RuleEffect, readPermissionRule } from "./permission-rule.ts";
import { type CategoryAction, DEFAULT_ACTIONS, type GatePolicy } from "./policy.ts";
import type { RememberedRules } from "./remembered-rules.ts";

type PolicyKey = `permissions.${RuleEffect}` | "approval_gates.categories" | "approval_gates.allowlist";

export interface PolicySources {
  settings: Partial<Pick<SettingValues, PolicyKey>>;
  /** Rules of `--allow`. */
  allowed: readonly string[];
  /** Categories of `--allow-category`. */
  allowedCategories: readonly AskCategory[];
  remembered: RememberedRules;
  isSandboxed: boolean;
}

export interface BuiltPolicy {
  policy: GatePolicy;
  problems: string[];
  isWhole: boolean;
}

/**
 * The policy of a run. A rule that cannot be read, or that fails its own examples, is left out and told; where it would have denied
 * or asked, `isWhole` is false, because then what it was meant to stop is not known.
 */
export async function buildPolicy(sources: PolicySources): Promise<BuiltPolicy> {
  const { settings, allowed, allowedCategories, remembered, isSandboxed } = sources;
  const readings = [
    ...(await written(settings["permissions.deny"], "deny")),
    ...(await written(settings["permissions.ask"], "ask")),
    ...(await written(settings["permissions.allow"], "allow")),
    ...remembered.deny.map((text) => read(text, "deny", "your earlier answers")),
    ...remembered.allow.map((text) => read(text, "allow", "your earlier answers")),
    ...allowed.map((text) => read(text, "allow", "--allow")),
    ...(settings["approval_gates.allowlist"] ?? []).map(allowedEntry),
  ];
  const actions: Record<AskCategory, CategoryAction> = { ...DEFAULT_ACTIONS, ...settings["approval_gates.categories"] };
  for (const category of allowedCategories) actions[category] = actions[category] === "deny" ? "deny" : "allow";
  const failed = readings.filter((reading) => !reading.ok);
  return {
    policy: { rules: readings.flatMap((reading) => (reading.ok ? [reading.rule] : [])), actions, isSandboxed },
    problems: failed.map(({ message }) => message),
    isWhole: failed.every(({ effect }) => effect === "allow"),
  };
}

type Reading = { ok: true; rule: PermissionRule } | { ok: false; effect: RuleEffect; message: string };

function read(text: string, effect: RuleEffect, origin: string): Reading {
  const reading = readPermissionRule(text, effect, origin);
  return reading.ok ? reading : { ...reading, effect };
}

async function written(entries: SettingValues["permissions.allow"], effect: RuleEffect): Promise<Reading[]> {
  return Promise.all((entries ?? []).map((entry) => readEntry(entry, effect)));
}

type RuleEntry = NonNullable<SettingValues["permissions.allow"]>[number];

async function readEntry(entry: RuleEntry, effect: RuleEffect): Promise<Reading> {
  const { rule: text, match = [], not_match = [] } = typeof entry === "string" ? { rule: entry } : entry;
  const reading = read(text, effect, `permissions.${effect}`);
  if (!reading.ok || match.length + not_match.length === 0) return reading;
  const { ruleFailure } = await import("./rule-examples.ts");
  const failure = ruleFailure(reading.rule, { match, not_match });
  return failure === undefined ? reading : { ok: false, effect, message: failure };
}

type AllowlistEntry = NonNullable<SettingValues["approval_gates.allowlist"]>[number];

/** A shell entry is a list of words, any other an expression; what is neither allows nothing. */
function allowedEntry({ tool, pattern, command }: AllowlistEntry): Reading {
  const origin = "approval_gates.allowlist";
  const text = JSON.stringify({ tool, pattern: command ?? pattern });
  const words = command ?? (Array.isArray(pattern) ? pattern : undefined);
  if (tool === "shell" && words !== undefined)
    return { ok: true, rule: { effect: "allow", text, origin, body: { type: "command", words, isExact: false } } };
  if (typeof pattern !== "string" || tool === "shell")
    return {
      ok: false,
      effect: "allow",
      message: `${text} in ${origin} needs words for shell, an expression for other tools`,
    };
  try {
    const body = { type: "resource" as const, tool, pattern: new RegExp(`^(?:${pattern})$`, "u") };
    return { ok: true, rule: { effect: "allow", text, origin, body } };
  } catch (error) {
    return {
      ok: false,
      effect: "allow",
      message: `${text} in ${origin}: ${error instanceof Error ? error.message : error}`,
    };
  }
}
