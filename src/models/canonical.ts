import type { Model } from "../protocol/models.ts";
import { selectorOf } from "./merge.ts";
import type { ModelsFile } from "./models-file-schema.ts";

// One name for the same model at several providers: the name its maker gave it.

export interface CanonicalIndex {
  /** The canonical id of a model; undefined where the user took it out of the grouping. */
  idOf(model: Model): string | undefined;
  /** Every concrete model behind a canonical id, in registry order. */
  variants(canonicalId: string): Model[];
  ids(): string[];
}

/** Those who make models. Their ids are the official ones. */
const MAKERS = new Set([
  "anthropic",
  "openai",
  "openai-codex",
  "google",
  "xai",
  "deepseek",
  "mistral",
  "zai",
  "moonshot",
  "minimax",
  "qwen",
  "xiaomi",
]);

/** What gateways put before an official id, such as `anthropic/claude-opus-5`. */
const UPSTREAM_PREFIXES = new Set([
  ...MAKERS,
  "x-ai",
  "z-ai",
  "mistralai",
  "moonshotai",
  "deepseek-ai",
  "zai-org",
  "minimaxai",
]);

export function canonicalIndex(
  models: readonly Model[],
  builtIns: readonly Model[],
  equivalence: ModelsFile["equivalence"] = {},
): CanonicalIndex {
  const official = new Set(builtIns.filter(({ provider }) => MAKERS.has(provider)).map(({ id }) => id));
  const overrides = new Map(Object.entries(equivalence.overrides ?? {}));
  const excluded = new Set(equivalence.exclude ?? []);
  const idOf = (model: Model) => {
    const selector = selectorOf(model);
    if (excluded.has(selector)) return undefined;
    return overrides.get(selector) ?? officialId(model.id, official) ?? model.id;
  };
  const groups = new Map<string, Model[]>();
  for (const model of models) {
    const id = idOf(model);
    if (id === undefined) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [model]);
    else group.push(model);
  }
  return { idOf, variants: (id) => groups.get(id) ?? [], ids: () => [...groups.keys()] };
}

/** A rewritten id counts only when it is official as it stands, so that families and versions never flow together. */
function officialId(id: string, official: ReadonlySet<string>): string | undefined {
  const bare = withoutPrefix(id);
  return [id, bare, dashed(id), dashed(bare)].find((candidate) => official.has(candidate));
}

function withoutPrefix(id: string): string {
  const slash = id.indexOf("/");
  return slash > 0 && UPSTREAM_PREFIXES.has(id.slice(0, slash).toLowerCase()) ? id.slice(slash + 1) : id;
}

/** `4.6` and `4-6` are two spellings of a version. */
function dashed(id: string): string {
  return id.replace(/(?<=\d)\.(?=\d)/g, "-");
}
