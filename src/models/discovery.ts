import { PROVIDERS, providerRow } from "../llm/providers.ts";
import type { Api, Model } from "../protocol/models.ts";
import { askJson, MAX_MODELS } from "./discovery-http.ts";
import { LISTINGS, type Listed, readOllamaDetails } from "./discovery-readers.ts";
import { familyOf } from "./families.ts";
import type { DiscoveryType, ModelsFile } from "./models-file-schema.ts";
import { type Environment, providerAddress } from "./provider-address.ts";

// Models that a server lists itself. Nothing is asked unless somebody wants the answer, and no server can delay it for long.

export interface DiscoverySource {
  provider: string;
  type: DiscoveryType;
  api: Api;
  baseUrl: string;
  auth: Model["auth"];
  headers?: Record<string, string>;
  /** Whether a user asked for it; the servers of a usual local setup are tried without being asked for. */
  explicit: boolean;
}

export interface Discovered {
  provider: string;
  models: Model[];
  /** Why there are none; absent for a server that answered. */
  problem?: string;
}

const IMPLICIT_TIMEOUT_MS = 300;
const EXPLICIT_TIMEOUT_MS = 3000;

export interface DiscoveryInput {
  providers?: ModelsFile["providers"];
  environment: Environment;
  disabledProviders?: readonly string[];
}

/** The servers to ask: those models.yml names, and the usual local ones that it does not mention. */
export function discoverySources({
  providers = {},
  environment,
  disabledProviders = [],
}: DiscoveryInput): DiscoverySource[] {
  const explicit = Object.entries(providers).flatMap(([provider, entry]) => {
    if (entry.discovery === undefined || entry.api === undefined) return [];
    const { api, headers, auth = "apiKey" } = entry;
    const baseUrl = entry.baseUrl ?? usualAddress(provider, environment);
    const source = {
      provider,
      type: entry.discovery.type,
      api,
      auth,
      explicit: true,
      ...(headers === undefined ? {} : { headers }),
    };
    return baseUrl === undefined ? [] : [{ ...source, baseUrl }];
  });
  const implicit = PROVIDERS.flatMap(({ id, api, discovery, baseUrlVariable }): DiscoverySource[] => {
    const baseUrl = usualAddress(id, environment);
    if (discovery === undefined || baseUrl === undefined || Object.hasOwn(providers, id)) return [];
    const chosen = baseUrlVariable !== undefined && environment[baseUrlVariable] !== undefined;
    return [{ provider: id, type: discovery, api, baseUrl, auth: "none", explicit: chosen }];
  });
  return [...explicit, ...implicit].filter(({ provider }) => !disabledProviders.includes(provider));
}

/** Asks all of them at once. `keyOf` gives the key for those that need one. */
export function discoverModels(
  sources: DiscoverySource[],
  keyOf: (source: DiscoverySource) => Promise<string | undefined>,
): Promise<Discovered[]> {
  return Promise.all(
    sources.map(async (source) => discoverProvider(source, source.auth === "none" ? undefined : await keyOf(source))),
  );
}

export async function discoverProvider(source: DiscoverySource, key: string | undefined): Promise<Discovered> {
  const { provider, type, baseUrl } = source;
  const row = LISTINGS[type];
  const signal = AbortSignal.timeout(source.explicit ? EXPLICIT_TIMEOUT_MS : IMPLICIT_TIMEOUT_MS);
  const headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...source.headers };
  const [list, detail] = await Promise.all([
    askJson({ url: row.listUrl(baseUrl), headers, signal }),
    row.detailUrl === undefined ? undefined : askJson({ url: row.detailUrl(baseUrl), headers, signal }),
  ]);
  if (!list.ok) return { provider, models: [], problem: `${provider}: ${list.message}.` };
  const listed = row.read(list.value, detail?.ok === true ? detail.value : undefined);
  return { provider, models: uniqueById(listed).map((found) => discoveredModel(source, found)) };
}

/** Ollama tells a model's window and abilities only when asked for that one, so this is done for the model that is used. */
export async function withOllamaDetails(model: Model): Promise<Model> {
  const url = `${model.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/api/show`;
  const signal = AbortSignal.timeout(EXPLICIT_TIMEOUT_MS);
  const details = readOllamaDetails(await askJson({ url, body: { model: model.wireModelId ?? model.id }, signal }));
  return { ...model, ...details };
}

function discoveredModel({ provider, api, baseUrl, auth, headers }: DiscoverySource, found: Listed): Model {
  const { contextWindow, maxTokens, tools, thinkingTags } = familyOf(found.id);
  const window = found.contextWindow ?? contextWindow;
  return {
    provider,
    name: found.id,
    api,
    baseUrl,
    auth,
    reasoning: false,
    tools,
    input: ["text"],
    contextWindow: window,
    maxTokens: Math.min(maxTokens, Math.max(1, Math.floor(window / 4))),
    ...(thinkingTags ? { thinkingTags } : {}),
    ...(headers === undefined ? {} : { headers }),
    ...found,
  };
}

function uniqueById(listed: Listed[]): Listed[] {
  const byId = new Map(listed.map((found) => [found.id, found]));
  return [...byId.values()].slice(0, MAX_MODELS);
}

function usualAddress(provider: string, environment: Environment): string | undefined {
  const row = providerRow(provider);
  const address = row === undefined ? undefined : providerAddress(row, environment);
  return address?.ok === true ? address.url : undefined;
}
