import { providerRow } from "../llm/providers.ts";
import { defaultEffort } from "../llm/thinking.ts";
import { EFFORTS, type Effort, isEffort } from "../protocol/effort.ts";
import type { Credential, Model } from "../protocol/models.ts";
import type { RunCommand } from "./aws-credentials.ts";
import {
  type CredentialOrigin,
  type CredentialSources,
  credentialPresence,
  findCredential,
  type StoredCredentials,
} from "./credentials.ts";
import { DEFAULT_MODELS } from "./default-models.ts";
import { initialModel, noModel } from "./initial-model.ts";
import { overridden, selectorOf } from "./merge.ts";
import { placeModel } from "./model-endpoint.ts";
import type { ModelProblem } from "./model-problems.ts";
import type { ModelSettings } from "./model-settings.ts";
import {
  discoveredRegistry,
  discoveryOf,
  knownRegistry,
  type ModelSources,
  providerRegistry,
} from "./model-sources.ts";
import { loadModelsFile } from "./models-file.ts";
import { formatProblem } from "./models-file-state.ts";
import { nearestChoices } from "./nearest.ts";
import type { Environment } from "./provider-address.ts";
import type { Registry } from "./registry.ts";
import { expandRoles, type RoleSources } from "./roles.ts";
import { modelScope } from "./scoping.ts";
import { scriptedModel } from "./scripted-model.ts";
import { checkEffort, type FoundModel, findModel, resolvePatterns } from "./selectors.ts";

// What a start needs: this model, this effort, this key. A start that names a built-in model reads that provider's rows only.

export interface ResolveModelInput {
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
  apiKey?: string;
  settings: ModelSettings;
  /** Where models.yml is. */
  configDirectory: string;
  environment: Environment;
  home: string;
  cwd: string;
  stored?: StoredCredentials;
  run?: RunCommand;
  /** Models that servers listed earlier; read only where they are needed. */
  cached?: () => Promise<readonly Model[]>;
}

export type ResolvedModel =
  | { ok: true; model: Model; effort: Effort; credential: Credential; origin: CredentialOrigin; notes: string[] }
  | { ok: false; problem: ModelProblem; notes: string[] };

export async function resolveModel(input: ResolveModelInput): Promise<ResolvedModel> {
  const notes: string[] = [];
  const sources = await sourcesOf(input, notes);
  const roles = await rolesOf(input, sources, notes);
  const wished = roles.ok ? wishOf(input, roles.value) : roles;
  if (!wished.ok) return { ok: false, problem: wished.problem, notes };
  const chosen = await choose(wished.value, { input, sources, notes });
  if (!chosen.ok) return { ok: false, problem: chosen.problem, notes };
  const effort = effortFor(chosen.value, input.effort);
  if (!effort.ok) return { ok: false, problem: effort.problem, notes };
  const model = await withDetails(chosen.value.model, sources);
  return open({ model, effort: effort.value, sources, notes });
}

type Result<Value> = { ok: true; value: Value } | { ok: false; problem: ModelProblem };

/** What is asked for: a selector, or nothing; then `saved` is what was asked for earlier. */
interface Wish {
  selector?: string;
  saved?: string;
  /** From a role that points at another one with an effort of its own. */
  effort?: Effort;
}

interface Choice {
  model: Model;
  effort?: Effort;
}

interface Context {
  input: ResolveModelInput;
  sources: ModelSources;
  notes: string[];
}

