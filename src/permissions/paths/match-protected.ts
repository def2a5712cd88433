import { foldName, shortBaseOf, shortNameBase } from "./fold-name.ts";
import type { PathAccess } from "./path-request.ts";
import { PROTECTED_NAMES, type ProtectedNames, type ProtectionLevel } from "./protected-names.ts";

/** A protected name that was found. */
export interface Protection {
  level: ProtectionLevel;
  /** The name as the table writes it. */
  name: string;
  reason: string;
}

export interface MatchOptions {
  /** The names count from the root of the file system. */
  isFromRoot: boolean;
  /**
   * Which folders count because they may hold something protected: of secrets where whole folders are taken away, all where
   * one is put in place.
   */
  folders: "none" | "of-secrets" | "all";
}

/** The strictest protection of any of the names, or of what they stand in. */
export function matchProtected(names: readonly string[], options: MatchOptions): Protection | undefined {
  const table = patterns();
  const folded = names.map(foldName);
  let found: Protection | undefined;
  for (const [at, name] of folded.entries()) {
    const possible = candidates(table, name);
    if (possible.length === 0) continue;
    const from: Names = { folded, at, ...options };
    const fitting = possible.filter((pattern) => fits(pattern, from));
    const strict = fitting.find(({ protection }) => protection.level === "secret");
    if (strict !== undefined) return strict.protection;
    found ??= fitting[0]?.protection;
  }
  return found;
}

export function forbids({ level }: Protection, access: readonly PathAccess[]): boolean {
  return level === "secret" || access.includes("write");
}

interface Pattern {
  protection: Protection;
  /** One test for each name. */
  parts: ((name: string) => boolean)[];
  isRooted: boolean;
  isExcepted: (name: string) => boolean;
}

interface PatternTable {
  byFirstName: Map<string, Pattern[]>;
  byShortName: Map<string, Pattern[]>;
  withWildcards: Pattern[];
  /** What was found for a first name: the same names are looked at before and after every command. */
  known: Map<string, Pattern[]>;
}

const MOST_KNOWN = 5000;

let remembered: PatternTable | undefined;

function patterns(): PatternTable {
  remembered ??= createTable(PROTECTED_NAMES);
  return remembered;
}

function createTable(rows: readonly ProtectedNames[]): PatternTable {
  const table: PatternTable = { byFirstName: new Map(), byShortName: new Map(), withWildcards: [], known: new Map() };
  for (const row of rows) {
    for (const name of row.names) addPattern(table, row, name);
  }
  return table;
}

function addPattern(table: PatternTable, row: ProtectedNames, name: string): void {
  const parts = name
    .split("/")
    .filter((part) => part !== "")
    .map(foldPattern);
  const [first = ""] = parts;
  const exceptions = (row.except ?? []).map((text) => partTest(foldPattern(text)));
  const pattern: Pattern = {
    protection: { level: row.level, name, reason: row.reason },
    parts: parts.map(partTest),
    isRooted: name.startsWith("/"),
    isExcepted: (text) => exceptions.some((test) => test(text)),
  };
  if (first.includes("*")) {
    table.withWildcards.push(pattern);
    return;
  }
  add(table.byFirstName, first, pattern);
  add(table.byShortName, shortBaseOf(first), pattern);
}

function add(map: Map<string, Pattern[]>, key: string, pattern: Pattern): void {
  map.set(key, [...(map.get(key) ?? []), pattern]);
}

/** Folding would cut a star's neighbours short, so the pieces between the stars are only levelled. */
function foldPattern(text: string): string {
  return text.includes("*") ? text.toLowerCase() : foldName(text);
}

function partTest(part: string): (name: string) => boolean {
  const [first = "", ...others] = part.split("*");
  const last = others.pop();
  if (last === undefined) return (name) => name === part;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const piece of others) {
      const found = name.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}

interface Names extends MatchOptions {
  folded: readonly string[];
  at: number;
}

/** The patterns whose first name is this one. */
function candidates(table: PatternTable, name: string): readonly Pattern[] {
  const known = table.known.get(name);
  if (known !== undefined) return known;
  const found = findCandidates(table, name);
  if (table.known.size >= MOST_KNOWN) table.known.clear();
  table.known.set(name, found);
  return found;
}

function findCandidates(table: PatternTable, name: string): Pattern[] {
  const base = name.includes("~") ? shortNameBase(name) : undefined;
  return [
    ...(table.byFirstName.get(name) ?? []),
    ...(base === undefined ? [] : (table.byShortName.get(base) ?? [])),
    ...table.withWildcards.filter(({ parts: [first] }) => first?.(name)),
  ];
}

function fits(pattern: Pattern, { folded, at, isFromRoot, folders }: Names): boolean {
  const { parts, isRooted, isExcepted, protection } = pattern;
  if (isRooted && !(at === 0 && isFromRoot)) return false;
  const rest = folded.slice(at, at + parts.length);
  if (rest.length < parts.length && !countsFolder(folders, protection, rest)) return false;
  return rest.every((name, index) => index === 0 || parts[index]?.(name)) && !isExcepted(rest.at(-1) ?? "");
}

/** Folders that many programs share are not taken for what one of them keeps there, when they are taken away. */
function countsFolder(folders: MatchOptions["folders"], { level }: Protection, names: readonly string[]): boolean {
  if (folders === "none" || !names[0]?.startsWith(".")) return false;
  return folders === "all" || (level === "secret" && !SHARED_FOLDERS.has(names.join("/")));
}

const SHARED_FOLDERS = new Set([".config", ".local", ".local/share", ".cache", ".cache/huggingface", ".ralph"]);
