import type { Effort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";
import { DEFAULT_MODELS } from "./default-models.ts";
import type { ModelProblem } from "./model-problems.ts";
import type { Registry } from "./registry.ts";
import { type ListedModel, resolveSelector } from "./selectors.ts";

// The model a session starts with.

export interface InitialModelInput {
  /** What the command line asks for. It is used or refused, never passed over. */
  selector?: string;
  /** The models of `--models`, or of enabledModels. */
  scoped: ListedModel[];
  resuming: boolean;
  /** The selector of the role `default`. */
  saved?: string;
}

export type InitialModel =
  | {
      ok: true;
      model: Model;
      effort?: Effort;
      from: "command-line" | "scope" | "saved" | "provider-default" | "first-available";
      /** Lines about a saved choice that could not be kept. */
      notes: string[];
    }
  | { ok: false; problem: ModelProblem };

export function initialModel(registry: Registry, input: InitialModelInput): InitialModel {
  if (input.selector !== undefined) {
    const found = resolveSelector(registry, input.selector);
    return found.ok ? { ...chosen(found), from: "command-line", notes: [] } : found;
  }
  const isAvailable = (model: Model) => registry.whyUnavailable(model) === undefined;
  const scoped = input.resuming ? undefined : input.scoped.find(({ model }) => isAvailable(model));
  if (scoped !== undefined) return { ...chosen(scoped), from: "scope", notes: [] };
  const notes: string[] = [];
  const saved = input.saved === undefined ? undefined : savedModel(registry, input.saved, notes);
  if (saved !== undefined) return { ...chosen(saved), from: "saved", notes };
  const providerDefault = knownDefault(registry);
  if (providerDefault !== undefined) return { ok: true, model: providerDefault, from: "provider-default", notes };
  const first = registry.getAvailable()[0];
  if (first !== undefined) return { ok: true, model: first, from: "first-available", notes };
  return { ok: false, problem: noModel(notes) };
}

function chosen({ model, effort }: ListedModel): { ok: true; model: Model; effort?: Effort } {
  return effort === undefined ? { ok: true, model } : { ok: true, model, effort };
}

function savedModel(registry: Registry, selector: string, notes: string[]): ListedModel | undefined {
  const found = resolveSelector(registry, selector);
  const reason = found.ok ? registry.whyUnavailable(found.model)?.message : found.problem.message;
  if (found.ok && reason === undefined) return found;
  notes.push(`The saved model ${selector} is not used: ${reason}`);
  return undefined;
}

function knownDefault(registry: Registry): Model | undefined {
  const candidates = Object.entries(DEFAULT_MODELS).flatMap(([provider, id]) => {
    const model = registry.find(provider, id);
    return model !== undefined && registry.whyUnavailable(model) === undefined ? [model] : [];
  });
  return registry.preferred(candidates);
}

function noModel(notes: string[]): ModelProblem {
  const message = [
    ...notes,
    "No model can be used: no key was found. Run ralph login, set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's variable, start Ollama or LM Studio, or give --model together with --api-key.",
  ].join(" ");
  return { type: "no-model", message };
}
