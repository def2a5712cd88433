import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { asNumber, asObject, asString, at, parseJson } from "../protocol/json.ts";
import { outputText } from "../system/capped-output.ts";
import { fileFailure, notAFile } from "../system/file-failure.ts";
import { expandBraces } from "../system/glob-pattern.ts";
import { type ProcessResult, runProcess } from "../system/run-process.ts";
import { pathFilter } from "./gitignore.ts";
import { harmfulRulesAbove, watchForHarmfulRules } from "./harmful-rules.ts";
import { parentArguments } from "./ripgrep-parents.ts";
import {
  type FileFindings,
  type FoundLine,
  LARGEST_FILE,
  LONGEST_SEARCH_MS,
  MOST_KEPT_LINES,
  MOST_MATCHES,
  orderedFindings,
  type SearchEngine,
  type SearchOutcome,
  type SearchRequest,
  STOPPED,
  shownLine,
} from "./search-engine.ts";
import { SKIPPED_FOLDERS } from "./walk-files.ts";

export interface RipgrepOptions {
  /** The `rg` program. */
  program: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The fast engine: ripgrep, told to look at the same files as our own walk. */
export function ripgrepSearch({ program, environment }: RipgrepOptions): SearchEngine {
  return {
    async search(request) {
      const target = await searchTarget(request.path);
      if ("message" in target) return target;
      if (!existsSync(program)) return refused(`The program "${program}" was not found.`);
      if (harmfulRulesAbove(target.cwd)) return refused(HARMFUL_RULES);
      const parents = parentArguments(target.cwd, request.root);
      if (parents === undefined) return refused("it would heed .gitignore files from outside the workspace");
      const stop = new AbortController();
      const signal = AbortSignal.any([request.signal, stop.signal]);
      const reading = readEvents(request, target.cwd);
      const watch = watchForHarmfulRules(request, () => stop.abort());
      const start = (argv: string[], onBytes: (bytes: Uint8Array) => void) =>
        runProcess({
          argv: [...limited(program), ...commonArguments(request), ...parents, ...argv, "--", target.name],
          cwd: target.cwd,
          environment: quietEnvironment(environment),
          capBytes: 4096,
          deadlineMs: LONGEST_SEARCH_MS,
          signal,
          onOutput: ({ stream, bytes }) => (stream === "stdout" ? onBytes(bytes) : undefined),
        }).result;
      // The summary counts what ripgrep opened. Where we leave out some of that, a second run counts what is left.
      const names = countNames(wantedFiles(request, target.cwd));
      const counting = isExact(request) ? undefined : start(["--files", "--null"], names.add);
      const result = await start(searchArguments(request), (bytes) => {
        if (!reading.add(bytes)) stop.abort();
      });
      await counting;
      watch.stop();
      if (watch.hasFound()) return refused(HARMFUL_RULES);
      return outcomeOf(result, reading.findings(), {
        request,
        countOf: (filesSearched) => (isExact(request) ? filesSearched : names.count()),
      });
    },
  };
}

const HARMFUL_RULES = "a .gitignore is no regular file or larger than 1 MB";

/**
 * ripgrep with bounds of its own, which hold even where nobody is left to end it: half a gigabyte of memory, more processor time
 * than a search of the longest time can use, no core file. A system that lacks one of them goes without.
 */
function limited(program: string): string[] {
  if (process.platform === "win32") return [program];
  const limits = ["-v 524288", "-t 600", "-c 0"].map((limit) => `ulimit ${limit} 2>/dev/null`);
  return ["/bin/sh", "-c", `${limits.join("; ")}; exec "$0" "$@"`, program];
}

/** Nothing in the environment tells ripgrep what to do; only the mark stays by which an outer Ralph finds what we started. */
function quietEnvironment({ RALPH_RUN_ID, SystemRoot }: RipgrepOptions["environment"]) {
  return { RALPH_RUN_ID, SystemRoot };
}

async function searchTarget(path: string): Promise<{ cwd: string; name: string } | { ok: false; message: string }> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { cwd: path, name: "./" };
    return stats.isFile() ? { cwd: dirname(path), name: `./${basename(path)}` } : notAFile(path, stats);
  } catch (error) {
    return fileFailure(path, error, "searched");
  }
}

