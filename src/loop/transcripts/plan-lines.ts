import type { TranscriptTag } from "../../protocol/transcript-events.ts";

// What an agent means to do, as far as it says so: a heading "Plan" and the list below it, the headings of its thinking, or the
// first sentence that opens like an intention.

export interface PlanFold {
  lines: readonly string[];
  /** The list below a heading goes on. */
  isOpen: boolean;
}

export const NO_PLAN: PlanFold = { lines: [], isOpen: false };

/** A plan keeps its newest lines, each cut. */
export const MAX_PLAN_LINES = 12;
const MAX_PLAN_CHARACTERS = 200;
/** Of one long text only the beginning is searched. */
const SEARCHED_CHARACTERS = 16_384;

const PLAN_HEADING =
  /^(?:#{1,6}\s+|\*\*)?(?:(?:the|my|updated|revised)\s+)?(?:plan|next steps|steps|approach)\s*(?:\*\*)?\s*(?::\s*(?:\*\*)?\s*(.*)|(?:\*\*)?)$/i;
const LIST_ITEM = /^(?:[-*•]|\d+[.)]|\[[ xX]\])\s+\S/;
const THINK_HEADING = /^(?:#{1,6}\s+(.+)|\*\*(.+)\*\*)$/;
const OPENING =
  /^(?:I['’]ll|I will|I['’]m going to|I am going to|I need to|I should|Let me|Let['’]s|First|To begin)\b/i;

export function foldPlan(plan: PlanFold, tag: TranscriptTag, text: string): PlanFold {
  if (tag !== "THINK" && tag !== "AI") return plan;
  return text
    .slice(0, SEARCHED_CHARACTERS)
    .split("\n")
    .reduce((current, line) => foldLine(current, tag, line.trim()), plan);
}

function foldLine(plan: PlanFold, tag: TranscriptTag, line: string): PlanFold {
  if (line === "") return plan;
  const heading = PLAN_HEADING.exec(line);
  if (heading !== null) return { lines: withLine([], heading[1] ?? ""), isOpen: true };
  if (plan.isOpen && LIST_ITEM.test(line)) return { lines: withLine(plan.lines, line), isOpen: true };
  const closed = plan.isOpen ? { ...plan, isOpen: false } : plan;
  const step = tag === "THINK" ? THINK_HEADING.exec(line) : null;
  const said = step?.[1] ?? step?.[2] ?? (closed.lines.length === 0 && OPENING.test(line) ? line : undefined);
  return said === undefined ? closed : { ...closed, lines: withLine(closed.lines, said) };
}

function withLine(lines: readonly string[], line: string): readonly string[] {
  const kept = line.length > MAX_PLAN_CHARACTERS ? `${line.slice(0, MAX_PLAN_CHARACTERS - 1)}…` : line;
  return kept === "" || lines.includes(kept) ? lines : [...lines, kept].slice(-MAX_PLAN_LINES);
}
