import { providerRow } from "../llm/providers.ts";
import type { Effort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";
import { credentialPresence } from "./credentials.ts";
import { DEFAULT_MODELS } from "./default-models.ts";
import { initialModel } from "./initial-model.ts";
import { selectorOf } from "./merge.ts";
import type { ModelProblem } from "./model-problems.ts";
import {
  discoveredRegistry,
  discoveryOf,
  knownRegistry,
  type ModelSources,
  providerRegistry,
  writtenRegistry,
} from "./model-sources.ts";
import type { Registry } from "./registry.ts";
import { scriptedModel } from "./scripted-model.ts";
import { type FoundModel, findModel, resolvePatterns } from "./selectors.ts";

// Finds the model of a start in the smallest registry that knows it.

/** What is asked for: a selector, or nothing; then `saved` is what was asked for earlier. */
export interface Wish {
  selector?: string;
  saved?: string;
  /** From a role that points at another one with an effort of its own. */
  effort?: Effort;
  /** The patterns of `--models`. */
  models?: string[];
  resuming: boolean;
}

export interface Choice {
  model: Model;
  /** What a person should know about how it was found. */
  note?: string;
  effort?: Effort;
}

export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: ModelProblem };

/** `notes` gets lines about choices that could not be kept. */
export async function chooseModel(wish: Wish, sources: ModelSources, notes: string[]): Promise<Result<Choice>> {
  if (wish.selector !== undefined) return withEffort(await chooseNamed(wish.selector, sources), wish.effort);
  const scoped = (wish.models?.length ?? 0) > 0 || sources.scope.enabledModels.length > 0;
  if (wish.saved !== undefined && (!scoped || wish.resuming)) {
    const saved = await chooseNamed(wish.saved, sources);
    if (saved.ok && credentialPresence(saved.value.model, sources.credentials).ok)
      return withEffort(saved, wish.effort);
  }
  const mayBeQuick = !scoped && wish.saved === undefined && sources.file === undefined;
  const quick = mayBeQuick ? providerDefault(sources) : undefined;
  if (quick === undefined) return chooseInitial(wish, sources, notes);
  return withEffort({ ok: true, value: { model: quick } }, wish.effort);
}

function withEffort(found: Result<Choice>, effort: Effort | undefined): Result<Choice> {
  return found.ok && effort !== undefined ? { ok: true, value: { ...found.value, effort } } : found;
}

/** Servers are asked only for names nobody else knows. */
async function chooseNamed(selector: string, sources: ModelSources): Promise<Result<Choice>> {
  const scripted = scriptedModel(selector);
  if (scripted !== undefined) return { ok: true, value: scripted };
  const provider = selector.includes("/") ? selector.slice(0, selector.indexOf("/")) : undefined;
  const quick = provider === undefined ? undefined : exactBuiltIn(selector, provider, sources);
  if (quick !== undefined) return quick;
  const known = await knownRegistry(sources);
  const found = findModel(known, selector);
  if (!(await isWorthAsking(found, provider, sources))) return allowed(found, known, selector);
  const all = await discoveredRegistry(sources, provider);
  return allowed(findModel(all, selector), all, selector);
}

/**
 * A whole `provider/id` means the same whatever other providers offer, so their rows need not be loaded. A model that models.yml
 * describes may borrow from any of them.
 */
function exactBuiltIn(selector: string, provider: string, sources: ModelSources): Result<Choice> | undefined {
  if (providerRow(provider) === undefined || sources.file?.providers?.[provider]?.models !== undefined)
    return undefined;
  const registry = providerRegistry(provider, sources);
  const found = findModel(registry, selector);
  return found.ok && found.by === "exact" ? allowed(found, registry, selector) : undefined;
}

/** A server may know the very name where others offered a similar one at best. */
async function isWorthAsking(found: FoundModel, provider: string | undefined, sources: ModelSources): Promise<boolean> {
  const settled = found.ok ? found.by !== "fuzzy" || provider === undefined : found.problem.type !== "unknown-model";
  if (settled) return false;
  return provider === undefined || (await discoveryOf(provider, sources)) !== undefined;
}

/** A provider that is disabled here stays so for a model that is named; enabledModels only limits what is offered. */
function allowed(found: FoundModel, registry: Registry, asked: string): Result<Choice> {
  if (!found.ok) return found;
  const { model, effort } = found;
  const reason = registry.whyUnavailable(model);
  if (reason?.type === "disabled-provider") {
    return { ok: false, problem: { type: "unavailable-model", message: reason.message, selector: selectorOf(model) } };
  }
  const guess = found.by === "fuzzy" ? { note: `"${asked}" is taken as ${selectorOf(model)}.` } : {};
  return { ok: true, value: { model, ...(effort === undefined ? {} : { effort }), ...guess } };
}

/** The default of the first provider that has a credential, without loading the others. */
function providerDefault(sources: ModelSources): Model | undefined {
  const { scope, credentials } = sources;
  const preferred = scope.modelProviderOrder.filter((provider) => Object.hasOwn(DEFAULT_MODELS, provider));
  for (const provider of new Set([...preferred, ...Object.keys(DEFAULT_MODELS)])) {
    const id = DEFAULT_MODELS[provider];
    if (id === undefined || scope.disabledProviders.includes(provider)) continue;
    if (!credentialPresence({ provider }, credentials).ok) continue;
    const found = providerRegistry(provider, sources).find(provider, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function chooseInitial(wish: Wish, sources: ModelSources, notes: string[]): Promise<Result<Choice>> {
  const patterns = wish.models ?? sources.scope.enabledModels;
  const pick = (registry: Registry) => {
    const { models: scoped, unmatched } = resolvePatterns(registry, patterns);
    return { unmatched, ...initialModel(registry, { scoped, resuming: wish.resuming, saved: wish.saved }) };
  };
  /** All patterns of `--models` are in vain. */
  const inVain = (picked: ReturnType<typeof pick>) =>
    wish.models !== undefined && picked.unmatched.length === patterns.length;
  const known = pick(writtenRegistry(sources));
  const picked = known.ok && !inVain(known) ? known : pick(await discoveredRegistry(sources));
  if (inVain(picked)) return { ok: false, problem: noneFits(patterns) };
  notes.push(...picked.unmatched.map((pattern) => `No model fits "${pattern}".`));
  if (!picked.ok) return picked;
  notes.push(...picked.notes);
  const { model, effort = wish.effort } = picked;
  return { ok: true, value: effort === undefined ? { model } : { model, effort } };
}

/** What was asked for this run is used or refused, never replaced. */
function noneFits(patterns: string[]): ModelProblem {
  const selector = patterns.join(",");
  const message = `No model fits "${selector}". "ralph --list-models" shows all of them.`;
  return { type: "unknown-model", message, selector, nearest: [] };
}
