import type { Model } from "../protocol/models.ts";
import { builtInModels, builtInProviderModels } from "./catalogue.ts";
import { type CredentialSources, credentialPresence, findCredential } from "./credentials.ts";
import type { DiscoverySource } from "./discovery.ts";
import type { ModelScope } from "./model-settings.ts";
import type { ModelsFile } from "./models-file-schema.ts";
import { createRegistry, type Registry } from "./registry.ts";

// Registries of different size over the same configuration, so that a start pays only for what it needs.

export interface ModelSources {
  file?: ModelsFile;
  scope: ModelScope;
  credentials: CredentialSources;
  /** Models that servers listed earlier. */
  cached?: () => Promise<readonly Model[]>;
}

/** The built-in models of one provider and nothing else. */
export function providerRegistry(provider: string, sources: ModelSources): Registry {
  return registryOf(sources, builtInProviderModels(provider), []);
}

/** Everything that is known without asking a server. */
export async function knownRegistry(sources: ModelSources): Promise<Registry> {
  return registryOf(sources, builtInModels(), (await sources.cached?.()) ?? []);
}

/** Everything, after asking the servers that may list models; `provider` asks only that one. */
export async function discoveredRegistry(sources: ModelSources, provider?: string): Promise<Registry> {
  const { discoverModels } = await import("./discovery.ts");
  const servers = (await serversOf(sources)).filter((server) => provider === undefined || server.provider === provider);
  const found = await discoverModels(servers, (server) => keyOf(server, sources.credentials));
  const answered = new Set(found.filter(({ problem }) => problem === undefined).map((answer) => answer.provider));
  const cached = ((await sources.cached?.()) ?? []).filter((model) => !answered.has(model.provider));
  return registryOf(sources, builtInModels(), [...found.flatMap(({ models }) => models), ...cached]);
}

/** Whether a provider lists its models itself. */
export async function discoveryOf(provider: string, sources: ModelSources): Promise<DiscoverySource | undefined> {
  return (await serversOf(sources)).find((server) => server.provider === provider);
}

async function serversOf({ file, scope, credentials }: ModelSources): Promise<DiscoverySource[]> {
  const { discoverySources } = await import("./discovery.ts");
  const { environment } = credentials;
  return discoverySources({ providers: file?.providers, environment, disabledProviders: scope.disabledProviders });
}

async function keyOf(
  { provider, api, auth, baseUrl }: DiscoverySource,
  sources: CredentialSources,
): Promise<string | undefined> {
  const found = await findCredential({ provider, api, auth, baseUrl }, sources);
  if (!found.ok) return undefined;
  if (found.credential.type === "key") return found.credential.key;
  return found.credential.type === "bearer" ? found.credential.token : undefined;
}

function registryOf(
  { file, scope, credentials }: ModelSources,
  builtIns: Model[],
  discovered: readonly Model[],
): Registry {
  return createRegistry({
    builtIns,
    discovered,
    scope,
    credentialsAvailable: (model) => credentialPresence(model, credentials),
    ...(file === undefined ? {} : { file }),
  });
}