async function sourcesOf(input: ResolveModelInput, notes: string[]): Promise<ModelSources> {
  const { settings, environment, home, cwd, apiKey, stored, run, cached } = input;
  const state = await loadModelsFile(input.configDirectory);
  if (state.type !== "none") notes.push(...state.notices);
  if (state.type === "broken")
    notes.push(...state.problems.map(formatProblem), "Only built-in models are used until this is corrected.");
  const file = state.type === "loaded" ? state.file : undefined;
  const credentials: CredentialSources = { environment, home, apiKey, stored, run, providers: file?.providers };
  return { file, scope: modelScope(settings, { cwd, home }), credentials, cached };
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

function wishOf({ selector, provider }: ResolveModelInput, roles: RoleSources): Result<Wish> {
  const text = selector?.trim();
  const full = text && provider && !text.startsWith(`${provider}/`) ? `${provider}/${text}` : text;
  const expanded = expandRoles(full || "ralph/default", roles);
  if (!expanded.ok) return expanded;
  const { selector: found, effort } = expanded;
  if (found === undefined) return { ok: true, value: {} };
  const value = full ? { selector: found } : { saved: found };
  return { ok: true, value: effort === undefined ? value : { ...value, effort } };
}

async function choose(wish: Wish, context: Context): Promise<Result<Choice>> {
  const { input } = context;
  if (wish.selector !== undefined) return withWish(wish, await chooseNamed(wish.selector, context.sources));
  const scoped = (input.models?.length ?? 0) > 0 || context.sources.scope.enabledModels.length > 0;
  if (wish.saved !== undefined && (!scoped || input.resuming)) {
    const saved = await chooseNamed(wish.saved, context.sources);
    if (saved.ok && credentialPresence(saved.value.model, context.sources.credentials).ok) return withWish(wish, saved);
    if (!saved.ok && saved.problem.type === "unsupported-effort") return saved;
  }
  const quick =
    scoped || wish.saved !== undefined || context.sources.file !== undefined
      ? undefined
      : providerDefault(context.sources);
  return quick === undefined ? chooseInitial(wish, context) : { ok: true, value: { model: quick } };
}

function withWish({ effort }: Wish, found: Result<Choice>): Result<Choice> {
  return found.ok && effort !== undefined ? { ok: true, value: { ...found.value, effort } } : found;
}

/** The smallest registry that knows the name; servers are asked only for names nobody else knows. */
async function chooseNamed(selector: string, sources: ModelSources): Promise<Result<Choice>> {
  const scripted = scriptedModel(selector);
  if (scripted !== undefined) return { ok: true, value: scripted };
  const provider = selector.includes("/") ? selector.slice(0, selector.indexOf("/")) : undefined;
  const quick = provider === undefined ? undefined : exactBuiltIn(selector, provider, sources);
  if (quick !== undefined) return quick;
  const known = await knownRegistry(sources);
  const found = findModel(known, selector);
  if (!(await isWorthAsking(found, provider, sources))) return allowed(found, known);
  const all = await discoveredRegistry(sources, provider);
  return allowed(findModel(all, selector), all);
}

function exactBuiltIn(selector: string, provider: string, sources: ModelSources): Result<Choice> | undefined {
  if (sources.file !== undefined || providerRow(provider) === undefined) return undefined;
  const registry = providerRegistry(provider, sources);
  const found = findModel(registry, selector);
  return found.ok && found.by === "exact" ? allowed(found, registry) : undefined;
}

/** A server may know the very name where others offered a similar one at best. */
async function isWorthAsking(found: FoundModel, provider: string | undefined, sources: ModelSources): Promise<boolean> {
  if (found.ok ? found.by !== "fuzzy" || provider === undefined : found.problem.type !== "unknown-model") return false;
  return provider === undefined || (await discoveryOf(provider, sources)) !== undefined;
}

/** A provider that is disabled here stays so for a model that is named; enabledModels only limits what is offered. */
function allowed(found: FoundModel, registry: Registry): Result<Choice> {
  if (!found.ok) return found;
  const reason = registry.whyUnavailable(found.model);
  if (reason?.type === "disabled-provider") {
    return {
      ok: false,
      problem: { type: "unavailable-model", message: reason.message, selector: selectorOf(found.model) },
    };
  }
  return {
    ok: true,
    value: found.effort === undefined ? { model: found.model } : { model: found.model, effort: found.effort },
  };
}

/** The default of the first provider that has a credential, without loading the others. */
function providerDefault(sources: ModelSources): Model | undefined {
  const { scope, credentials } = sources;
  const preferred = scope.modelProviderOrder.filter((provider) => Object.hasOwn(DEFAULT_MODELS, provider));
  for (const provider of new Set([...preferred, ...Object.keys(DEFAULT_MODELS)])) {
    const id = DEFAULT_MODELS[provider];
    if (id === undefined || scope.disabledProviders.includes(provider)) continue;
    const found = credentialPresence({ provider }, credentials).ok
      ? providerRegistry(provider, sources).find(provider, id)
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

async function chooseInitial(wish: Wish, { input, sources, notes }: Context): Promise<Result<Choice>> {
  const pick = (registry: Registry) => {
    const patterns = input.models ?? sources.scope.enabledModels;
    const { models: scoped, unmatched } = resolvePatterns(registry, patterns);
    return { ...initialModel(registry, { scoped, resuming: input.resuming === true, saved: wish.saved }), unmatched };
  };
  const known = pick(await knownRegistry(sources));
  const picked = known.ok ? known : pick(await discoveredRegistry(sources));
  notes.push(...picked.unmatched.map((pattern) => `No model fits "${pattern}".`));
  if (!picked.ok) return picked.problem.type === "no-model" ? { ok: false, problem: noModel([]) } : picked;
  notes.push(...picked.notes);
  return {
    ok: true,
    value: picked.effort === undefined ? { model: picked.model } : { model: picked.model, effort: picked.effort },
  };
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

/** What Ollama tells only about one model at a time; models.yml has the last word. */
async function withDetails(model: Model, { file }: ModelSources): Promise<Model> {
  const entry = file?.providers?.[model.provider];
  const type = entry === undefined ? providerRow(model.provider)?.discovery : entry.discovery?.type;
  if (type !== "ollama" || entry?.models?.some(({ id }) => id === model.id) === true) return model;
  const { withOllamaDetails } = await import("./discovery.ts");
  return overridden(await withOllamaDetails(model), entry);
}

interface Opening {
  model: Model;
  effort: Effort;
  sources: ModelSources;
  notes: string[];
}

/** Finds the key and the address. */
async function open({ model, effort, sources, notes }: Opening): Promise<ResolvedModel> {
  const { environment } = sources.credentials;
  const found = await findCredential(model, sources.credentials);
  if (!found.ok) {
    const { provider, variables, message } = found;
    return { ok: false, problem: { type: "no-credential", message, provider, variables }, notes };
  }
  if (found.warning !== undefined) notes.push(found.warning);
  const placed = placeModel(model, environment, found.origin.type === "aws" ? found.origin.region : undefined);
  if (!placed.ok)
    return { ok: false, problem: { type: "no-address", message: placed.message, provider: model.provider }, notes };
  return { ok: true, model: placed.model, effort, credential: found.credential, origin: found.origin, notes };
}
