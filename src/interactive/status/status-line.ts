import type { AgentState } from "../../protocol/agent-state.ts";
import { type Line, line, lineWidth, type Span, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { sanitiseLine } from "../../tui/text/sanitise.ts";

export interface StatusFacts {
  agent: AgentState;
  branch: string | undefined;
  /** What is being done, while something is. */
  activity: { words: string; seconds: number; spinner: string } | undefined;
  /** A word of Ralph for a moment: what a key did, what could not be done. */
  hint: string | undefined;
}

/** One row below the input. What matters most stands first and is cut last. */
export function statusLine(facts: StatusFacts, width: number, theme: Theme): Line {
  const { muted, accent, warning } = theme.styles;
  const { agent, branch, activity, hint } = facts;
  const parts: Span[] = [
    ...(hint === undefined ? [] : [span(sanitiseLine(hint), warning)]),
    ...(activity === undefined ? [] : [span(`${activity.spinner} ${activity.words} ${activity.seconds} s`, accent)]),
    span(sanitiseLine(agent.model), muted),
    ...(agent.effort === "off" ? [] : [span(agent.effort, muted)]),
    ...(agent.mode === "default" ? [] : [span(`${agent.mode} mode`, accent)]),
    ...(agent.safe ? [span("safe", accent)] : []),
    ...sandboxWords(agent, theme),
    ...(agent.context.tokens === 0 ? [] : [span(contextWords(agent.context), muted)]),
    ...(agent.totals.turns === 0 ? [] : [span(totalWords(agent), muted)]),
    ...(agent.waiting.length === 0 ? [] : [span(`${agent.waiting.length} waiting`, accent)]),
    ...(branch === undefined ? [] : [span(sanitiseLine(branch), muted)]),
  ];
  return fitted(parts, width, span(SEPARATOR, muted));
}

const SEPARATOR = " · ";

function sandboxWords({ sandbox }: AgentState, { styles }: Theme): Span[] {
  if (sandbox === "off" || sandbox === "missing") return [span(`sandbox ${sandbox}`, styles.warning)];
  return sandbox === "untried" ? [] : [span("sandbox", styles.muted)];
}

function contextWords({ tokens, window }: AgentState["context"]): string {
  const share = window === 0 ? "" : ` (${Math.round((tokens / window) * 100)}%)`;
  return `${thousands(tokens)}${share}`;
}

function totalWords({ totals }: AgentState): string {
  const { usage, cost } = totals;
  const cached = usage.cacheRead === 0 ? "" : ` ${thousands(usage.cacheRead)} cached`;
  const words = `${thousands(usage.input)} in ${thousands(usage.output)} out${cached}`;
  return cost === undefined ? words : `${words} $${cost.toFixed(cost < 1 ? 3 : 2)}`;
}

export function thousands(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Whole parts only: half a number says something wrong. */
function fitted(parts: readonly Span[], width: number, separator: Span): Line {
  let row: Line = [];
  for (const part of parts) {
    const next = row.length === 0 ? line(part) : [...row, separator, part];
    if (lineWidth(next) > width) break;
    row = next;
  }
  return row;
}
