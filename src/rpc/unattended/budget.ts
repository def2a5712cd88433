import type { Usage } from "../../protocol/messages.ts";
import type { PortModel } from "../agent-port.ts";
import type { Declaration } from "../command-shapes.ts";
import type { TypedError } from "../typed-error.ts";

// What an unattended run may use. A request is never begun when one of the limits is reached; what a single request uses is known
// only when it has ended, so the last one may go beyond them.

export type Limits = Declaration["budget"];
export type BudgetMetric = "tokens" | "tool_calls" | "wall_time" | "cost";

export interface Used {
  tokens: number;
  toolCalls: number;
  wallTimeMs: number;
  /** US dollars. */
  dollars: number;
}

export interface Budget {
  used(): Used;
  remainingMs(): number;
  tighten(limits: Limits): void;
  /** Which limit is reached. With the model that would be asked, also whether what it costs can be counted. */
  refusal(model?: Pick<PortModel, "provider" | "id" | "cost">): TypedError | undefined;
  /** Counts a call; a call beyond the limit is refused and not counted. */
  takeToolCall(): TypedError | undefined;
  spent(usage: Usage, dollars: number | undefined): void;
}

/** `elapsedMs` counts from the declaration. */
export function createBudget(first: Limits, elapsedMs: () => number): Budget {
  let limits = first;
  let tokens = 0;
  let toolCalls = 0;
  let dollars = 0;
  /** A request was made whose price nobody knows: from then on nobody can say what was spent. */
  let isCostKnown = true;
  const used = (): Used => ({ tokens, toolCalls, wallTimeMs: Math.round(elapsedMs()), dollars });
  const refusal: Budget["refusal"] = (model) => {
    if (!isCostKnown) return unknownPrice("a model that was used");
    const exceeded = reachedLimit(used(), limits);
    if (exceeded !== undefined || model === undefined) return exceeded;
    if (model.cost === undefined) return unknownPrice(`${model.provider}/${model.id}`);
    const isFree = Object.values(model.cost).every((price) => price === 0);
    return dollars >= limits.max_cost_usd && !isFree ? exceededBy("cost", limits.max_cost_usd, dollars) : undefined;
  };
  return {
    used,
    remainingMs: () => Math.max(0, limits.max_wall_time_ms - elapsedMs()),
    tighten(next) {
      limits = next;
    },
    refusal,
    takeToolCall() {
      const refused = refusal();
      if (refused !== undefined) return refused;
      if (toolCalls >= limits.max_tool_calls) return exceededBy("tool_calls", limits.max_tool_calls, toolCalls);
      toolCalls++;
      return undefined;
    },
    spent(usage, cost) {
      tokens += usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
      if (cost === undefined) isCostKnown = false;
      else dollars += cost;
    },
  };
}

function reachedLimit(used: Used, limits: Limits): TypedError | undefined {
  if (used.wallTimeMs >= limits.max_wall_time_ms)
    return exceededBy("wall_time", limits.max_wall_time_ms, used.wallTimeMs);
  if (used.tokens >= limits.max_tokens) return exceededBy("tokens", limits.max_tokens, used.tokens);
  // Where nothing may be spent, nothing was spent until something was.
  const isSpent = used.dollars > 0 && used.dollars >= limits.max_cost_usd;
  return isSpent ? exceededBy("cost", limits.max_cost_usd, used.dollars) : undefined;
}

const UNITS: Record<BudgetMetric, string> = {
  tokens: "tokens",
  tool_calls: "tool calls",
  wall_time: "ms",
  cost: "US dollars",
};

function exceededBy(metric: BudgetMetric, limit: number, observed: number): TypedError {
  const message = `The declared budget of ${limit} ${UNITS[metric]} is used up (${observed}).`;
  return { code: "budget_exceeded", message, metric, limit, observed };
}

function unknownPrice(model: string): TypedError {
  return {
    code: "unsupported_budget_metric",
    message: `No price is known for ${model}, so max_cost_usd cannot be kept. Give the model a cost in models.yml, zero where it is free.`,
    metric: "cost",
  };
}
