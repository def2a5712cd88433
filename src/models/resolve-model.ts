import { providerRow } from "../llm/providers.ts";
import { defaultEffort } from "../llm/thinking.ts";
import { EFFORTS, type Effort, isEffort } from "../protocol/effort.ts";
import type { Credential, Model } from "../protocol/models.ts";
import { nearestChoices } from "../system/nearest.ts";
import { type Choice, chooseModel, type Result, type Wish } from "./choose-model.ts";
import { type CredentialOrigin, credentialPresence, findCredential } from "./credentials.ts";
import { overridden, selectorOf } from "./merge.ts";
import { placeModel } from "./model-endpoint.ts";
import type { ModelProblem } from "./model-problems.ts";
import { knownRegistry, loadModelSources, type ModelSources, type ModelSourcesInput } from "./model-sources.ts";
import { expandRoles, type RoleSources } from "./roles.ts";
import { checkEffort } from "./selectors.ts";

// What a start needs: this model, this effort, this key. A start that names a built-in model reads that provider's rows only.

export interface ResolveModelInput extends ModelSourcesInput {
  /** `--model`: a selector, a role or a tier. */
  selector?: string;
  /** `--effort`, as written. */
  effort?: string;
  /** `--provider`, which older command lines use beside `--model`. */
  provider?: string;
  /** `--models`. */
  models?: string[];
  /** `--mpreset`. */
  profile?: string;
  resuming?: boolean;
}

/** `notes` are lines for the user about what is wrong with models.yml or what could not be kept. */
export type ResolvedModel =
  | { ok: true; model: Model; effort: Effort; credential: Credential; origin: CredentialOrigin; notes: string[] }
  | { ok: false; problem: ModelProblem; notes: string[] };

export async function resolveModel(input: ResolveModelInput): Promise<ResolvedModel> {
  const { sources, notes } = await loadModelSources(input);
  const roles = await rolesOf(input, sources, notes);
  const wish = roles.ok ? wishOf(input, roles.value) : roles;
  const chosen = wish.ok ? await chooseModel(wish.value, sources, notes) : wish;
  if (!chosen.ok) return { ok: false, problem: chosen.problem, notes };
  const model = await withDetails(chosen.value.model, sources);
  if (chosen.value.note !== undefined) notes.push(chosen.value.note);
  const effort = effortFor({ ...chosen.value, model }, input.effort);
  return effort.ok
    ? open({ model, effort: effort.value, sources, notes })
    : { ok: false, problem: effort.problem, notes };
}

/** A profile that was asked for now must work; one from the settings that does not is passed over with a note. */
async function rolesOf(input: ResolveModelInput, sources: ModelSources, notes: string[]): Promise<Result<RoleSources>> {
  const roles: RoleSources = { settings: input.settings.modelRoles, file: sources.file };
  const name = input.profile ?? input.settings.modelProfile;
  if (name === undefined) return { ok: true, value: roles };
  const { activateProfile } = await import("./profile-activation.ts");
  const { builtInProfiles } = await import("./profiles.ts");
  const activated = activateProfile({
    name,
    builtIn: builtInProfiles(),
    user: sources.file?.profiles,
    registry: await knownRegistry(sources),
    credentialsOf: (provider) => credentialPresence({ provider }, sources.credentials),
  });
  if (activated.ok) {
    notes.push(...activated.notes);
    return { ok: true, value: { ...roles, profile: activated.roles } };
  }
  if (input.profile !== undefined) return activated;
  notes.push(`The profile ${name} of the settings is not used: ${activated.problem.message}`);
  return { ok: true, value: roles };
}

/** A profile that was asked for now is a choice of its own; otherwise the role `default` is only what was saved. */
function wishOf(input: ResolveModelInput, roles: RoleSources): Result<Wish> {
  const text = input.selector?.trim() ?? "";
  const { provider } = input;
  const full = text !== "" && provider && !text.startsWith(`${provider}/`) ? `${provider}/${text}` : text;
  const expanded = expandRoles(full === "" ? "ralph/default" : full, roles);
  if (!expanded.ok) return expanded;
  const { selector, effort } = expanded;
  const named = full !== "" || (input.profile !== undefined && roles.profile?.default !== undefined);
  const wish: Wish = { resuming: input.resuming === true };
  if (selector !== undefined) wish[named ? "selector" : "saved"] = selector;
  if (effort !== undefined) wish.effort = effort;
  if (input.models !== undefined) wish.models = input.models;
  return { ok: true, value: wish };
}

/** What Ollama tells only about one model at a time; models.yml has the last word. */
async function withDetails(model: Model, { file }: ModelSources): Promise<Model> {
  const entry = file?.providers?.[model.provider];
  const type = entry === undefined ? providerRow(model.provider)?.discovery : entry.discovery?.type;
  if (type !== "ollama" || entry?.models?.some(({ id }) => id === model.id) === true) return model;
  const { withOllamaDetails } = await import("./discovery.ts");
  return overridden(await withOllamaDetails(model), entry);
}

function effortFor({ model, effort: own }: Choice, asked: string | undefined): Result<Effort> {
  const wish = asked?.trim().toLowerCase();
  if (wish !== undefined && !isEffort(wish)) return { ok: false, problem: unknownEffort(model, wish) };
  const effort = wish ?? own ?? defaultEffort(model);
  const problem = checkEffort(model, effort);
  return problem === undefined ? { ok: true, value: effort } : { ok: false, problem };
}

function unknownEffort(model: Model, wish: string): ModelProblem {
  const message = `"${wish}" is not an effort. There are: ${EFFORTS.join(", ")}.`;
  return { type: "unknown-effort", message, selector: selectorOf(model), nearest: nearestChoices(wish, EFFORTS, 1) };
}

interface Opening {
  model: Model;
  effort: Effort;
  sources: ModelSources;
  notes: string[];
}

/** Finds the key and the address. */
async function open({ model, effort, sources, notes }: Opening): Promise<ResolvedModel> {
  const { provider } = model;
  const found = await findCredential(model, sources.credentials);
  if (!found.ok) {
    const { variables, message } = found;
    return { ok: false, problem: { type: "no-credential", message, provider, variables }, notes };
  }
  if (found.warning !== undefined) notes.push(found.warning);
  const region = found.origin.type === "aws" ? found.origin.region : undefined;
  const placed = placeModel(model, sources.credentials.environment, region);
  if (!placed.ok) return { ok: false, problem: { type: "no-address", message: placed.message, provider }, notes };
  return { ok: true, model: placed.model, effort, credential: found.credential, origin: found.origin, notes };
}
