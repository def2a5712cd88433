import type { LoopNews } from "../../../loop/loop-news.ts";
import { spending } from "../../../loop/rules/spending.ts";
import type { IterationRecord, LoopEntry, LoopLimits } from "../../../protocol/loop-entries.ts";
import type { Story } from "../../../protocol/loop-tasks.ts";

// What the live view of a run knows: a pure fold of its news.

export interface RichStory {
  id: string;
  title: string;
  standing: "open" | "working" | "proven" | "unverified";
  /** What there is to say about it: its commit, or how often its checks failed. */
  note: string;
  failures: number;
}

export interface RichState {
  task: string;
  stories: readonly RichStory[];
  limits: LoopLimits | undefined;
  records: readonly IterationRecord[];
  iteration: number;
  runner: string;
  /** Wall clock, milliseconds: when the iteration at work began. */
  since: number | undefined;
  activity: string;
  /** Until when nothing happens, and why. */
  waiting: { until: number; reason: string } | undefined;
  isOver: boolean;
}

export function startRichState(task: string, stories: readonly Story[]): RichState {
  return {
    task,
    stories: stories.map(({ id, title }) => ({ id, title, standing: "open", note: "", failures: 0 })),
    limits: undefined,
    records: [],
    iteration: 0,
    runner: "",
    since: undefined,
    activity: "",
    waiting: undefined,
    isOver: false,
  };
}

export function foldRich(state: RichState, news: LoopNews): RichState {
  if (news.type === "entry") return foldEntry(state, news.entry);
  const started = news.events.findLast((event) => event.type === "tool_start");
  const isEnded = news.events.some((event) => event.type === "tool_end");
  if (started?.type === "tool_start") return { ...state, activity: started.tool.name };
  if (isEnded) return { ...state, activity: "thinking" };
  return state.activity === "starting" && news.events.length > 0 ? { ...state, activity: "at work" } : state;
}

function foldEntry(state: RichState, entry: LoopEntry): RichState {
  switch (entry.type) {
    case "run-started":
      return { ...state, limits: entry.limits };
    case "iteration-started":
      return {
        ...withStory(state, entry.story, { standing: "working" }),
        iteration: entry.iteration,
        runner: entry.runner,
        since: Date.parse(entry.time),
        activity: "starting",
        waiting: undefined,
      };
    case "checks-started":
      return { ...state, activity: "checks" };
    case "checks-ended":
      return countFailures(state, entry);
    case "story-passed":
      return withStory(state, entry.story, {
        standing: entry.verified ? "proven" : "unverified",
        note: entry.commit?.slice(0, 9) ?? "",
      });
    case "story-reopened":
      return withStory(state, entry.story, { standing: "open", note: "open again" });
    case "iteration-ended":
      return { ...reopened(state), records: [...state.records, entry.record], since: undefined, activity: "" };
    case "waiting":
      return { ...state, waiting: { until: Date.parse(entry.until), reason: entry.reason } };
    case "interactive":
      return { ...state, activity: entry.enabled ? "a person works" : "" };
    case "verdict":
      return { ...state, isOver: true };
    default:
      return state;
  }
}

function withStory(state: RichState, id: string | undefined, change: Partial<RichStory>): RichState {
  return { ...state, stories: state.stories.map((story) => (story.id === id ? { ...story, ...change } : story)) };
}

function countFailures(state: RichState, { story, results }: Extract<LoopEntry, { type: "checks-ended" }>): RichState {
  const failed = results.filter(({ exit }) => exit !== 0).length;
  const failures = (state.stories.find(({ id }) => id === story)?.failures ?? 0) + (failed > 0 ? 1 : 0);
  const note = failed === 0 ? "" : `${failed} of ${results.length} checks fail, try ${failures}`;
  return withStory(state, story, { failures, note });
}

/** An iteration that ended without passing leaves its story open. */
function reopened(state: RichState): RichState {
  const stories = state.stories.map((story) =>
    story.standing === "working" ? { ...story, standing: "open" as const } : story,
  );
  return { ...state, stories };
}

export interface BudgetShare {
  name: string;
  share: number;
  words: string;
}

/** How much of each limit is used up. */
export function budgetShares({ limits, records, since }: RichState, now: number): BudgetShare[] {
  if (limits === undefined) return [];
  const used = spending(records);
  const minutes = used.minutes + (since === undefined ? 0 : Math.max(0, now - since) / 60_000);
  const tokens = used.inputTokens + used.outputTokens;
  const rows: [name: string, used: number, limit: number | undefined, words: (value: number) => string][] = [
    ["iterations", used.iterations, limits.iterations, (value) => String(value)],
    ["minutes", minutes, limits.minutes, (value) => value.toFixed(value < 10 ? 1 : 0)],
    ["tokens", tokens, limits.tokens, (value) => value.toLocaleString("en-US")],
    ["USD", used.costUsd ?? 0, limits.costUsd, (value) => value.toFixed(2)],
  ];
  return rows.flatMap(([name, value, limit, words]) => {
    if (limit === undefined) return value > 0 && name !== "USD" ? [{ name, share: 0, words: words(value) }] : [];
    return [{ name, share: limit === 0 ? 1 : Math.min(1, value / limit), words: `${words(value)}/${words(limit)}` }];
  });
}
