import type { Message } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { type CutOptions, planCut } from "../../sessions/compaction/compaction-cut.ts";
import {
  type CompactionSettings,
  type Thresholds,
  thresholdsFor,
} from "../../sessions/compaction/compaction-trigger.ts";
import { type HistoryReader, type HistoryView, historyView } from "../../sessions/compaction/history-view.ts";
import { gatherPins, type Pin, type ToolReadings } from "../../sessions/compaction/pins.ts";
import { isPrunable } from "../../sessions/compaction/prune-results.ts";
import { MOST_SUMMARY_TOKENS } from "../../sessions/compaction/summary-check.ts";
import {
  type ContextSize,
  contextSize,
  messagesTokens,
  messageTokens,
  overheadTokens,
} from "../../sessions/compaction/token-estimate.ts";
import { foldContext } from "../../sessions/context.ts";
import type { EntryDraft, Session } from "../../sessions/session.ts";
import { currentBranch } from "../../sessions/tree.ts";
import { checklist } from "../../tools/task-list.ts";

// A conversation at one moment, and what it would be after an entry that shortens it. Nothing is stored here.

export interface Survey {
  branch: SessionEntry[];
  view: HistoryView;
  /** Whose view it is. */
  reader: HistoryReader;
  /** What the system prompt and the tools take, in tokens. */
  overhead: number;
  size: ContextSize;
  thresholds: Thresholds;
  settings: CompactionSettings;
  readings: ToolReadings;
}

export interface SurveyOptions {
  session: Session;
  model: Model;
  settings: CompactionSettings;
  request(messages: Message[]): ModelRequest;
  readings: ToolReadings;
}

export function surveySession({ session, model, settings, request, readings }: SurveyOptions): Survey {
  const overhead = overheadTokens(request([]));
  const branch = currentBranch(session.entries, session.storedLeafId);
  const size = contextSize(branch, overhead, model);
  const thresholds = thresholdsFor(settings, model);
  return { branch, view: historyView(branch, model), reader: model, overhead, size, thresholds, settings, readings };
}

/** A provider that says it is too much knows better than our numbers: what it refused is the window then. */
export function overflowing(survey: Survey, { cost }: Model): Survey {
  const contextWindow = Math.min(survey.thresholds.window, survey.size.tokens);
  return { ...survey, thresholds: thresholdsFor(survey.settings, { contextWindow, ...(cost && { cost }) }) };
}

/** The survey as it would be with these entries behind the others. */
export function surveyWith(survey: Survey, drafts: readonly EntryDraft[]): Survey {
  const placed = drafts.map((draft, index) => ({ id: `?${index}`, parentId: null, at: "", ...draft }) as SessionEntry);
  const branch = [...survey.branch, ...placed];
  const bytes = survey.overhead + messagesTokens(foldContext(branch, survey.reader).messages);
  const tokens = Math.ceil(bytes * survey.size.factor);
  return { ...survey, branch, view: historyView(branch, survey.reader), size: { ...survey.size, tokens } };
}

/** Room for the summary itself, beside the pins. */
export function cutOf({ view, thresholds, overhead, size, settings }: Survey, byCount: boolean) {
  const beside = (overhead + MOST_SUMMARY_TOKENS) * size.factor + pinBudget(thresholds);
  const options: CutOptions = {
    keepMessages: settings.keepMessages,
    wanted: thresholds.target - beside,
    most: thresholds.roomy - beside,
    tokensOf: (message) => messageTokens(message) * size.factor,
    byCount,
  };
  return planCut(view.items, options);
}

const MOST_PINNED_TOKENS = 8000;
const PINNED_PART_OF_WINDOW = 0.1;

function pinBudget({ window }: Thresholds): number {
  return Math.min(MOST_PINNED_TOKENS, Math.floor(window * PINNED_PART_OF_WINDOW));
}

export function pinsOf({ branch, thresholds, readings }: Survey, firstKeptId: string): Pin[] {
  const open = (foldContext(branch).tasks ?? []).filter(({ status }) => status !== "completed");
  return gatherPins(branch, { firstKeptId, budget: pinBudget(thresholds), openWork: checklist(open), readings });
}

export type PrunedDraft = Extract<EntryDraft, { type: "pruned" }>;

/** Undefined where nothing before `place` is long enough. What a person answered is never shortened. */
export function pruningOf(survey: Survey, place: number, keep: number): PrunedDraft | undefined {
  const entryIds = survey.view.items.slice(0, place).flatMap(({ entryId, message }) => {
    return isPrunable(message, keep) && !survey.readings.isQuestion(message.toolName) ? [entryId] : [];
  });
  if (entryIds.length === 0) return undefined;
  const draft: PrunedDraft = { type: "pruned", entryIds, keep, tokensBefore: survey.size.tokens, tokensAfter: 0 };
  return { ...draft, tokensAfter: surveyWith(survey, [draft]).size.tokens };
}
