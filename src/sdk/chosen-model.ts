import type { Model } from "../protocol/models.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { RalphError } from "./ralph-error.ts";

/** The selector of a model. One the registry does not know, or knows differently, is refused: it would not be what is asked. */
export async function chosenSelector(model: Model | string, registry: ModelRegistry): Promise<string> {
  if (typeof model === "string") return model;
  if (!registry.isLoaded) await registry.load();
  const selector = `${model.provider}/${model.id}`;
  const known = registry.find(model.provider, model.id);
  if (known !== undefined && Bun.deepEquals(known, model)) return selector;
  const why = known === undefined ? "is not in the model registry" : "is not the one the model registry has";
  throw new RalphError("invalid", `The model ${selector} ${why}. Describe it in the providers of a ModelRegistry.`);
}
