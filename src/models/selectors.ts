import { providerRow, unsupportedProvider } from "../llm/providers.ts";
import { supportedEfforts } from "../llm/thinking.ts";
import { EFFORTS, type Effort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";
import { nearestChoices } from "../system/nearest.ts";
import { selectorOf } from "./merge.ts";
import { bestMatches, matchListed, rankMatches, splitEffort } from "./model-matching.ts";
import type { ModelProblem } from "./model-problems.ts";
import type { Registry } from "./registry.ts";

// From what a person writes to one model: provider/model, a canonical id, a bare id, or a part of a name, each with an
// optional `:effort`. Exact readings always win over guesses.

export type FoundBy = "exact" | "canonical" | "bare" | "fuzzy";
export type FoundModel =
  | { ok: true; model: Model; effort?: Effort; by: FoundBy }
  | { ok: false; problem: ModelProblem };

/** How many choices a message offers. */
const OFFERED = 5;

/** The model and, where the text ends in one, an effort that the model takes. */
export function resolveSelector(registry: Registry, text: string): FoundModel {
  const found = findModel(registry, text);
  if (!found.ok || found.effort === undefined) return found;
  const problem = checkEffort(found.model, found.effort);
  return problem === undefined ? found : { ok: false, problem };
}

/** The same without judging the effort, for those who clamp it. */
export function findModel(registry: Registry, text: string): FoundModel {
  const wish = text.trim();
  const suffixed = splitEffort(wish);
  const exact =
    findExact(registry, wish) ?? withEffort(suffixed && findExact(registry, suffixed.base), suffixed?.effort);
  if (exact !== undefined) return exact;
  const base = suffixed?.base ?? wish;
  const guess = findFuzzy(registry, base);
  if (guess?.ok === true) return withEffort(guess, suffixed?.effort) ?? guess;
  return guess ?? { ok: false, problem: explainUnknown(registry, wish, base) };
}

/** undefined where the model takes the effort. */
export function checkEffort(model: Model, effort: Effort): ModelProblem | undefined {
  const supported = supportedEfforts(model);
  if (supported.includes(effort)) return undefined;
  const selector = selectorOf(model);
  const message = `${selector} does not take the effort "${effort}". It takes: ${supported.join(", ")}.`;
  return { type: "unsupported-effort", message, selector, effort, supported };
}

export interface ListedModel {
  model: Model;
  effort?: Effort;
}

/** The models of a list such as `--models "openai/*,*sonnet*:high"`, each once, and the patterns that match nothing. */
export function resolvePatterns(
  registry: Registry,
  patterns: string[],
): { models: ListedModel[]; unmatched: string[] } {
  const listed = new Map<Model, ListedModel>();
  const unmatched: string[] = [];
  for (const pattern of patterns.map((text) => text.trim()).filter((text) => text !== "")) {
    const { models, effort } = matchListed(pattern, registry.getAll(), registry.canonical);
    if (models.length === 0) unmatched.push(pattern);
    for (const model of models) {
      if (!listed.has(model)) listed.set(model, effort === undefined ? { model } : { model, effort });
    }
  }
  return { models: [...listed.values()], unmatched };
}

type Found = Extract<FoundModel, { ok: true }>;

function findExact(registry: Registry, text: string): Found | undefined {
  const slash = text.indexOf("/");
  const concrete = slash > 0 ? registry.find(text.slice(0, slash), text.slice(slash + 1)) : undefined;
  if (concrete !== undefined) return { ok: true, model: concrete, by: "exact" };
  const canonical = registry.preferred(registry.canonical.variants(text));
  if (canonical !== undefined) return { ok: true, model: canonical, by: "canonical" };
  const bare = registry.preferred(registry.getAll().filter(({ id }) => id === text));
  if (bare !== undefined) return { ok: true, model: bare, by: "bare" };
  return findInAnyCase(registry, text.toLowerCase());
}

function findInAnyCase(registry: Registry, lower: string): Found | undefined {
  const all = registry.getAll();
  const concrete = all.find((model) => selectorOf(model).toLowerCase() === lower);
  if (concrete !== undefined) return { ok: true, model: concrete, by: "exact" };
  const canonicalId = registry.canonical.ids().find((id) => id.toLowerCase() === lower);
  const variants = canonicalId === undefined ? [] : registry.canonical.variants(canonicalId);
  const canonical = registry.preferred(variants);
  if (canonical !== undefined) return { ok: true, model: canonical, by: "canonical" };
  const bare = registry.preferred(all.filter(({ id }) => id.toLowerCase() === lower));
  return bare === undefined ? undefined : { ok: true, model: bare, by: "bare" };
}

function withEffort(found: Found | undefined, effort: Effort | undefined): Found | undefined {
  return found === undefined || effort === undefined ? found : { ...found, effort };
}

/** Only among models that can be used, where any of them fits; a provider named before a slash restricts the search. */
function findFuzzy(registry: Registry, text: string): FoundModel | undefined {
  const slash = text.indexOf("/");
  const provider = slash > 0 ? text.slice(0, slash) : undefined;
  const restricted = provider !== undefined && (registry.hasProvider(provider) || providerRow(provider) !== undefined);
  const wish = restricted ? text.slice(slash + 1) : text;
  const inProvider = (model: Model) => !restricted || model.provider === provider;
  const usable = bestMatches(wish, registry.getAvailable().filter(inProvider));
  const matches = usable.length > 0 ? usable : bestMatches(wish, registry.getAll().filter(inProvider));
  const model = registry.preferred(matches);
  if (model === undefined) return undefined;
  const canonicalIds = new Set(matches.map((match) => registry.canonical.idOf(match) ?? selectorOf(match)));
  return canonicalIds.size === 1 ? { ok: true, model, by: "fuzzy" } : { ok: false, problem: ambiguous(text, matches) };
}

function ambiguous(text: string, matches: Model[]): ModelProblem {
  const nearest = matches.slice(0, OFFERED).map(selectorOf);
  const more = matches.length > OFFERED ? ` and ${matches.length - OFFERED} more` : "";
  const message = `"${text}" fits ${matches.length} models: ${nearest.join(", ")}${more}. Write more of the name.`;
  return { type: "ambiguous-model", message, selector: text, nearest };
}

function explainUnknown(registry: Registry, wish: string, base: string): ModelProblem {
  const provider = wish.includes("/") ? wish.slice(0, wish.indexOf("/")) : wish;
  const reason = registry.hasProvider(provider) ? undefined : unsupportedProvider(provider);
  if (reason !== undefined) return { type: "unsupported-provider", message: reason, provider };
  return unknownEffort(registry, wish) ?? unknownModel(registry, wish, base);
}

/** `provider/model:hgih`: the model is right and its suffix is nearly an effort. */
function unknownEffort(registry: Registry, wish: string): ModelProblem | undefined {
  const colon = wish.lastIndexOf(":");
  const found = colon > 0 ? findExact(registry, wish.slice(0, colon)) : undefined;
  if (found === undefined) return undefined;
  const suffix = wish.slice(colon + 1);
  const supported = supportedEfforts(found.model);
  const nearest = nearestChoices(suffix, EFFORTS, 1);
  const hint = nearest[0] === undefined ? "" : ` Did you mean "${nearest[0]}"?`;
  const message = `"${suffix}" is not an effort.${hint} ${selectorOf(found.model)} takes: ${supported.join(", ")}.`;
  return { type: "unknown-effort", message, selector: wish, nearest };
}

function unknownModel(registry: Registry, wish: string, base: string): ModelProblem {
  const nearest = nearestModels(registry, base);
  const hint = nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`;
  const message = `No model is called "${wish}".${hint} "ralph --list-models" shows all of them.`;
  return { type: "unknown-model", message, selector: wish, nearest };
}

function nearestModels(registry: Registry, text: string): string[] {
  const all = registry.getAll();
  if (text.includes("/")) {
    const near = nearestChoices(text, all.map(selectorOf), OFFERED);
    if (near.length > 0) return near;
  }
  const ownName = text.slice(text.lastIndexOf("/") + 1);
  const ids = nearestChoices(
    ownName,
    all.map(({ id }) => id),
    OFFERED,
  );
  const models = ids.flatMap((id) => registry.preferred(all.filter((model) => model.id === id)) ?? []);
  return models.length > 0
    ? models.map(selectorOf)
    : rankMatches(ownName, all)
        .slice(0, OFFERED)
        .map(({ model }) => selectorOf(model));
}
