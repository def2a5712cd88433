import { clampEffort } from "../llm/thinking.ts";
import { byNearness } from "../system/nearest.ts";
import { selectorOf } from "./merge.ts";
import type { ModelProblem } from "./model-problems.ts";
import type { ModelRole, Profile } from "./profiles.ts";
import type { CredentialPresence, Registry } from "./registry.ts";
import { findModel } from "./selectors.ts";

// What switching to a model profile would do, and whether it may be done.

export interface ProfileInput {
  name: string;
  builtIn: Record<string, Profile>;
  /** Profiles of models.yml. They replace built-in ones of the same name. */
  user?: Record<string, Profile>;
  registry: Registry;
  credentialsOf: (provider: string) => CredentialPresence;
}

export interface ProfilePreview {
  ok: true;
  name: string;
  /** Role to `provider/model[:effort]`, with efforts the models take. */
  roles: Partial<Record<ModelRole, string>>;
  /** Lines about efforts that were changed. */
  notes: string[];
  /** Everything that keeps the profile from being activated. */
  blockers: ModelProblem[];
}

export type ProfileActivation = ProfilePreview | { ok: false; problem: ModelProblem };

/** Looks without judging: what is missing stands in `blockers`. */
export function previewProfile(input: ProfileInput): ProfileActivation {
  const profiles = allProfiles(input);
  const profile = Object.hasOwn(profiles, input.name) ? profiles[input.name] : undefined;
  if (profile === undefined) return { ok: false, problem: unknownProfile(input.name, Object.keys(profiles)) };
  const preview: ProfilePreview = { ok: true, name: input.name, roles: {}, notes: [], blockers: [] };
  for (const provider of profile.required_providers) {
    const presence = input.credentialsOf(provider);
    if (!presence.ok) preview.blockers.push(missingCredential(input.name, provider, presence));
  }
  for (const [role, selector] of Object.entries(profile.model_mapping) as [ModelRole, string][]) {
    addRole({ preview, role, selector, registry: input.registry });
  }
  return preview;
}

/** The preview where nothing is missing, else the first thing that is. */
export function activateProfile(input: ProfileInput): ProfileActivation {
  const preview = previewProfile(input);
  const blocker = preview.ok ? preview.blockers[0] : undefined;
  return blocker === undefined ? preview : { ok: false, problem: blocker };
}

export function allProfiles({ builtIn, user }: Pick<ProfileInput, "builtIn" | "user">): Record<string, Profile> {
  return { ...builtIn, ...user };
}

interface RoleStep {
  preview: ProfilePreview;
  role: ModelRole;
  selector: string;
  registry: Registry;
}

function addRole({ preview, role, selector, registry }: RoleStep): void {
  const found = findModel(registry, selector);
  if (!found.ok) {
    preview.roles[role] = selector;
    preview.blockers.push({
      ...found.problem,
      message: `The role ${role} of ${preview.name}: ${found.problem.message}`,
    });
    return;
  }
  const name = selectorOf(found.model);
  if (found.effort === undefined) {
    preview.roles[role] = name;
    return;
  }
  const effort = clampEffort(found.model, found.effort);
  preview.roles[role] = `${name}:${effort}`;
  if (effort !== found.effort)
    preview.notes.push(`${role}: ${name} has no effort "${found.effort}", so "${effort}" is used.`);
}

function unknownProfile(name: string, existing: string[]): ModelProblem {
  const nearest = byNearness(name, existing);
  return {
    type: "unknown-profile",
    message: `No profile is called "${name}". There are: ${nearest.join(", ")}.`,
    nearest,
  };
}

function missingCredential(
  name: string,
  provider: string,
  presence: Extract<CredentialPresence, { ok: false }>,
): ModelProblem {
  const message = `The profile ${name} needs the provider ${provider}. ${presence.message}`;
  return { type: "no-credential", message, provider, variables: presence.variables };
}
