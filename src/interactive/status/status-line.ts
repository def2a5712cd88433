import type { AgentState } from "../../protocol/agent-state.ts";
import { type Line, line, lineWidth, type Span, type Style, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { truncateLine } from "../../tui/style/wrap.ts";
import { sanitiseLine } from "../../tui/text/sanitise.ts";

export interface StatusFacts {
  agent: AgentState;
  branch: string | undefined;
  /** What is being done, while something is. */
  activity: { words: string; seconds: number; spinner: string } | undefined;
  /** The key that stops the work, while it can be stopped. */
  stopKey: string | undefined;
  /** A word of Ralph for a moment: what a key did, what could not be done. */
  hint: string | undefined;
  /** The mode of the input, where it has several. */
  editing: string | undefined;
  /** Questions that wait behind a list. */
  questions: number;
}

/** A fact in words, and in fewer where there is no room for them. */
interface Part {
  words: readonly string[];
  style: Style;
}

/** One row below the input. What matters most stands first; what does not fit is left out whole. */
export function statusLine(facts: StatusFacts, width: number, theme: Theme): Line {
  const { muted } = theme.styles;
  const hint = facts.hint === undefined ? "" : sanitiseLine(facts.hint);
  const start = hint === "" ? [] : truncateLine(line(span(hint, theme.styles.warning)), width, theme.glyphs.ellipsis);
  return fitted(start, partsOf(facts, theme), { width, separator: span(` ${theme.glyphs.separator} `, muted) });
}

function partsOf({ agent, branch, activity, stopKey, editing, questions }: StatusFacts, { styles }: Theme): Part[] {
  const { muted, accent, warning } = styles;
  const model = sanitiseLine(agent.model);
  return [
    ...when(questions > 0, {
      words: [`${questions} ${questions === 1 ? "question waits" : "questions wait"}`],
      style: warning,
    }),
    ...when(editing !== undefined, { words: [editing ?? ""], style: accent }),
    ...(activity === undefined ? [] : [activityPart(activity, accent)]),
    { words: [model, model.slice(model.lastIndexOf("/") + 1)], style: muted },
    ...when(agent.effort !== "off", { words: [agent.effort], style: muted }),
    ...when(agent.mode !== "default", { words: [`${sanitiseLine(agent.mode)} mode`], style: accent }),
    ...when(agent.safe, { words: ["safe"], style: accent }),
    ...sandboxPart(agent, styles),
    ...when(stopKey !== undefined, { words: [`${stopKey} stops`], style: muted }),
    ...when(agent.context.tokens > 0, { words: contextWords(agent.context), style: muted }),
    ...when(isCounted(agent), { words: totalWords(agent), style: muted }),
    ...limitPart(agent, muted),
    ...when(agent.command !== undefined, { words: [`! ${sanitiseLine(agent.command ?? "")}`, "!"], style: accent }),
    ...when(agent.jobs > 0, { words: [`${agent.jobs} ${agent.jobs === 1 ? "job" : "jobs"}`], style: accent }),
    ...when(agent.waiting.length > 0, { words: [`${agent.waiting.length} waiting`], style: accent }),
    ...when(branch !== undefined, { words: [sanitiseLine(branch ?? "")], style: muted }),
  ];
}

function when(isTrue: boolean, part: Part): Part[] {
  return isTrue ? [part] : [];
}

function activityPart({ words, seconds, spinner }: NonNullable<StatusFacts["activity"]>, style: Style): Part {
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return { words: [`${spinner} ${sanitiseLine(words)} ${time}`, `${spinner} ${time}`], style };
}

function sandboxPart({ sandbox }: AgentState, { warning, muted }: Theme["styles"]): Part[] {
  if (sandbox === "off") return [{ words: ["sandbox off"], style: warning }];
  if (sandbox === "missing") return [{ words: ["no sandbox"], style: warning }];
  return sandbox === "untried" ? [] : [{ words: ["sandbox"], style: muted }];
}

/** A model that tells no numbers has none to be shown. */
function isCounted({ totals: { usage, cost = 0 } }: AgentState): boolean {
  return usage.input + usage.output + usage.cacheRead > 0 || cost > 0;
}

/** What one prompt may use up. Turns are always bounded, and told when they run out. */
function limitPart({ limits: { cost, tokens, minutes } }: AgentState, style: Style): Part[] {
  const words = [
    ...(cost === undefined ? [] : [`$${cost}`]),
    ...(tokens === undefined ? [] : [`${thousands(tokens)} tokens`]),
    ...(minutes === undefined ? [] : [`${minutes} min`]),
  ].join(", ");
  return words === "" ? [] : [{ words: [`at most ${words} a prompt`, `max ${words}`], style }];
}

function contextWords({ tokens, window }: AgentState["context"]): string[] {
  if (window === 0) return [`context ${thousands(tokens)}`];
  const share = `${Math.round((tokens / window) * 100)}%`;
  return [`context ${thousands(tokens)} (${share})`, `context ${share}`, share];
}

function totalWords({ totals }: AgentState): string[] {
  const { usage, cost } = totals;
  const cached = usage.cacheRead === 0 ? "" : ` ${thousands(usage.cacheRead)} cached`;
  const money = cost === undefined ? "" : `$${cost.toFixed(cost < 1 ? 3 : 2)}`;
  const tokens = `${thousands(usage.input)} in ${thousands(usage.output)} out`;
  return [`${tokens}${cached} ${money}`.trim(), `${tokens} ${money}`.trim(), money || tokens];
}

export function thousands(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Whole parts only: half a number says something wrong. */
function fitted(start: Line, parts: readonly Part[], { width, separator }: { width: number; separator: Span }): Line {
  let row = start;
  for (const { words, style } of parts) {
    const room = width - lineWidth(row) - (row.length === 0 ? 0 : lineWidth([separator]));
    const text = words.find((one) => lineWidth([span(one)]) <= room);
    if (text === undefined || text === "") continue;
    row = row.length === 0 ? line(span(text, style)) : [...row, separator, span(text, style)];
  }
  return row;
}
