import { readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFile } from "../../system/create-file.ts";
import { type FileFailure, fileFailure } from "../../system/file-failure.ts";
import { writeFileAtomic } from "../../system/files.ts";
import { lookAt } from "../../system/look-at.ts";
import { readTextFile } from "../../system/text-file.ts";

// progress.txt: what was done and learned, for the next agent and for people. The harness adds an entry per event; agents add
// what they learned under the patterns. When it is long it begins anew, and what it held stays beside it.

export const PATTERNS_HEADING = "## Codebase Patterns";
export const EMPTY_PROGRESS = `# Progress\n\n${PATTERNS_HEADING}\n\n---\n`;

export interface ProgressEntry {
  /** One line, different for every event: an entry that stands there already is not written again. */
  heading: string;
  lines: readonly string[];
}

export type ProgressResult = { ok: true; archived?: string } | FileFailure;

const MAX_BYTES = 4_000_000;
const MOST_LINES = 300;
const MOST_ENTRY_LINES = 40;
const LONGEST_LINE = 500;
const MOST_PATTERN_LINES = 150;
const MOST_HEADER_LINES = 20;
const POINTER = "What came before is in ";
const MOST_ATTEMPTS = 10;

/**
 * Adds an entry. A kill at any moment loses nothing: the old file is archived under its own name before the new one takes its
 * place, and an archive that was begun is used again.
 */
export async function appendProgress(file: string, entry: ProgressEntry): Promise<ProgressResult> {
  for (let attempt = 1; ; attempt++) {
    const result = await appendOnce(file, entry);
    if (result.ok || result.reason !== "changed" || attempt === MOST_ATTEMPTS) return result;
  }
}

/** What an agent wrote under the patterns, without the heading; empty where there is nothing. */
export function patternsIn(text: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trimEnd() === PATTERNS_HEADING);
  if (start < 0) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^(#{1,2} |---\s*$)/.test(line));
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .join("\n")
    .trim();
}

async function appendOnce(file: string, entry: ProgressEntry): Promise<ProgressResult> {
  const read = readProgress(file);
  if (!read.ok) return read.reason === "missing" ? createFirst(file, entry) : moveAside(file, entry, read);
  const before = read.text;
  const heading = `## ${oneLine(entry.heading)}`;
  if (before.split("\n").includes(heading)) return { ok: true };
  const longer = withEntry(before, entry);
  const mayReplace = () => sameText(file, before);
  if (lineCount(longer) <= MOST_LINES) return writeFileAtomic(file, longer, { mayReplace });
  const archived = await archive(file, before);
  if (typeof archived !== "string") return archived;
  const written = await writeFileAtomic(file, withEntry(begunAnew(before, archived), entry), { mayReplace });
  return written.ok ? { ok: true, archived } : written;
}

async function createFirst(file: string, entry: ProgressEntry): Promise<ProgressResult> {
  const created = await createFile(file, withEntry(EMPTY_PROGRESS, entry));
  if (!created.ok || created.isNew) return created.ok ? { ok: true } : created;
  return { ok: false, reason: "changed", message: `${file} appeared meanwhile.` };
}

/** What cannot be read as text, or is too large to be read, is kept under another name. */
async function moveAside(file: string, entry: ProgressEntry, failure: FileFailure): Promise<ProgressResult> {
  if (failure.reason !== "too-large" && failure.reason !== "not-text") return failure;
  const name = `progress-${highestNumber(dirname(file)) + 1}.txt`;
  try {
    await rename(file, join(dirname(file), name));
  } catch (error) {
    return fileFailure(file, error, "renamed");
  }
  const created = await createFile(file, withEntry(begunAnew("", name), entry));
  return created.ok ? { ok: true, archived: name } : created;
}

/** A link is not followed: where it leads to was not the person's choice. */
function readProgress(file: string) {
  const stats = lookAt(file);
  if (stats?.isSymbolicLink() === true)
    return { ok: false as const, reason: "not-a-file" as const, message: `${file} is a link; put a file there.` };
  return readTextFile(file, { maxBytes: MAX_BYTES });
}

function sameText(file: string, text: string): boolean {
  const read = readProgress(file);
  return read.ok && read.text === text;
}

function withEntry(text: string, { heading, lines }: ProgressEntry): string {
  const shown = lines.flatMap((line) => line.split("\n")).map(oneLine);
  const more = shown.length - MOST_ENTRY_LINES;
  const body = more > 0 ? [...shown.slice(0, MOST_ENTRY_LINES), `(${more} more lines left out)`] : shown;
  const base = text === "" ? EMPTY_PROGRESS : text;
  return `${base}${base.endsWith("\n") ? "" : "\n"}\n## ${oneLine(heading)}\n${body.map((line) => `${quietLine(line)}\n`).join("")}---\n`;
}

/** A line of an entry is neither a heading nor the end of the entry. */
function quietLine(line: string): string {
  return /^(#|---)/.test(line) ? ` ${line}` : line;
}

function oneLine(text: string): string {
  const plain = text.replace(/(?!\t)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, " ").trimEnd();
  return plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)}…` : plain;
}

function begunAnew(text: string, archived: string): string {
  const patterns = patternsIn(text).split("\n");
  const more = patterns.length - MOST_PATTERN_LINES;
  const kept = more > 0 ? [...patterns.slice(0, MOST_PATTERN_LINES), `(${more} more lines in ${archived})`] : patterns;
  return `${headerOf(text)}\n\n${POINTER}${archived}.\n\n${PATTERNS_HEADING}\n\n${kept.join("\n")}\n\n---\n`;
}

/** What stands above the first section, without where an older file is. */
function headerOf(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => /^(## |---)/.test(line));
  const header = lines
    .slice(0, end < 0 ? 0 : Math.min(end, MOST_HEADER_LINES))
    .filter((line) => !line.startsWith(POINTER));
  const [first = ""] = header;
  return first.startsWith("# ") ? header.map(oneLine).join("\n").trim() : "# Progress";
}

/** The name of the file that now holds the text. */
async function archive(file: string, text: string): Promise<string | FileFailure> {
  const folder = dirname(file);
  const last = highestNumber(folder);
  const begun = `progress-${last}.txt`;
  if (last > 0 && isBeginningOf(join(folder, begun), text)) {
    const written = await writeFileAtomic(join(folder, begun), text);
    return written.ok ? begun : written;
  }
  const name = `progress-${last + 1}.txt`;
  const created = await createFile(join(folder, name), text);
  if (!created.ok) return created;
  return created.isNew ? name : { ok: false, reason: "changed", message: `${name} appeared meanwhile.` };
}

function isBeginningOf(path: string, text: string): boolean {
  const read = readTextFile(path, { maxBytes: MAX_BYTES });
  return read.ok && read.text !== "" && text.startsWith(read.text);
}

function highestNumber(folder: string): number {
  try {
    const numbers = readdirSync(folder).map((name) => Number(/^progress-(\d{1,9})\.txt$/.exec(name)?.[1] ?? 0));
    return numbers.reduce((most, number) => Math.max(most, number), 0);
  } catch {
    return 0;
  }
}

function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
