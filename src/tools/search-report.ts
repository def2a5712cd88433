import type { JsonObject } from "../protocol/json.ts";
import type { ToolOutput } from "../protocol/tool-runs.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import type { FileFindings, SearchFindings, SearchOutcome } from "./search-engine.ts";

export interface ReportOptions {
  countOnly: boolean;
  /** How a path is shown. */
  shown(path: string): string;
}

/** About 16,000 tokens. */
const SHOWN_CHARACTERS = 64 * 1024;

/** What was found, file by file. Pure. */
export function searchReport(outcome: SearchOutcome, options: ReportOptions): ToolOutput {
  if (!outcome.ok) return failedOutput(outcome.message);
  const blocks = outcome.files
    .filter(({ lines }) => options.countOnly || lines.length > 0)
    .map((found) => (options.countOnly ? `${options.shown(found.file)}: ${found.count}` : fileBlock(found, options)));
  const { text, isCut } = withinLimit(blocks, options.countOnly ? "\n" : "\n\n");
  const shownLines = outcome.files.reduce((sum, { lines }) => sum + lines.length, 0);
  const isTruncated =
    isCut || outcome.stopped !== undefined || (!options.countOnly && shownLines < outcome.totalMatches);
  const ending = endingInWords(outcome, { shownLines, isCut, countOnly: options.countOnly });
  return textOutput(text === "" ? ending : `${text}\n\n${ending}`, {
    results: outcome.files.flatMap((found) => resultRows(found, options)),
    matched_files: outcome.files.length,
    total_matches_found: outcome.totalMatches,
    files_searched: outcome.filesSearched,
    truncated: isTruncated,
  });
}

/** `12:` is a line that matches, `13-` one beside it. */
function fileBlock({ file, lines }: FileFindings, { shown }: ReportOptions): string {
  const all = new Map<number, string>();
  for (const { line, before, after } of lines) {
    for (const [index, text] of before.entries()) all.set(line - before.length + index, `-${text}`);
    for (const [index, text] of after.entries()) all.set(line + 1 + index, `-${text}`);
  }
  for (const { line, text } of lines) all.set(line, `:${text}`);
  const numbers = [...all.keys()].sort((first, second) => first - second);
  const hasContext = lines.some(({ before, after }) => before.length + after.length > 0);
  const rows = numbers.flatMap((line, index) => {
    const isGap = hasContext && index > 0 && numbers[index - 1] !== line - 1;
    return [...(isGap ? ["--"] : []), `${line}${all.get(line)}`];
  });
  return [shown(file), ...rows].join("\n");
}

function withinLimit(blocks: string[], separator: string): { text: string; isCut: boolean } {
  const text = blocks.join(separator);
  if (text.length <= SHOWN_CHARACTERS) return { text, isCut: false };
  return { text: text.slice(0, text.lastIndexOf("\n", SHOWN_CHARACTERS)), isCut: true };
}

function endingInWords(
  { totalMatches, files, filesSearched, stopped }: SearchFindings,
  { shownLines, isCut, countOnly }: { shownLines: number; isCut: boolean; countOnly: boolean },
): string {
  const counts = `${totalMatches} matches in ${files.length} files (${filesSearched} files searched).`;
  const notes = [totalMatches === 0 ? `No match (${filesSearched} files searched).` : counts];
  if (!countOnly && shownLines < totalMatches) notes.push(`The first ${shownLines} are listed.`);
  if (isCut) notes.push(`The list is cut at ${SHOWN_CHARACTERS} characters.`);
  if (stopped !== undefined) notes.push(`The search is not complete: ${stopped}.`);
  return notes.join(" ");
}

function resultRows({ file, count, lines }: FileFindings, { countOnly, shown }: ReportOptions): JsonObject[] {
  if (countOnly) return [{ file: shown(file), count }];
  return lines.map(({ line, text, before, after }) => ({
    file: shown(file),
    line,
    text,
    ...(before.length > 0 ? { before } : {}),
    ...(after.length > 0 ? { after } : {}),
  }));
}
