import { type Effort, isEffort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";
import type { CanonicalIndex } from "./canonical.ts";
import { selectorOf } from "./merge.ts";

// Which models a written pattern means: exact, with `*` and `?`, or by a part of the name.

/** Better matches have lower ranks. */
export interface Match {
  model: Model;
  rank: number;
}

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** `*` is any text, slashes included; `?` is one character; letters match in either case. Linear in practice and bounded. */
export function globMatches(pattern: string, text: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), text.toLowerCase()];
  let [at, place, star, resume] = [0, 0, -1, 0];
  while (place < given.length) {
    if (wanted[at] === "*") {
      star = at++;
      resume = place;
    } else if (wanted[at] === "?" || wanted[at] === given[place]) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++resume;
    } else return false;
  }
  while (wanted[at] === "*") at++;
  return at === wanted.length;
}

/**
 * Ids may end in a colon and a word themselves (`llama3:8b`), so only the name of an effort is a suffix, and only of a text
 * that means nothing as it stands.
 */
export function splitEffort(text: string): { base: string; effort: Effort } | undefined {
  const colon = text.lastIndexOf(":");
  const suffix = text.slice(colon + 1).toLowerCase();
  return colon > 0 && isEffort(suffix) ? { base: text.slice(0, colon), effort: suffix } : undefined;
}

/** A list pattern with an optional effort. */
export function matchListed(
  pattern: string,
  models: readonly Model[],
  canonical: CanonicalIndex,
): { models: Model[]; effort?: Effort } {
  const suffixed = splitEffort(pattern);
  if (suffixed === undefined || models.some((model) => selectorOf(model) === pattern || model.id === pattern)) {
    return { models: matchPattern(pattern, models, canonical) };
  }
  return { models: matchPattern(suffixed.base, models, canonical), effort: suffixed.effort };
}

/**
 * The models of a list pattern (`--models`, enabledModels): an exact provider/model stays that one, a canonical id is all of
 * its variants, globs and parts of names match concrete models.
 */
export function matchPattern(pattern: string, models: readonly Model[], canonical: CanonicalIndex): Model[] {
  if (isGlob(pattern)) {
    return models.filter((model) => globMatches(pattern, selectorOf(model)) || globMatches(pattern, model.id));
  }
  const exact = models.filter((model) => selectorOf(model) === pattern);
  if (exact.length > 0) return exact;
  const variants = canonical.variants(pattern);
  if (variants.length > 0) return models.filter((model) => variants.includes(model));
  const bare = models.filter((model) => model.id === pattern);
  return bare.length > 0 ? bare : bestMatches(pattern, models);
}

/** All models of the best rank. */
export function bestMatches(text: string, models: readonly Model[]): Model[] {
  const ranked = rankMatches(text, models);
  return ranked.filter(({ rank }) => rank === ranked[0]?.rank).map(({ model }) => model);
}

/** Every model the text may mean, best first; equally good ones in the order given. */
export function rankMatches(text: string, models: readonly Model[]): Match[] {
  const wanted = squeezed(text);
  if (wanted === "") return [];
  const matches: Match[] = [];
  for (const model of models) {
    const rank = rankOf(wanted, model);
    if (rank !== undefined) matches.push({ model, rank });
  }
  return matches.sort((a, b) => a.rank - b.rank);
}

/** Letters and digits only, so that `sonnet 4.6` finds `sonnet-4-6`. */
function squeezed(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function rankOf(wanted: string, model: Model): number | undefined {
  const ownName = squeezed(model.id.slice(model.id.lastIndexOf("/") + 1));
  const id = squeezed(model.id);
  if (id === wanted || ownName === wanted) return 0;
  if (ownName.startsWith(wanted)) return 1;
  if (id.includes(wanted)) return 2;
  if (squeezed(selectorOf(model)).includes(wanted) || squeezed(model.name).includes(wanted)) return 3;
  return undefined;
}
