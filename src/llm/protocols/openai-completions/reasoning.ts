import type { Effort } from "../../../protocol/effort.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import type { Model } from "../../../protocol/models.ts";
import type { ResolvedCompat } from "../../compat.ts";
import { thinkingBudget } from "../../thinking.ts";

interface Wish {
  effort: Effort;
  /** The endpoint's word for this effort; absent where it has none. */
  word?: string;
  /** Thinking tokens, for a model that is steered by a number. */
  budget?: number;
  compat: ResolvedCompat;
  /** Whether the model is known to think always: telling it not to would be refused. */
  alwaysThinks: boolean;
}

/** How hard to think, in the words of the endpoint. Nothing for a model that does not reason. */
export function reasoningFields(effort: Effort, model: Model, compat: ResolvedCompat): JsonObject {
  if (!model.reasoning) return {};
  const word = compat.reasoningEffortMap[effort] ?? (effort === "off" ? wordForOff(model) : effort);
  const budget = model.thinking?.mode === "budget" ? thinkingBudget(effort, model.maxTokens) : undefined;
  return FORMATS[compat.thinkingFormat]({ effort, word, budget, compat, alwaysThinks: alwaysThinks(model) });
}

const FORMATS: Record<ResolvedCompat["thinkingFormat"], (wish: Wish) => JsonObject> = {
  openai: ({ word, compat }) =>
    word === undefined || !compat.supportsReasoningEffort ? {} : { reasoning_effort: word },
  openrouter({ effort, word, budget, alwaysThinks }) {
    if (effort !== "off")
      return { reasoning: budget === undefined ? { effort: word ?? effort } : { max_tokens: budget } };
    if (word !== undefined) return { reasoning: { effort: word } };
    return alwaysThinks ? {} : { reasoning: { enabled: false } };
  },
  zai({ effort, word, compat }) {
    if (effort === "off") return { thinking: { type: "disabled" } };
    const named = compat.supportsReasoningEffort ? { reasoning_effort: word ?? effort } : {};
    return { thinking: { type: "enabled" }, ...named };
  },
  qwen({ effort, budget }) {
    if (effort === "off") return { enable_thinking: false };
    return { enable_thinking: true, ...(budget === undefined ? {} : { thinking_budget: budget }) };
  },
  "qwen-chat-template": ({ effort }) => ({ chat_template_kwargs: { enable_thinking: effort !== "off" } }),
};

/** `none` is refused by models that cannot stop thinking, so it is only said to those whose levels name `off`. */
function wordForOff({ thinking }: Model): string | undefined {
  return thinking?.minLevel === "off" || thinking?.levels?.includes("off") ? "none" : undefined;
}

function alwaysThinks({ thinking }: Model): boolean {
  return thinking?.minLevel !== undefined || thinking?.levels !== undefined;
}
