import { readdirSync, realpathSync } from "node:fs";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { fileFailure } from "../../system/file-failure.ts";
import { readTextFile } from "../../system/text-file.ts";
import { readRule } from "./read-rule.ts";
import type { Rule } from "./rule.ts";
import { placeOf, RULE_SOURCES, type RulePlaces, type RuleSource } from "./rule-sources.ts";

export interface DiscoveryOptions extends RulePlaces {
  /** Files of a project count only where it is trusted. Asked where there are some. */
  isTrusted(): boolean;
  /** Real paths that may not be read without being asked for. */
  isProtected(path: string): boolean;
}

/** `notes` are lines for the person: what was left out and why. */
export interface Discovery {
  rules: Rule[];
  notes: string[];
}

const MOST_RULES = 200;
const MOST_FILES_IN_FOLDER = 500;
export const MOST_RULE_BYTES = 256 * 1024;
const LONGEST_NAME = 120;

/** All rules there are, each name once, in the order in which they count. */
export function discoverRules(options: DiscoveryOptions): Discovery {
  const finder: Finder = { options, root: realOrSame(options.root), rules: new Map(), notes: [], odd: [] };
  for (const source of RULE_SOURCES) if (mayRead(source, options)) findIn(finder, source);
  if (finder.odd.length > 0)
    finder.notes.push(
      `The head of ${listed(finder.odd)} is not YAML, so it was read as lines of key: value. Quote values that begin with a * or a {.`,
    );
  return { rules: [...finder.rules.values()], notes: finder.notes };
}

interface Finder {
  options: DiscoveryOptions;
  /** Links resolved. */
  root: string;
  rules: Map<string, Rule>;
  notes: string[];
  /** Rules whose head could not be read as YAML. */
  odd: string[];
}

function mayRead(source: RuleSource, options: DiscoveryOptions): boolean {
  return source.owner === "user" || (placeOf(source, options) !== undefined && options.isTrusted());
}

function findIn(finder: Finder, source: RuleSource): void {
  const place = placeOf(source, finder.options);
  if (place === undefined) return;
  if (!place.isFolder) {
    if (source.file !== undefined) readFile(finder, source, { path: place.path, name: source.file });
    return;
  }
  const names = namesIn(finder, place.path).filter((name) => source.extensions.some((end) => name.endsWith(end)));
  if (names.length > MOST_FILES_IN_FOLDER)
    finder.notes.push(`${place.path} has ${names.length} rules: only the first ${MOST_FILES_IN_FOLDER} are read.`);
  for (const file of names.slice(0, MOST_FILES_IN_FOLDER)) {
    const name = basename(file).replace(/\.mdc?$/, "");
    readFile(finder, source, { path: join(place.path, file), name });
  }
}

function namesIn({ notes }: Finder, folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    notes.push(`${fileFailure(folder, error, "read").message} Its rules do not count.`);
    return [];
  }
}

function readFile(finder: Finder, { owner }: RuleSource, { path, name }: { path: string; name: string }): void {
  const { rules, notes, options } = finder;
  if (rules.has(name)) return;
  const shown = owner === "project" ? shownPath(options.root, path) : path;
  const leaveOut = (why: string) => void notes.push(`The rule ${shown} was left out: ${why}.`);
  if (rules.size >= MOST_RULES) return leaveOut(`there are ${MOST_RULES} already`);
  if (name.length > LONGEST_NAME || /[\p{Cc}"<>]/u.test(name) || name === "")
    return leaveOut(`its name has signs that are not allowed, or more than ${LONGEST_NAME} of them`);
  const real = realFile(finder, owner, path);
  if (!real.ok) return leaveOut(real.why);
  const file = readTextFile(real.path, { maxBytes: MOST_RULE_BYTES });
  if (!file.ok) return leaveOut(file.message.replaceAll(real.path, "it").replace(/\.$/, ""));
  const { rule, isFallback } = readRule({ name, path: shown, text: file.text });
  if (isFallback) finder.odd.push(name);
  rules.set(name, rule);
}

type RealFile = { ok: true; path: string } | { ok: false; why: string };

/** A link of a project that leads out of it shows what nobody trusted. */
function realFile({ root, options }: Finder, owner: RuleSource["owner"], path: string): RealFile {
  try {
    const real = realpathSync(path);
    if (owner === "project" && !isInside(root, real)) return { ok: false, why: "it leads out of the project" };
    return options.isProtected(real) ? { ok: false, why: "it is a protected file" } : { ok: true, path: real };
  } catch (error) {
    return { ok: false, why: fileFailure("it", error, "read").message.replace(/\.$/, "") };
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function shownPath(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const MOST_LISTED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  const shown = names.slice(0, MOST_LISTED).join(", ");
  return `${names.length === 1 ? "the rule" : "the rules"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}
