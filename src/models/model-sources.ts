import type { Model } from "../protocol/models.ts";
import type { Memo } from "../system/memo.ts";
import type { RunCommand } from "./aws-credentials.ts";
import { builtInModels, builtInProviderModels } from "./catalogue.ts";
import { type CredentialSources, credentialPresence, findCredential, type StoredCredentials } from "./credentials.ts";
import type { DiscoverySource } from "./discovery.ts";
import type { ModelScope, ModelSettings } from "./model-settings.ts";
import { loadModelsFile } from "./models-file.ts";
import type { ModelsFile } from "./models-file-schema.ts";
import { formatProblem, type ModelsFileState } from "./models-file-state.ts";
import type { Environment } from "./provider-address.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { modelScope } from "./scoping.ts";

// Everything that decides about models, read once; and registries of different size over it, so that a start pays only for
// what it needs.

export interface ModelSourcesInput {
  settings: ModelSettings;
  /** Where models.yml is. */
  configDirectory: string;
  /** Used in place of models.yml. */
  file?: ModelsFile;
  environment: Environment;
  home: string;
  cwd: string;
  apiKey?: string;
  stored?: StoredCredentials;
  run?: RunCommand;
  /** Remembers files that were found good. */
  memo?: Memo;
  /** The database of what servers listed; without it nothing is remembered. */
  cache?: ModelCachePlace;
}

export interface ModelCachePlace {
  path: string;
  now: () => number;
}

export interface ModelSources {
  file?: ModelsFile;
  scope: ModelScope;
  credentials: CredentialSources;
  cache?: ModelCachePlace;
}

/** `notes` are lines for the user: what is wrong with models.yml, or what was done with it. */
export async function loadModelSources(input: ModelSourcesInput): Promise<{ sources: ModelSources; notes: string[] }> {
  const { settings, environment, home, cwd, apiKey, stored, run, cache } = input;
  const state = await modelsFileOf(input);
  const notes = state.type === "none" ? [] : [...state.notices];
  if (state.type === "broken") {
    notes.push(...state.problems.map(formatProblem), "Only built-in models are used until this is corrected.");
  }
  const unusable = apiKey === undefined ? stored?.problem?.() : undefined;
  if (unusable !== undefined) notes.push(unusable);
  const file = state.type === "loaded" ? state.file : undefined;
  const credentials: CredentialSources = { environment, home, apiKey, stored, run, providers: file?.providers };
  return { sources: { file, scope: modelScope(settings, { cwd, home }), credentials, cache }, notes };
}

async function modelsFileOf({ file, configDirectory, memo }: ModelSourcesInput): Promise<ModelsFileState> {
  if (file === undefined) return loadModelsFile(configDirectory, memo);
  return { type: "loaded", path: configDirectory, file, notices: [] };
}

/** The built-in models of one provider and nothing else. */
export function providerRegistry(provider: string, sources: ModelSources): Registry {
  return registryOf(sources, builtInProviderModels(provider), []);
}

/** Everything that is known without asking a server, what servers listed earlier included. */
export async function knownRegistry(sources: ModelSources): Promise<Registry> {
  return registryOf(sources, builtInModels(), await cachedModels(sources));
}

/** Everything that is written down. A server that listed models earlier may be gone, so nobody starts with one unasked. */
export function writtenRegistry(sources: ModelSources): Registry {
  return registryOf(sources, builtInModels(), []);
}

/** Everything, after asking the servers that may list models; `provider` asks only that one. */
export async function discoveredRegistry(sources: ModelSources, provider?: string): Promise<Registry> {
  const { discoverModels } = await import("./discovery.ts");
  const servers = (await serversOf(sources)).filter((server) => provider === undefined || server.provider === provider);
  const found = await discoverModels(servers, (server) => keyOf(server, sources.credentials));
  if (sources.cache !== undefined) {
    const { writeModelCache } = await import("./model-cache.ts");
    const { path, now } = sources.cache;
    await writeModelCache(path, { found, staticModels: builtInProviderModels, now: now() });
  }
  const asked = new Set(servers.map((server) => server.provider));
  const remembered = (await cachedModels(sources)).filter((model) => !asked.has(model.provider));
  return registryOf(sources, builtInModels(), [...found.flatMap(({ models }) => models), ...remembered]);
}

/** How a provider lists its models itself, where it does. */
export async function discoveryOf(provider: string, sources: ModelSources): Promise<DiscoverySource | undefined> {
  return (await serversOf(sources)).find((server) => server.provider === provider);
}

/** What was listed by a server that is still configured, at the same address: a prompt never goes to one that is not. */
async function cachedModels(sources: ModelSources): Promise<Model[]> {
  if (sources.cache === undefined) return [];
  const { readModelCache } = await import("./model-cache.ts");
  const cached = await readModelCache(sources.cache.path, builtInProviderModels);
  if (cached.length === 0) return [];
  const addresses = new Map((await serversOf(sources)).map(({ provider, baseUrl }) => [provider, baseUrl]));
  return cached.filter(({ provider, baseUrl }) => addresses.get(provider) === baseUrl);
}

async function serversOf({ file, scope, credentials }: ModelSources): Promise<DiscoverySource[]> {
  const { discoverySources } = await import("./discovery.ts");
  const { environment } = credentials;
  return discoverySources({ providers: file?.providers, environment, disabledProviders: scope.disabledProviders });
}

async function keyOf(server: DiscoverySource, sources: CredentialSources): Promise<string | undefined> {
  const { provider, api, auth, baseUrl } = server;
  const found = await findCredential({ provider, api, auth, baseUrl }, sources);
  if (!found.ok) return undefined;
  if (found.credential.type === "key") return found.credential.key;
  return found.credential.type === "bearer" ? found.credential.token : undefined;
}

function registryOf(sources: ModelSources, builtIns: Model[], discovered: readonly Model[]): Registry {
  const { file, scope, credentials } = sources;
  return createRegistry({
    builtIns,
    discovered,
    scope,
    credentialsAvailable: (model) => credentialPresence(model, credentials),
    ...(file === undefined ? {} : { file }),
  });
}
