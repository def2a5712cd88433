import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { type ActionsFold, foldActions, NO_ACTIONS, type ToolAction } from "./actions.ts";
import type { AdapterCapabilities } from "./adapter.ts";
import { foldPlan, NO_PLAN, type PlanFold } from "./plan-lines.ts";
import { costOf, type TokenPrices } from "./usage-cost.ts";
import { foldUsage, type UsageFold } from "./usage-fold.ts";

// The three summaries a person reads beside the transcript: PLAN, ACTIONS and REPORT. Each is there only when the events it is made
// of exist and the adapter can tell them; nothing is guessed.

export interface CalloutState {
  capabilities: AdapterCapabilities;
  prices: TokenPrices;
  plan: PlanFold;
  actions: ActionsFold;
  usage: UsageFold | undefined;
}

export interface Report {
  inputTokens: number;
  outputTokens: number;
  model?: string;
  /** Only where a price for the model was given. */
  costUsd?: number;
}

export interface Callouts {
  plan?: readonly string[];
  actions?: { total: number; newest: readonly ToolAction[] };
  report?: Report;
}

export function startCallouts(capabilities: AdapterCapabilities, prices: TokenPrices = new Map()): CalloutState {
  return { capabilities, prices, plan: NO_PLAN, actions: NO_ACTIONS, usage: undefined };
}

export function foldCallouts(state: CalloutState, event: TranscriptEvent): CalloutState {
  const { roles, toolEvents, usageEvents } = state.capabilities;
  switch (event.type) {
    case "text": {
      const plan = roles ? foldPlan(state.plan, event.tag, event.text) : state.plan;
      return plan === state.plan ? state : { ...state, plan };
    }
    case "usage":
      return usageEvents ? { ...state, usage: foldUsage(state.usage, event) } : state;
    case "tool_start":
    case "tool_output":
    case "tool_end":
      return toolEvents ? { ...state, actions: foldActions(state.actions, event) } : state;
    case "meta":
      return state;
  }
}

export function calloutsOf({ plan, actions, usage, prices }: CalloutState): Callouts {
  return {
    ...(plan.lines.length === 0 ? {} : { plan: plan.lines }),
    ...(actions.total === 0 ? {} : { actions: { total: actions.total, newest: actions.newest } }),
    ...(usage === undefined ? {} : { report: reportOf(usage, prices) }),
  };
}

function reportOf(usage: UsageFold, prices: TokenPrices): Report {
  const { inputTokens, outputTokens, model } = usage;
  const costUsd = costOf(usage, prices);
  return {
    inputTokens,
    outputTokens,
    ...(model === undefined ? {} : { model }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** One line each, for a screen without boxes. */
export function calloutLines({ plan, actions, report }: Callouts): string[] {
  return [
    ...(plan ?? []).map((line) => `PLAN    ${line}`),
    ...(actions?.newest ?? []).map((action) => `ACTIONS ${actionLine(action)}`),
    ...(report === undefined ? [] : [`REPORT  ${reportLine(report)}`]),
  ];
}

function actionLine({ name, command, status, durationMs, lines }: ToolAction): string {
  const facts = [
    status,
    ...(durationMs === undefined ? [] : [shownDuration(durationMs)]),
    `${lines} ${lines === 1 ? "line" : "lines"}`,
  ];
  return `${command === "" ? name : `${name}: ${command}`} (${facts.join(", ")})`;
}

function shownDuration(durationMs: number): string {
  return durationMs < 1000 ? `${durationMs} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

function reportLine({ inputTokens, outputTokens, model, costUsd }: Report): string {
  const tokens = `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`;
  return [
    tokens,
    ...(model === undefined ? [] : [model]),
    ...(costUsd === undefined ? [] : [`${costUsd.toFixed(4)} USD`]),
  ].join(", ");
}
