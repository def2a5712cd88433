import type { Effort } from "../protocol/effort.ts";
import { splitEffort } from "./model-matching.ts";
import type { ModelProblem } from "./model-problems.ts";
import type { ModelsFile } from "./models-file-schema.ts";
import type { ModelRole } from "./profiles.ts";

// From a role to the selector of a model. Roles are the parts an agent plays; tiers are how demanding a task is. Both may be
// written where a model may: `planner`, `ralph/planner`, `pi/planner`, each with an optional effort.

export const TIERS = ["simple", "standard", "high"] as const;
export type ModelTier = (typeof TIERS)[number];

/** Typed so that the compiler keeps it complete. */
const ROLES: Record<ModelRole, true> = { default: true, executor: true, architect: true, planner: true, critic: true };
const NAMES: ReadonlySet<string> = new Set([...Object.keys(ROLES), ...TIERS]);
const ALIAS_PREFIXES = ["ralph/", "pi/"];

/** Where roles get their models, strongest first. */
export interface RoleSources {
  /** The mapping of the profile that is active. */
  profile?: Partial<Record<string, string>>;
  /** `modelRoles` of the settings. */
  settings?: Record<string, string>;
  file?: ModelsFile;
}

/** `selector` is undefined where the role is bound to nothing, not even through `default`. */
export type ResolvedRole =
  | { ok: true; selector: string | undefined; effort?: Effort }
  | { ok: false; problem: Extract<ModelProblem, { type: "role-cycle" }> };

/** The role or tier a text means, or undefined where it means a model. */
export function roleOf(text: string): string | undefined {
  const prefix = ALIAS_PREFIXES.find((candidate) => text.startsWith(candidate)) ?? "";
  const name = text.slice(prefix.length);
  return NAMES.has(name) ? name : undefined;
}

/** Follows a role through other roles to a model. The effort written nearest to the start wins. */
export function resolveRole(role: string, sources: RoleSources): ResolvedRole {
  const seen: string[] = [];
  let current = role;
  let effort: Effort | undefined;
  for (;;) {
    if (seen.includes(current)) return { ok: false, problem: cycle([...seen, current]) };
    seen.push(current);
    const binding = bindingOf(current, sources);
    if (binding === undefined) return withEffort(undefined, effort);
    const suffixed = splitEffort(binding);
    const target = roleOf(suffixed?.base ?? binding);
    if (target === undefined) return withEffort(effort === undefined ? binding : (suffixed?.base ?? binding), effort);
    effort ??= suffixed?.effort;
    current = target;
  }
}

/** A selector in which roles and tiers are replaced by what they stand for; other texts come back as they are. */
export function expandRoles(text: string, sources: RoleSources): ResolvedRole {
  const suffixed = splitEffort(text);
  const role = roleOf(suffixed?.base ?? text);
  if (role === undefined) return { ok: true, selector: text };
  const resolved = resolveRole(role, sources);
  return resolved.ok && suffixed !== undefined ? withEffort(bare(resolved), suffixed.effort) : resolved;
}

/** What a role is bound to; a role without a binding does as `default` does. */
function bindingOf(role: string, { profile, settings, file }: RoleSources): string | undefined {
  const { modelRoles, agentModelOverrides } = file?.modelBindings ?? {};
  const own = [profile, settings, agentModelOverrides, modelRoles].map((source) => lookUp(source, role)).find(isBound);
  return own ?? (role === "default" ? undefined : "ralph/default");
}

function lookUp(source: Partial<Record<string, string>> | undefined, role: string): string | undefined {
  return source !== undefined && Object.hasOwn(source, role) ? source[role]?.trim() : undefined;
}

function isBound(binding: string | undefined): boolean {
  return binding !== undefined && binding !== "";
}

/** A model selector whose own effort gives way to the referrer's. */
function bare({ selector }: { selector: string | undefined }): string | undefined {
  return selector === undefined ? undefined : (splitEffort(selector)?.base ?? selector);
}

function withEffort(selector: string | undefined, effort: Effort | undefined): ResolvedRole {
  return effort === undefined ? { ok: true, selector } : { ok: true, selector, effort };
}

function cycle(roles: string[]): Extract<ModelProblem, { type: "role-cycle" }> {
  const message = `The model roles point at each other: ${roles.join(" -> ")}. Give one of them a model in modelRoles.`;
  return { type: "role-cycle", message, roles };
}
