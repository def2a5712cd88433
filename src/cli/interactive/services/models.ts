import type { ModelRow } from "../../../interactive/services.ts";
import type { Model } from "../../../protocol/models.ts";
import { modelInput } from "../../model-choice.ts";
import type { RunContext } from "../../run-context.ts";

/** Every model, by provider; providers of which something can be used stand first. */
export async function listModels(context: RunContext): Promise<ModelRow[]> {
  const { loadRegistry } = await import("../../../models/load-registry.ts");
  const { listModels: listed } = await import("../../../models/model-list.ts");
  const { registry } = await loadRegistry(modelInput(context), { discover: true });
  const rows = listed(registry).concrete.map(({ selector, model, whyNot }) => ({
    selector,
    provider: model.provider,
    description: describe(model),
    ...(whyNot !== undefined && { problem: whyNot }),
  }));
  const groups = [...Map.groupBy(rows, ({ provider }) => provider).values()];
  const isUsable = (row: ModelRow) => row.problem === undefined;
  return groups
    .toSorted((one, other) => Number(other.some(isUsable)) - Number(one.some(isUsable)))
    .flatMap((group) => group.toSorted((one, other) => Number(isUsable(other)) - Number(isUsable(one))));
}

function describe({ name, contextWindow, cost, reasoning }: Model): string {
  const window = contextWindow >= 1_000_000 ? `${contextWindow / 1_000_000}M` : `${Math.round(contextWindow / 1000)}k`;
  const price = cost === undefined ? [] : [`$${cost.input} in, $${cost.output} out`];
  return [name, window, ...price, ...(reasoning ? ["thinks"] : [])].join(" · ");
}