/** A filter is ours, because ripgrep's own would bring back what .gitignore names. Simple ones are a type of file to it. */
function wantedFiles({ globFilter, mayRead = () => true }: SearchRequest, cwd: string): (name: string) => boolean {
  const fits = globFilter === undefined ? () => true : pathFilter(globFilter);
  return (name) => fits(name.replace(/^\.\//, "")) && mayRead(resolve(cwd, name));
}

function countNames(isWanted: (name: string) => boolean) {
  const decoder = new TextDecoder();
  let rest = "";
  let count = 0;
  return {
    count: () => count,
    add(bytes: Uint8Array) {
      const names = (rest + decoder.decode(bytes, { stream: true })).split("\0");
      rest = names.pop() ?? "";
      for (const name of names) if (isWanted(name)) count++;
    },
  };
}

/** Which files are looked at. */
function commonArguments(request: SearchRequest): string[] {
  const names = simpleNames(request);
  return [
    "--no-config",
    "--hidden",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--no-messages",
    "--no-mmap",
    `--max-filesize=${LARGEST_FILE}`,
    ...names.map((name) => `--type-add=wanted:${name}`),
    ...(names.length === 0 ? [] : ["--type=wanted"]),
    ...[...SKIPPED_FOLDERS].map((name) => `--glob=!**/${name}/`),
  ];
}

/** The names a filter allows, where they are so simple that they mean the same to ripgrep. */
function simpleNames({ globFilter }: SearchRequest): string[] {
  const names = globFilter === undefined ? [] : expandBraces(globFilter).map((pattern) => basename(pattern));
  return names.every((name) => /^[\w.*-]+$/.test(name) && name !== "**") ? names : [];
}

/** Whether ripgrep opens just the files that are wanted. */
function isExact(request: SearchRequest): boolean {
  const { globFilter } = request;
  return globFilter === undefined || (!globFilter.includes("/") && simpleNames(request).length > 0);
}

function searchArguments({ pattern, isCaseSensitive, contextLines, maxResults }: SearchRequest): string[] {
  return [
    "--json",
    "--crlf",
    isCaseSensitive ? "--case-sensitive" : "--ignore-case",
    `--context=${maxResults === 0 ? 0 : contextLines}`,
    `--regexp=${pattern}`,
  ];
}

interface Reading {
  found: FileFindings[];
  totalMatches: number;
  keptLines: number;
  /** From the summary, with which a whole run ends. */
  filesSearched?: number;
}

/** Events come one per line, file after file; a file's lines are held until its end says that it was no binary file. */
function readEvents(request: SearchRequest, cwd: string) {
  const reading: Reading = { found: [], totalMatches: 0, keptLines: 0 };
  const isWanted = wantedFiles(request, cwd);
  const decoder = new TextDecoder();
  let rest = "";
  let current: CurrentFile | undefined;
  const endFile = () => {
    if (current !== undefined) addFile(reading, current, request);
    current = undefined;
  };
  const onEvent = ({ type, data }: Record<string, unknown>) => {
    if (type === "begin") current = beginFile(asString(at(at(data, "path"), "text")), { isWanted, cwd });
    if (type === "match" || type === "context") addLine(current, data, type === "match");
    if (type === "end" && asNumber(at(data, "binary_offset")) !== undefined) current = undefined;
    if (type === "end") endFile();
    if (type === "summary") reading.filesSearched = asNumber(at(at(data, "stats"), "searches"));
  };
  const isFull = () => reading.totalMatches + (current?.matches ?? 0) >= MOST_MATCHES;
  return {
    /** Whether more is wanted. */
    add(bytes: Uint8Array): boolean {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) if (!isFull()) onEvent(asObject(parseJson(part)) ?? {});
      return !isFull();
    },
    /** Ends the reading. */
    findings() {
      endFile();
      return reading;
    },
  };
}

interface CurrentFile {
  file: string;
  matches: number;
  lines: Map<number, { text: string; isMatch: boolean }>;
}

/** A name that is not UTF-8 fits no rule and no other tool opens it, so the file is passed over. */
function beginFile(
  name: string | undefined,
  { isWanted, cwd }: { isWanted(name: string): boolean; cwd: string },
): CurrentFile | undefined {
  return name !== undefined && isWanted(name) ? { file: resolve(cwd, name), matches: 0, lines: new Map() } : undefined;
}

function addLine(current: CurrentFile | undefined, data: unknown, isMatch: boolean): void {
  const line = asNumber(at(data, "line_number"));
  if (current === undefined || line === undefined) return;
  current.lines.set(line, { text: shownLine(textOf(at(data, "lines"))), isMatch });
  if (isMatch) current.matches++;
}

/** Text that is not UTF-8 comes as base64. */
function textOf(value: unknown): string {
  const text = asString(at(value, "text"));
  return text ?? Buffer.from(asString(at(value, "bytes")) ?? "", "base64").toString("utf8");
}

function addFile(reading: Reading, { file, lines }: CurrentFile, { maxResults, contextLines }: SearchRequest): void {
  const matched = [...lines].filter(([, { isMatch }]) => isMatch);
  const wanted = matched.slice(0, Math.min(maxResults, MOST_KEPT_LINES - reading.keptLines));
  const around = (from: number, to: number) => {
    const texts: string[] = [];
    for (let line = from; line <= to; line++) texts.push(lines.get(line)?.text ?? "");
    return texts;
  };
  const last = [...lines.keys()].at(-1) ?? 0;
  const found: FoundLine[] = wanted.map(([line, { text }]) => ({
    line,
    text,
    before: around(Math.max(1, line - contextLines), line - 1),
    after: around(line + 1, Math.min(line + contextLines, last)),
  }));
  reading.totalMatches += matched.length;
  reading.keptLines += found.length;
  reading.found.push({ file, count: matched.length, lines: found });
}

interface Counting {
  request: SearchRequest;
  /** Which of the files that ripgrep opened were wanted. */
  countOf(opened: number): number;
}

function outcomeOf(result: ProcessResult, reading: Reading, { request, countOf }: Counting): SearchOutcome {
  const failed = failureOf(result, reading);
  if (failed !== undefined) return refused(failed);
  const stopped = stoppedBecause(result, reading, request);
  return {
    ok: true,
    files: orderedFindings(reading.found, request.maxResults),
    totalMatches: reading.totalMatches,
    filesSearched: Math.max(countOf(reading.filesSearched ?? 0), reading.found.length),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** The exit code says little: it is 2 for a wrong pattern, and for a file that could not be read among all that were. */
function failureOf({ outcome, stderr }: ProcessResult, { filesSearched, totalMatches }: Reading): string | undefined {
  if (totalMatches >= MOST_MATCHES) return undefined;
  switch (outcome.type) {
    case "not-started":
      return outcome.message;
    case "signalled":
      return `it was ended by ${outcome.signal}`;
    case "exited":
      if (outcome.code === 2 && stderr.totalBytes > 0)
        return `it refused the pattern or the files: ${outputText(stderr).trim()}`;
      return filesSearched === undefined ? `it ended with ${outcome.code} before it was done` : undefined;
    case "timed-out":
    case "aborted":
      return undefined;
  }
}

function refused(reason: string): SearchOutcome {
  return { ok: false, message: `ripgrep could not search: ${reason}` };
}

function stoppedBecause({ outcome }: ProcessResult, reading: Reading, { signal }: SearchRequest): string | undefined {
  if (signal.aborted) return STOPPED.aborted;
  if (reading.totalMatches >= MOST_MATCHES) return STOPPED.matches;
  return outcome.type === "timed-out" ? STOPPED.time : undefined;
}
