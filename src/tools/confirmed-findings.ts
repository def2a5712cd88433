import { readRealFile } from "./read-real-file.ts";
import { type FileFindings, type FoundLine, LARGEST_FILE, type SearchFindings, shownLine } from "./search-engine.ts";

/**
 * What a program found, as far as it stands in files that really are where it says. A program can be led elsewhere by a folder
 * that is swapped for a link while it works; lines from there are not passed on.
 */
export function confirmedFindings(findings: SearchFindings): SearchFindings {
  const files = findings.files.filter(isConfirmed);
  const lost = findings.files.filter((found) => !files.includes(found));
  if (lost.length === 0) return findings;
  const missed = lost.reduce((sum, { count }) => sum + count, 0);
  return {
    ...findings,
    files,
    totalMatches: findings.totalMatches - missed,
    stopped: findings.stopped ?? `${lost.length} files changed while they were searched and are left out`,
  };
}

function isConfirmed({ file, lines }: FileFindings): boolean {
  if (lines.length === 0) return true;
  const bytes = readRealFile(file, LARGEST_FILE);
  if (bytes === undefined) return false;
  const present = decoded(bytes).split("\n");
  return lines.every((line) => numbered(line).every(([number, text]) => shownLine(present[number - 1] ?? "") === text));
}

function numbered({ line, text, before, after }: FoundLine): [number, string][] {
  return [...before, text, ...after].map((shown, index) => [line - before.length + index, shown]);
}

/** As the program reads it: by its mark where it has one. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
