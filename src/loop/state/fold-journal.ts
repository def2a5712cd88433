import type { Cheat, IterationRecord, LoopEntry } from "../../protocol/loop-entries.ts";
import type { Receipt } from "../../protocol/receipts.ts";

// What the journal says about the newest run of a task. A pure fold: a loop that was killed knows from it where it was.

type EntryOf<Type extends LoopEntry["type"]> = Extract<LoopEntry, { type: Type }>;

export interface PassedStory {
  verified: boolean;
  receipt?: Receipt;
  commit?: string;
}

export interface UnsettledLanding {
  story: string;
  iteration: number;
  commit: string;
  /** Absent where no check proves the story. */
  receipt?: Receipt;
}

export interface LoopState {
  run: EntryOf<"run-started"> | undefined;
  records: readonly IterationRecord[];
  /** Stories that pass, by id. */
  passed: ReadonlyMap<string, PassedStory>;
  /** Every receipt of the run, oldest first. */
  receipts: readonly Receipt[];
  /** Injected prompts no agent has had yet. */
  injected: readonly string[];
  /** An iteration that began and has no end. */
  iteration: EntryOf<"iteration-started"> | undefined;
  /** The agent of that iteration. */
  agent: EntryOf<"agent-started"> | undefined;
  /** How the agent of that iteration ended, where it did. */
  agentEnded: EntryOf<"agent-ended"> | undefined;
  /** What was found of that agent. */
  cheats: readonly Cheat[];
  /** A commit that was about to land when nothing more was written. */
  unsettled: UnsettledLanding | undefined;
  /** When it last went on after it was cut off. */
  resumedAt: string | undefined;
  /** What somebody asked for and the loop has not obeyed yet. */
  request: "stop" | "checkpoint" | undefined;
  /** The tree on which everything that passes was last checked. */
  recheckedTree: string | undefined;
  verdict: EntryOf<"verdict"> | undefined;
}

export const EMPTY_STATE: LoopState = {
  run: undefined,
  records: [],
  passed: new Map(),
  receipts: [],
  injected: [],
  iteration: undefined,
  agent: undefined,
  agentEnded: undefined,
  cheats: [],
  unsettled: undefined,
  resumedAt: undefined,
  request: undefined,
  recheckedTree: undefined,
  verdict: undefined,
};

export function foldJournal(entries: Iterable<LoopEntry>): LoopState {
  let state = EMPTY_STATE;
  for (const entry of entries) state = applyEntry(state, entry);
  return state;
}

export function applyEntry(state: LoopState, entry: LoopEntry): LoopState {
  switch (entry.type) {
    // A prompt that was injected between two runs is for the next one.
    case "run-started":
      return { ...EMPTY_STATE, run: entry, injected: state.injected };
    case "run-undone":
      return { ...EMPTY_STATE, injected: state.injected };
    case "run-resumed":
      return { ...state, resumedAt: entry.time, request: undefined, verdict: undefined };
    case "injected":
      return { ...state, injected: [...state.injected, entry.prompt] };
    case "iteration-started":
      return {
        ...state,
        iteration: entry,
        agent: undefined,
        agentEnded: undefined,
        cheats: [],
        injected: state.injected.slice(entry.injected.length),
      };
    case "agent-started":
      return { ...state, agent: entry };
    case "agent-ended":
      return { ...state, agent: undefined, agentEnded: entry };
    case "cheat":
      return { ...state, cheats: [...state.cheats, { kind: entry.kind, detail: entry.detail }] };
    case "receipt":
      return { ...state, receipts: [...state.receipts, entry.receipt], unsettled: landingOf(entry.receipt) };
    case "landing":
      return { ...state, unsettled: { story: entry.story, iteration: entry.iteration, commit: entry.commit } };
    case "story-passed":
      return { ...state, passed: withPassed(state, entry), unsettled: undefined };
    case "story-reopened":
      return { ...state, passed: without(state.passed, entry.story) };
    case "rechecked":
      return { ...state, recheckedTree: entry.tree };
    case "iteration-ended":
      return {
        ...state,
        records: [...state.records, entry.record],
        iteration: undefined,
        agent: undefined,
        agentEnded: undefined,
        cheats: [],
      };
    case "stop-requested":
      return { ...state, request: entry.how };
    case "verdict":
      return { ...state, verdict: entry };
    default:
      return state;
  }
}

function withPassed(state: LoopState, entry: EntryOf<"story-passed">): LoopState["passed"] {
  const receipt = state.receipts.find(({ id }) => id === entry.receipt);
  const story: PassedStory = {
    verified: entry.verified,
    ...(receipt && { receipt }),
    ...(entry.commit !== undefined && { commit: entry.commit }),
  };
  return new Map(state.passed).set(entry.story, story);
}

function without(passed: LoopState["passed"], story: string): LoopState["passed"] {
  const left = new Map(passed);
  left.delete(story);
  return left;
}

function landingOf(receipt: Receipt): UnsettledLanding {
  const { story, iteration, commit } = receipt;
  return { story, iteration, commit, receipt };
}
