/** What finds lines in files. Two do: a program that is very fast, and our own that is always there. */
export interface SearchEngine {
  /** Never rejects for what the outside world does. */
  search(request: SearchRequest): Promise<SearchOutcome>;
}

export interface SearchRequest {
  /** Absolute: a folder, or one file. */
  path: string;
  /** The workspace. */
  root: string;
  /** A regular expression for one line. */
  pattern: string;
  /** Which files, relative to the folder that is searched. */
  globFilter?: string | undefined;
  isCaseSensitive: boolean;
  contextLines: number;
  /** The most lines that are given back; those beyond are counted. */
  maxResults: number;
  /** Files that it refuses, by their absolute path, are as good as not there. Where it is missing, all are searched. */
  mayRead?: ((path: string) => boolean) | undefined;
  signal: AbortSignal;
}

export type SearchOutcome = SearchFindings | { ok: false; message: string };

export interface SearchFindings {
  ok: true;
  /** By path. */
  files: FileFindings[];
  totalMatches: number;
  /**
   * Files that were opened, binary ones included. Those that may not be read are among them or not, but never depending on
   * what stands in them: a count that did would answer questions about it.
   */
  filesSearched: number;
  /** Why the search ended before everything was seen. */
  stopped?: string;
}

export interface FileFindings {
  /** Absolute. */
  file: string;
  /** Lines that match. */
  count: number;
  lines: FoundLine[];
}

export interface FoundLine {
  /** From 1. */
  line: number;
  text: string;
  before: string[];
  after: string[];
}

export const LARGEST_FILE = 1024 * 1024;
export const MOST_MATCHES = 50_000;
/** Lines held until all are found and can be put in order; those of later files are only counted. */
export const MOST_KEPT_LINES = 5_000;
export const LONGEST_SEARCH_MS = 30_000;
const LONGEST_LINE = 300;

/** A line as it is given back. */
export function shownLine(text: string): string {
  const line = text.replace(/\r?\n?$/, "");
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

export const STOPPED = {
  matches: `it stopped after ${MOST_MATCHES} matches; search for something rarer`,
  time: `it stopped after ${LONGEST_SEARCH_MS / 1000} s; search in a smaller folder`,
  aborted: "it was stopped",
} as const;

/** The findings in the order of paths, with as many lines as were asked for. */
export function orderedFindings(found: FileFindings[], maxResults: number): FileFindings[] {
  let left = maxResults;
  return found
    .sort((first, second) => (first.file < second.file ? -1 : 1))
    .map(({ file, count, lines }) => {
      const kept = lines.slice(0, left);
      left -= kept.length;
      return { file, count, lines: kept };
    });
}
