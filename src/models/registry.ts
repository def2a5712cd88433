import type { Model } from "../protocol/models.ts";
import { type CanonicalIndex, canonicalIndex } from "./canonical.ts";
import { mergeModels, selectorOf } from "./merge.ts";
import { matchListed } from "./model-matching.ts";
import type { ModelScope } from "./model-settings.ts";
import type { ModelsFile, ProviderEntry } from "./models-file-schema.ts";

// Every model Ralph knows, and which of them can be used now. Pure over its input: a change of files, keys or settings makes
// a new registry.

export type CredentialPresence = { ok: true } | { ok: false; variables: string[]; message: string };

export interface RegistryInput {
  builtIns: readonly Model[];
  /** Absent where there is no models.yml, or a broken one. */
  file?: ModelsFile;
  /** Providers that extensions registered, in the words of models.yml, which wins over them. */
  extensionProviders?: Record<string, ProviderEntry>;
  discovered?: readonly Model[];
  scope?: ModelScope;
  credentialsAvailable: (model: Model) => CredentialPresence;
}

/** Why a model that is known cannot be used now. */
export type Unavailable =
  | { type: "disabled-provider"; message: string }
  | { type: "not-enabled"; message: string }
  | { type: "no-credential"; message: string; variables: string[] };

export interface Registry {
  getAll(): readonly Model[];
  /** Without the models of disabled providers, those not enabled, and those without a credential. */
  getAvailable(): readonly Model[];
  find(provider: string, id: string): Model | undefined;
  hasProvider(provider: string): boolean;
  /** undefined for a model that can be used. */
  whyUnavailable(model: Model): Unavailable | undefined;
  /** The first choice of several: available ones, then `modelProviderOrder`, then the order of the registry. */
  preferred(models: readonly Model[]): Model | undefined;
  canonical: CanonicalIndex;
}

export function createRegistry(input: RegistryInput): Registry {
  const { builtIns, file, discovered = [], scope = EVERYTHING } = input;
  const providers = { ...input.extensionProviders, ...file?.providers };
  const all = mergeModels({ builtIns, providers, discovered });
  const bySelector = new Map(all.map((model) => [selectorOf(model), model]));
  const providerIds = new Set(all.map(({ provider }) => provider));
  let index: CanonicalIndex | undefined;
  const canonical = () => {
    index ??= canonicalIndex(all, builtIns, file?.equivalence);
    return index;
  };
  const whyUnavailable = availability({ all, canonical, scope, credentialsAvailable: input.credentialsAvailable });
  let available: readonly Model[] | undefined;
  return {
    getAll: () => all,
    getAvailable: () => {
      available ??= all.filter((model) => whyUnavailable(model) === undefined);
      return available;
    },
    find: (provider, id) => bySelector.get(`${provider}/${id}`),
    hasProvider: (provider) => providerIds.has(provider),
    whyUnavailable,
    preferred: (models) =>
      preferredOf(models, scope.modelProviderOrder, (model) => whyUnavailable(model) === undefined),
    get canonical() {
      return canonical();
    },
  };
}

const EVERYTHING: ModelScope = { enabledModels: [], disabledProviders: [], modelProviderOrder: [] };

interface AvailabilityInput {
  all: readonly Model[];
  canonical: () => CanonicalIndex;
  scope: ModelScope;
  credentialsAvailable: (model: Model) => CredentialPresence;
}

function availability({ all, canonical, scope, credentialsAvailable }: AvailabilityInput) {
  const disabled = new Set(scope.disabledProviders);
  let enabled: Set<Model> | undefined;
  const isEnabled = (model: Model) => {
    if (scope.enabledModels.length === 0) return true;
    enabled ??= new Set(scope.enabledModels.flatMap((pattern) => matchListed(pattern, all, canonical()).models));
    return enabled.has(model);
  };
  return (model: Model): Unavailable | undefined => {
    if (disabled.has(model.provider)) return disabledProvider(model.provider);
    if (!isEnabled(model)) return notEnabled(model);
    const presence = credentialsAvailable(model);
    return presence.ok
      ? undefined
      : { type: "no-credential", message: presence.message, variables: presence.variables };
  };
}

function disabledProvider(provider: string): Unavailable {
  const message = `The provider ${provider} is disabled here. Remove it from disabledProviders in config.yml to use it.`;
  return { type: "disabled-provider", message };
}

function notEnabled(model: Model): Unavailable {
  const message = `${selectorOf(model)} is not among enabledModels. Add it there in config.yml to use it.`;
  return { type: "not-enabled", message };
}

function preferredOf(
  models: readonly Model[],
  order: readonly string[],
  isAvailable: (model: Model) => boolean,
): Model | undefined {
  const usable = models.filter(isAvailable);
  const candidates = usable.length > 0 ? usable : models;
  for (const provider of order) {
    const found = candidates.find((model) => model.provider === provider);
    if (found !== undefined) return found;
  }
  return candidates[0];
}
