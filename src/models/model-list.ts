import type { Model } from "../protocol/models.ts";
import { selectorOf } from "./merge.ts";
import type { Registry } from "./registry.ts";

// What `--list-models` and the model picker show.

export interface CanonicalRow {
  id: string;
  /** The variant that would be used now, as provider/model. */
  resolvesTo: string;
  variants: string[];
  available: boolean;
}

export interface ConcreteRow {
  selector: string;
  model: Model;
  /** Absent for a model that can be used. */
  whyNot?: string;
}

export interface ModelList {
  /** Only names that stand for more than one model: the others are in `concrete` under the same name. */
  canonical: CanonicalRow[];
  concrete: ConcreteRow[];
}

/** `search` keeps the rows whose name contains it. */
export function listModels(registry: Registry, search = ""): ModelList {
  const wanted = search.trim().toLowerCase();
  const fits = (text: string) => text.toLowerCase().includes(wanted);
  const canonical = registry.canonical
    .ids()
    .map((id) => canonicalRow(registry, id))
    .filter((row): row is CanonicalRow => row !== undefined && fits(row.id));
  const concrete = registry.getAll().flatMap((model) => {
    const row = concreteRow(registry, model);
    return fits(row.selector) || fits(model.name) ? [row] : [];
  });
  return { canonical, concrete };
}

function canonicalRow(registry: Registry, id: string): CanonicalRow | undefined {
  const variants = registry.canonical.variants(id);
  const chosen = registry.preferred(variants);
  if (chosen === undefined || variants.length < 2) return undefined;
  const available = registry.whyUnavailable(chosen) === undefined;
  return { id, resolvesTo: selectorOf(chosen), variants: variants.map(selectorOf), available };
}

function concreteRow(registry: Registry, model: Model): ConcreteRow {
  const reason = registry.whyUnavailable(model);
  const row = { selector: selectorOf(model), model };
  return reason === undefined ? row : { ...row, whyNot: reason.message };
}
