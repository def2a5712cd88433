import type { Model } from "../protocol/models.ts";
import type { Registry } from "./registry.ts";

/**
 * The model to go on with when a conversation no longer fits: the one its row names, else the smallest with a larger window
 * at the same provider and API. Only models that can be used count.
 */
export function promotionTarget(registry: Registry, current: Model): Model | undefined {
  const named = current.contextPromotionTarget;
  const chosen = named === undefined ? undefined : namedTarget(registry, current, named);
  return chosen ?? smallestLarger(registry.getAvailable(), current);
}

/** `provider/model`, or a model of the same provider. */
function namedTarget(registry: Registry, current: Model, target: string): Model | undefined {
  const slash = target.indexOf("/");
  const found =
    registry.find(current.provider, target) ??
    (slash > 0 ? registry.find(target.slice(0, slash), target.slice(slash + 1)) : undefined);
  return found !== undefined && found !== current && registry.whyUnavailable(found) === undefined ? found : undefined;
}

function smallestLarger(available: readonly Model[], current: Model): Model | undefined {
  const larger = available.filter(
    ({ provider, api, contextWindow }) =>
      provider === current.provider && api === current.api && contextWindow > current.contextWindow,
  );
  return larger.toSorted((a, b) => a.contextWindow - b.contextWindow)[0];
}
