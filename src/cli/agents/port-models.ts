import type { Model } from "../../protocol/models.ts";
import type { PortModel } from "../../rpc/agent-port.ts";
import { modelInput } from "../model-choice.ts";
import type { RunContext } from "../run-context.ts";

/** A model as programs are told of it. */
export function portModel(model: Model): PortModel {
  const { provider, id, name, api, contextWindow, maxTokens, reasoning, input, cost } = model;
  return {
    provider,
    id,
    name,
    api,
    contextWindow,
    maxTokens,
    reasoning,
    input,
    ...(cost === undefined ? {} : { cost: pricesOf(cost) }),
  };
}

function pricesOf({ input, output, cacheRead, cacheWrite }: NonNullable<Model["cost"]>) {
  return { input, output, cacheRead, cacheWrite };
}

export interface UsableModels {
  models: readonly Model[];
  /** Settings or flags say which there are. */
  isScoped: boolean;
}

/** What can be asked now, with the one that is; servers that list their own models are asked for them. */
export async function usableModels(context: RunContext, now: Model | undefined): Promise<UsableModels> {
  const { loadRegistry } = await import("../../models/load-registry.ts");
  const input = modelInput(context);
  const { registry } = await loadRegistry(input, { discover: true });
  const named = [...(input.models ?? []), ...(input.settings?.enabledModels ?? [])];
  const models = registry.getAvailable();
  // A script, or a model at an address of its own, is in no list.
  const isListed = now === undefined || models.some((model) => isSame(model, now));
  return { models: isListed ? models : [now, ...models], isScoped: named.length > 0 };
}

/** The one behind this one, in their order; undefined where there is no other. */
export function nextModel(models: readonly Model[], now: Model): Model | undefined {
  const next = models[(models.findIndex((model) => isSame(model, now)) + 1) % models.length];
  return next === undefined || isSame(next, now) ? undefined : next;
}

function isSame(one: Model, other: Model): boolean {
  return one.provider === other.provider && one.id === other.id;
}
