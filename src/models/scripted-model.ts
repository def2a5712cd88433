import type { Effort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";
import { splitEffort } from "./model-matching.ts";

const PREFIX = "scripted/";

/** `scripted/PATH` plays the script at that path, `scripted/demo` the one that ships with Ralph. */
export function scriptedModel(selector: string): { model: Model; effort?: Effort } | undefined {
  if (!selector.startsWith(PREFIX) || selector.length === PREFIX.length) return undefined;
  const suffixed = splitEffort(selector);
  const id = (suffixed?.base ?? selector).slice(PREFIX.length);
  const model: Model = {
    provider: "scripted",
    id,
    name: `Script ${id}`,
    api: "scripted",
    baseUrl: id === "demo" ? "demo:" : id,
    auth: "none",
    reasoning: true,
    tools: true,
    input: ["text", "image", "pdf"],
    contextWindow: 200_000,
    maxTokens: 32_000,
    thinking: { minLevel: "minimal", maxLevel: "max" },
  };
  return suffixed === undefined ? { model } : { model, effort: suffixed.effort };
}
