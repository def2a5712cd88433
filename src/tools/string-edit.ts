import type { EditPlan } from "./edit-plan.ts";
import { anchoredLine } from "./line-anchors.ts";
import { distanceBetween } from "./similar-names.ts";
import { linesOf, type TextContent, withPlainNewlines } from "./text-content.ts";
import { applySpanEdits } from "./text-edits.ts";

export interface StringEdit {
  old_string: string;
  new_string: string;
  replace_all: boolean;
}

const MAXIMUM_MATCHES = 100_000;
const MATCHES_NAMED = 20;
const LINES_COMPARED = 20_000;
const CANDIDATES = 3;

/** Exact and unique, or nothing is done: a guess at what was meant could land in the wrong place. */
export function planStringEdit(content: TextContent, edit: StringEdit): EditPlan {
  const wanted = withPlainNewlines(edit.old_string);
  const replacement = withPlainNewlines(edit.new_string);
  if (wanted === "")
    return refused("old_string is empty. Give the exact text to replace, or use write_file for a new file.");
  if (wanted === replacement) return refused("old_string and new_string are the same, so there is nothing to change.");
  const starts = matchesOf(content.text, wanted);
  if (starts.length === 0) return refused(noMatchMessage(content.text, wanted));
  if (starts.length > MAXIMUM_MATCHES)
    return refused(`old_string is found more than ${MAXIMUM_MATCHES} times. Give a longer one.`);
  if (starts.length > 1 && !edit.replace_all) return refused(ambiguousMessage(content.text, starts));
  const spans = starts.map((start) => ({ start, end: start + wanted.length, replacement }));
  return { ok: true, raw: applySpanEdits(content, spans), details: { replacements: starts.length } };
}

function matchesOf(text: string, wanted: string): number[] {
  const starts: number[] = [];
  let at = text.indexOf(wanted);
  while (at >= 0 && starts.length <= MAXIMUM_MATCHES) {
    starts.push(at);
    at = text.indexOf(wanted, at + wanted.length);
  }
  return starts;
}

function ambiguousMessage(text: string, starts: readonly number[]): string {
  const named = starts.slice(0, MATCHES_NAMED);
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (const start of named) {
    for (; counted < start; counted++) if (text[counted] === "\n") line++;
    lines.push(line);
  }
  const more = starts.length > named.length ? " and more" : "";
  return `old_string is found ${starts.length} times, at lines ${lines.join(", ")}${more}. Add lines around it until it is unique, or set replace_all.`;
}

function noMatchMessage(text: string, wanted: string): string {
  const nearest = nearestLines(linesOf(text), wanted);
  const advice = "It must match exactly, with all spaces and without the LINE:hh| prefix.";
  if (nearest.length === 0) return `old_string is not in the file. ${advice} Read the file again.`;
  return `old_string is not in the file. ${advice} Nearest lines:\n${nearest.join("\n")}`;
}

/** The lines most like the first telling line of the wanted text. */
function nearestLines(lines: readonly string[], wanted: string): string[] {
  const first = linesOf(wanted)
    .find((line) => line.trim().length > 2)
    ?.trim();
  if (first === undefined) return [];
  const limit = Math.max(2, Math.floor(Math.min(first.length, 80) * 0.4));
  const ranked = lines.slice(0, LINES_COMPARED).flatMap((line, index) => {
    const candidate = line.trim();
    if (Math.abs(candidate.length - first.length) > Math.max(limit, 40) || candidate === "") return [];
    const distance = distanceBetween(first, candidate);
    return distance <= limit ? [{ index, line, distance }] : [];
  });
  ranked.sort((left, right) => left.distance - right.distance || left.index - right.index);
  const best = ranked.slice(0, CANDIDATES).sort((left, right) => left.index - right.index);
  return best.map(({ index, line }) => anchoredLine(index + 1, line.slice(0, 200)));
}

function refused(message: string): EditPlan {
  return { ok: false, message };
}
