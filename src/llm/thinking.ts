import { EFFORTS, type Effort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";

// Which efforts a model takes, and what an effort is in tokens where the wire wants a number.

const BUDGETS: Record<Effort, number> = {
  off: 0,
  minimal: 1024,
  low: 1024,
  medium: 5120,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};
/** Room that must stay for the answer itself when thinking counts against the same limit. */
const ANSWER_ROOM = 1024;

/** Weakest first. `off` is always there: it means that no thinking is asked for. */
export function supportedEfforts(model: Model): Effort[] {
  if (!model.reasoning) return ["off"];
  const { levels, minLevel = "minimal", maxLevel = "high" } = model.thinking ?? {};
  if (levels !== undefined) return EFFORTS.filter((effort) => effort === "off" || levels.includes(effort));
  const [from, to] = [EFFORTS.indexOf(minLevel), EFFORTS.indexOf(maxLevel)];
  return EFFORTS.filter((effort, index) => effort === "off" || (index >= from && index <= to));
}

/** The nearest supported effort, the weaker one where two are equally near; never `off` for a wish to think. */
export function clampEffort(model: Model, wish: Effort): Effort {
  const supported = supportedEfforts(model);
  if (supported.includes(wish)) return wish;
  const wanted = EFFORTS.indexOf(wish);
  const thinking = supported.filter((effort) => effort !== "off");
  const nearest = [...thinking].sort((a, b) => distance(a, wanted) - distance(b, wanted));
  return nearest[0] ?? "off";
}

export function defaultEffort(model: Model): Effort {
  return clampEffort(model, model.thinking?.defaultLevel ?? (model.reasoning ? "medium" : "off"));
}

/** Thinking tokens for an effort, leaving room for an answer inside `outputLimit`. */
export function thinkingBudget(effort: Effort, outputLimit: number): number {
  if (effort === "off") return 0;
  return Math.max(BUDGETS.minimal, Math.min(BUDGETS[effort], outputLimit - ANSWER_ROOM));
}

function distance(effort: Effort, wanted: number): number {
  return Math.abs(EFFORTS.indexOf(effort) - wanted);
}
