import { providerRow } from "../llm/providers.ts";
import type { Compat, Cost, Model, RequestTransform } from "../protocol/models.ts";
import { familyOf } from "./families.ts";
import type { ModelEntry, ModelOverride, ModelsFile, ProviderEntry } from "./models-file-schema.ts";

// One list of models from everything that describes them. A later step wins over an earlier one: built-in models, what a
// provider's entry changes, modelOverrides, the entry's own models, discovered models, and the overrides again for those.

export interface MergeInput {
  builtIns: readonly Model[];
  /** Entries of models.yml, and those that extensions registered. */
  providers: NonNullable<ModelsFile["providers"]>;
  discovered: readonly Model[];
}

export function mergeModels({ builtIns, providers, discovered }: MergeInput): Model[] {
  const merged = new Map<string, Model>();
  for (const model of builtIns) merged.set(selectorOf(model), overridden(model, entryOf(providers, model.provider)));
  const known = new Map(builtIns.map((model) => [selectorOf(model), model]));
  const byId = officialById(builtIns);
  for (const [provider, entry] of Object.entries(providers)) {
    for (const model of entry.models ?? []) {
      const selector = `${provider}/${model.id}`;
      const like = known.get(selector) ?? byId.get(model.id);
      merged.set(selector, customModel({ provider, entry, model, like }));
    }
  }
  for (const model of discovered) {
    const selector = selectorOf(model);
    if (!merged.has(selector)) merged.set(selector, overridden(model, entryOf(providers, model.provider)));
  }
  return [...merged.values()];
}

export function selectorOf({ provider, id }: { provider: string; id: string }): string {
  return `${provider}/${id}`;
}

interface CustomModel {
  provider: string;
  entry: ProviderEntry;
  model: ModelEntry;
  /** A built-in model of the same name: it tells what the entry leaves open. */
  like: Model | undefined;
}

/**
 * A model that models.yml describes. What it can do is taken from a built-in model of the same name, else guessed from the
 * name; where it is reached and how it is spoken to comes from the file alone.
 */
export function customModel({ provider, entry, model, like }: CustomModel): Model {
  const { id, output: _output, premiumMultiplier: _multiplier, ...described } = model;
  const base: Model = {
    ...knowledgeOf(id, like, provider),
    provider,
    id,
    name: like?.name ?? id,
    api: entry.api ?? providerRow(provider)?.api ?? "openai-completions",
    baseUrl: entry.baseUrl ?? providerRow(provider)?.baseUrl ?? "",
    auth: entry.auth ?? (entry.api === "scripted" ? "none" : "apiKey"),
  };
  const withEntry = withProviderFields(base, entry);
  return overlaid(withEntry, described);
}

/** The fields that say what a model can do. */
function knowledgeOf(id: string, like: Model | undefined, provider: string) {
  const { contextWindow, maxTokens, tools, thinkingTags } = familyOf(id);
  if (like === undefined) {
    return {
      reasoning: false,
      input: ["text" as const],
      tools,
      contextWindow,
      maxTokens,
      ...(thinkingTags ? { thinkingTags } : {}),
    };
  }
  return {
    reasoning: like.reasoning,
    input: like.input,
    tools: like.tools,
    contextWindow: like.contextWindow,
    maxTokens: like.maxTokens,
    ...defined({ thinking: like.thinking, thinkingTags: like.thinkingTags }),
    ...(like.provider === provider ? defined({ cost: like.cost }) : {}),
  };
}

/** A model that came from elsewhere, with what its provider's entry and modelOverrides change. */
export function overridden(model: Model, entry: ProviderEntry | undefined): Model {
  if (entry === undefined) return model;
  const ownApi = entry.models === undefined || entry.models.length === 0 ? defined({ api: entry.api }) : {};
  const addressed = { ...model, ...ownApi, ...defined({ baseUrl: entry.baseUrl, auth: entry.auth }) };
  const changed = withProviderFields(addressed, entry);
  const override = Object.hasOwn(entry.modelOverrides ?? {}, model.id) ? entry.modelOverrides?.[model.id] : undefined;
  return override === undefined ? changed : overlaid(changed, override);
}

function withProviderFields(model: Model, entry: ProviderEntry): Model {
  const { authHeader, disableStrictTools, cacheRetention, headers, compat, requestTransform } = entry;
  return overlaid(
    { ...model, ...defined({ authHeader, disableStrictTools }) },
    { cacheRetention, headers, compat, requestTransform },
  );
}

type Overlay = ModelOverride | Omit<ModelEntry, "id">;

/** Single values replace; headers, compat, thinking, prices and transforms are laid over what is there. */
function overlaid(model: Model, overlay: Overlay): Model {
  const { headers, compat, requestTransform, thinking, cost, ...single } = overlay;
  const merged: Model = { ...model, ...defined(single) };
  if (headers !== undefined) merged.headers = mergeHeaders(model.headers, headers);
  if (compat !== undefined) merged.compat = mergeCompat(model.compat, compat);
  if (requestTransform !== undefined)
    merged.requestTransform = mergeTransform(model.requestTransform, requestTransform);
  if (thinking !== undefined) merged.thinking = { ...model.thinking, ...thinking };
  if (cost !== undefined) merged.cost = mergeCost(model.cost, cost);
  return merged;
}

/** Names are compared without case; the later spelling is kept. */
export function mergeHeaders(base: Record<string, string> = {}, over: Record<string, string>): Record<string, string> {
  const replaced = new Set(Object.keys(over).map((name) => name.toLowerCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...over };
}

const NESTED_COMPAT = ["openRouterRouting", "vercelGatewayRouting", "extraBody", "reasoningEffortMap"] as const;

export function mergeCompat(base: Compat | undefined, over: Compat): Compat {
  const merged: Compat = { ...base, ...over };
  for (const key of NESTED_COMPAT) {
    if (base?.[key] !== undefined && over[key] !== undefined)
      Object.assign(merged, { [key]: { ...base[key], ...over[key] } });
  }
  return merged;
}

/** Prices that do not make a whole are left out: an unknown price is not zero. */
function mergeCost(base: Cost | undefined, over: Partial<Cost>): Cost | undefined {
  const { input, output, cacheRead, cacheWrite, tiers } = { ...base, ...over };
  if (input === undefined || output === undefined || cacheRead === undefined || cacheWrite === undefined) return base;
  const prices = { input, output, cacheRead, cacheWrite };
  return tiers === undefined ? prices : { ...prices, tiers };
}

function mergeTransform(base: RequestTransform | undefined, over: RequestTransform): RequestTransform {
  const merged: RequestTransform = { ...base, ...over };
  if (base?.setHeaders !== undefined) merged.setHeaders = { ...base.setHeaders, ...over.setHeaders };
  if (base?.extraBody !== undefined) merged.extraBody = { ...base.extraBody, ...over.extraBody };
  return merged;
}

function entryOf(providers: MergeInput["providers"], provider: string): ProviderEntry | undefined {
  return Object.hasOwn(providers, provider) ? providers[provider] : undefined;
}

/** The first of each name; the makers of models stand before those who resell them. */
function officialById(builtIns: readonly Model[]): Map<string, Model> {
  const found = new Map<string, Model>();
  for (const model of builtIns) if (!found.has(model.id)) found.set(model.id, model);
  return found;
}

function defined<Value extends object>(
  value: Value,
): Partial<{ [Key in keyof Value]: Exclude<Value[Key], undefined> }> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}
