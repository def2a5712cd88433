import type { CompactionResult } from "../../protocol/agent-events.ts";
import { pinnedParts } from "../../sessions/compaction/pins.ts";
import { PRUNE_TO, PRUNE_TO_LEAST } from "../../sessions/compaction/prune-results.ts";
import { trimOutline } from "../../sessions/compaction/trim-outline.ts";
import type { EntryDraft } from "../../sessions/session.ts";
import { cutOf, pinsOf, pruningOf, type Survey, surveyWith } from "./compaction-survey.ts";

export interface Trim {
  drafts: EntryDraft[];
  tokens: number;
  result: CompactionResult;
}

/**
 * What makes a conversation fit when no summary could be had: all tool results are shortened, the newest too, and then old
 * messages become a list. Undefined when nothing gets smaller.
 */
export function planTrim(survey: Survey, problem: string): Trim | undefined {
  const candidates = [
    trimmed(survey, { keep: PRUNE_TO, cuts: false }),
    trimmed(survey, { keep: PRUNE_TO, cuts: true }),
    trimmed(survey, { keep: PRUNE_TO_LEAST, cuts: true }),
  ].filter(({ tokens }) => tokens < survey.size.tokens);
  const best = candidates.find(({ tokens }) => tokens < survey.thresholds.trigger) ?? candidates.at(-1);
  if (best === undefined) return undefined;
  const change = { tokensBefore: survey.size.tokens, tokensAfter: best.tokens, problem };
  const result: CompactionResult =
    best.messages === 0
      ? { type: "pruned", results: best.results, ...change }
      : { type: "trimmed", messages: best.messages, ...change };
  return { drafts: best.drafts, tokens: best.tokens, result };
}

interface Candidate {
  drafts: EntryDraft[];
  tokens: number;
  messages: number;
  results: number;
}

function trimmed(survey: Survey, { keep, cuts }: { keep: number; cuts: boolean }): Candidate {
  const pruning = pruningOf(survey, survey.view.items.length, keep);
  const drafts: EntryDraft[] = pruning === undefined ? [] : [pruning];
  const pruned = surveyWith(survey, drafts);
  const cut = cuts ? cutOf(pruned, false) : undefined;
  const results = pruning?.entryIds.length ?? 0;
  if (cut === undefined) return { drafts, tokens: pruned.size.tokens, messages: 0, results };
  const { compaction, items } = pruned.view;
  const draft: EntryDraft = {
    type: "compaction",
    summary: trimOutline(
      compaction,
      items.slice(0, cut.place).map(({ message }) => message),
    ),
    firstKeptId: cut.firstKeptId,
    tokensBefore: survey.size.tokens,
    pinned: pinnedParts(pinsOf(pruned, cut.firstKeptId)),
  };
  const { tokens } = surveyWith(pruned, [draft]).size;
  return { drafts: [...drafts, { ...draft, tokensAfter: tokens }], tokens, messages: cut.place, results };
}
