import { stat } from "node:fs/promises";
import { basename, relative } from "node:path";
import { fileFailure, notAFile } from "../system/file-failure.ts";
import { pathFilter } from "./gitignore.ts";
import { type LineMatcher, type MatchedLines, startLineMatcher } from "./line-matcher.ts";
import { linePattern } from "./line-pattern.ts";
import { readRealFile } from "./read-real-file.ts";
import {
  type FileFindings,
  type FoundLine,
  LARGEST_FILE,
  LONGEST_SEARCH_MS,
  MOST_KEPT_LINES,
  MOST_MATCHES,
  orderedFindings,
  type SearchEngine,
  type SearchRequest,
  STOPPED,
  shownLine,
} from "./search-engine.ts";
import { walkFiles } from "./walk-files.ts";

/** The engine that is always there: own walk, the runtime's regular expressions. */
export function walkSearch(): SearchEngine {
  return {
    async search(request) {
      const pattern = linePattern(request.pattern, request.isCaseSensitive);
      if (!pattern.ok) return pattern;
      const timeout = AbortSignal.timeout(LONGEST_SEARCH_MS);
      const files = await filesToSearch(request, timeout);
      if ("message" in files) return files;
      const matcher = startLineMatcher(pattern.pattern, request.signal);
      try {
        return await searchAll(files.batches, matcher, { request, timeout });
      } finally {
        matcher.stop();
      }
    },
  };
}

type Batches = AsyncIterable<string[]> | Iterable<string[]>;

type FilesToSearch = { batches: Batches } | { ok: false; message: string };

async function filesToSearch({ path, root, ...request }: SearchRequest, timeout: AbortSignal): Promise<FilesToSearch> {
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { batches: walkFiles(path, { root, includesIgnored: false, signal }) };
    return stats.isFile() ? { batches: [[path]] } : notAFile(path, stats);
  } catch (error) {
    return fileFailure(path, error, "searched");
  }
}

interface Search {
  found: FileFindings[];
  totalMatches: number;
  keptLines: number;
  filesSearched: number;
  slow: string[];
  timeout: AbortSignal;
}

async function searchAll(
  batches: Batches,
  matcher: LineMatcher,
  { request, timeout }: { request: SearchRequest; timeout: AbortSignal },
) {
  const search: Search = {
    found: [],
    totalMatches: 0,
    keptLines: 0,
    filesSearched: 0,
    slow: [],
    timeout,
  };
  const stopped = await searchBatches(batches, matcher, { search, request });
  const { found, totalMatches, filesSearched } = search;
  return {
    ok: true as const,
    files: orderedFindings(found, request.maxResults),
    totalMatches,
    filesSearched,
    ...(stopped === undefined ? {} : { stopped }),
  };
}

interface Work {
  search: Search;
  request: SearchRequest;
}

async function searchBatches(batches: Batches, matcher: LineMatcher, { search, request }: Work) {
  const isWanted = wantedFiles(request);
  for await (const batch of batches) {
    for (const part of parts(batch.filter(isWanted))) {
      const stopped = (await searchPart(part, matcher, { search, request })) ?? boundReached(search, request);
      if (stopped !== undefined) return stopped;
    }
  }
  return boundReached(search, request) ?? slowNote(search.slow);
}

function wantedFiles({ path, globFilter, mayRead = () => true }: SearchRequest): (file: string) => boolean {
  if (globFilter === undefined) return mayRead;
  const fits = pathFilter(globFilter);
  return (file) => fits(file === path ? basename(file) : relative(path, file)) && mayRead(file);
}

/** Files that are read at once. */
const PART = 16;

function* parts(files: string[]): Generator<string[]> {
  for (let start = 0; start < files.length; start += PART) yield files.slice(start, start + PART);
}

/** Gives back why the search cannot go on. */
async function searchPart(files: string[], matcher: LineMatcher, { search, request }: Work) {
  const contents = files.map(readText).filter((content) => content !== undefined);
  search.filesSearched += contents.length;
  const texts = contents.filter(({ text }) => !text.includes("\0"));
  const answers = await matcher.match(texts.map(({ text }) => text));
  if (answers === undefined) {
    return request.signal.aborted
      ? STOPPED.aborted
      : `the pattern takes too long in ${files.join(", ")}; make it simpler`;
  }
  for (const [index, { file, text }] of texts.entries()) {
    const answer = answers[index];
    if (answer !== undefined) addFile({ file, text, answer }, { search, request });
  }
  return undefined;
}

function readText(file: string): { file: string; text: string } | undefined {
  const bytes = readRealFile(file, LARGEST_FILE);
  return bytes === undefined ? undefined : { file, text: new TextDecoder().decode(bytes) };
}

function addFile(
  { file, text, answer: { lines, isSlow } }: { file: string; text: string; answer: MatchedLines },
  { search, request }: Work,
): void {
  if (isSlow) search.slow.push(file);
  if (lines.length === 0) return;
  search.totalMatches += lines.length;
  const wanted = lines.slice(0, Math.min(request.maxResults, MOST_KEPT_LINES - search.keptLines));
  search.keptLines += wanted.length;
  search.found.push({ file, count: lines.length, lines: foundLines(text, wanted, request.contextLines) });
}

function foundLines(text: string, matched: number[], contextLines: number): FoundLine[] {
  if (matched.length === 0) return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return matched.map((index) => ({
    line: index + 1,
    text: shownLine(lines[index] ?? ""),
    before: lines.slice(Math.max(0, index - contextLines), index).map(shownLine),
    after: lines.slice(index + 1, index + 1 + contextLines).map(shownLine),
  }));
}

function boundReached(search: Search, { signal }: SearchRequest): string | undefined {
  if (signal.aborted) return STOPPED.aborted;
  if (search.totalMatches >= MOST_MATCHES) return STOPPED.matches;
  return search.timeout.aborted ? STOPPED.time : undefined;
}

function slowNote(slow: string[]): string | undefined {
  if (slow.length === 0) return undefined;
  return `the pattern takes too long in ${slow.slice(0, 3).join(", ")}${slow.length > 3 ? " and others" : ""}; make it simpler`;
}
