import type { ModelEvent } from "../../protocol/model-events.ts";
import { type ArgumentState, type ReadArguments, readArguments, START_OF_ARGUMENTS } from "./argument-reader.ts";
import type { PatternPlace } from "./pattern-automaton.ts";
import type { Rule } from "./rule.ts";
import { type AnswerSource, type GlobPlaces, pathFits, type Scope } from "./rule-scope.ts";
import type { WatchedRule } from "./watched-rule.ts";

// Looks for conditions in an answer that grows. A pure step: however the answer is cut into pieces, the same rules are found, up to
// and with the first that stops it.

export interface RuleHit {
  rule: Rule;
  source: AnswerSource["type"];
  /** The call whose arguments fit; absent for what was said. */
  toolCallId?: string;
  stops: boolean;
}

export interface MatcherOptions {
  rules: readonly WatchedRule[];
  places: GlobPlaces;
  /** The name of the tool a name stands for. */
  toolName(name: string): string;
  /** Whether the rule stops an answer for what it found there. */
  stops(rule: Rule, source: AnswerSource["type"]): boolean;
}

export interface MatcherState {
  readonly parts: ReadonlyMap<number, Part>;
  /** Names: a rule is found once in an answer. */
  readonly found: ReadonlySet<string>;
}

export interface MatcherStep {
  state: MatcherState;
  hits: RuleHit[];
}

interface Part {
  source: AnswerSource;
  toolCallId?: string;
  arguments: ArgumentState;
  searches: readonly Search[];
  /** How much of it was looked at. */
  seen: number;
}

/** One rule in one part. It is found once the condition has matched and, where files are named, one of them has come. */
interface Search {
  watched: WatchedRule;
  place: PatternPlace;
  /** Undefined where any file will do. */
  globs: readonly string[] | undefined;
  hasPath: boolean;
}

/** What is behind that in one part is not looked at. */
const MOST_SEEN = 1_000_000;

export const START_OF_ANSWER: MatcherState = { parts: new Map(), found: new Set() };

export function stepMatcher(state: MatcherState, event: ModelEvent, options: MatcherOptions): MatcherStep {
  switch (event.type) {
    case "text-start":
      return open(state, { index: event.index, source: { type: "text" } }, options);
    case "thinking-start":
      return open(state, { index: event.index, source: { type: "thinking" } }, options);
    case "tool-call-start": {
      const { index, id, name } = event;
      return open(state, { index, source: { type: "tool", name }, toolCallId: id }, options);
    }
    case "text-delta":
    case "thinking-delta":
    case "tool-call-delta":
      return grow(state, event, options);
    case "text-end":
    case "thinking-end":
    case "tool-call-end":
      return close(state, event.index, options);
    case "attempt-retry":
      return { state: START_OF_ANSWER, hits: [] };
    default:
      return { state, hits: [] };
  }
}

type Opened = { index: number } & Pick<Part, "source" | "toolCallId">;

function open(state: MatcherState, { index, source, toolCallId }: Opened, options: MatcherOptions): MatcherStep {
  const searches = options.rules.flatMap((watched): Search[] => {
    const globs = globsFor(watched.scopes, source, options);
    return globs === undefined ? [] : [{ watched, place: watched.automaton.start, ...globs, hasPath: false }];
  });
  const part: Part = {
    source,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    arguments: START_OF_ARGUMENTS,
    searches,
    seen: 0,
  };
  return settle(state, { index, part, settled: searches.map((search) => [search, 0]) }, options);
}

/** Undefined where the rule does not look there. */
function globsFor(
  scopes: readonly Scope[],
  source: AnswerSource,
  { toolName }: MatcherOptions,
): { globs: readonly string[] | undefined } | undefined {
  const fitting = scopes.filter((scope) => {
    if (scope.type !== "tool" || source.type !== "tool") return scope.type === source.type;
    return scope.name === undefined || toolName(scope.name) === toolName(source.name);
  });
  if (fitting.length === 0) return undefined;
  const globs = fitting.flatMap((scope) => (scope.type === "tool" ? (scope.glob ?? []) : []));
  return { globs: globs.length === fitting.length ? globs : undefined };
}

type Delta = Extract<ModelEvent, { type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

function grow(state: MatcherState, event: Delta, options: MatcherOptions): MatcherStep {
  const part = state.parts.get(event.index);
  if (part === undefined || part.searches.length === 0) return { state, hits: [] };
  const read: ReadArguments =
    event.type === "tool-call-delta"
      ? readArguments(part.arguments, event.text)
      : { state: part.arguments, text: event.text, paths: [] };
  const text = read.text.slice(0, Math.max(0, MOST_SEEN - part.seen));
  const settled = part.searches.map((search) => advance(search, { ...read, text }, options));
  const grown: Part = {
    ...part,
    arguments: read.state,
    searches: settled.map(([search]) => search),
    seen: part.seen + text.length,
  };
  return settle(state, { index: event.index, part: grown, settled }, options);
}

/** The search behind the text, and where in it both the condition and a file had come. */
function advance(search: Search, { text, paths }: ReadArguments, { places }: MatcherOptions): [Search, number] {
  const { watched, place, globs } = search;
  const read = watched.automaton.read(place, text, 0);
  const matchedAt = place.isMatched ? 0 : read.end;
  const fitting = search.hasPath
    ? undefined
    : paths.find(({ path }) => globs?.some((glob) => pathFits(glob, path, places)) === true);
  const next = { ...search, place: read.place, hasPath: search.hasPath || fitting !== undefined };
  return [next, Math.max(matchedAt, fitting?.end ?? 0)];
}

/** With the end of a part it is known what stands at its end. */
function close(state: MatcherState, index: number, options: MatcherOptions): MatcherStep {
  const part = state.parts.get(index);
  if (part === undefined) return { state, hits: [] };
  const settled = part.searches.map((search): [Search, number] => [
    { ...search, place: search.watched.automaton.finish(search.place) },
    0,
  ]);
  return settle(state, { index, part: { ...part, searches: [] }, settled }, options);
}

interface Advanced {
  index: number;
  part: Part;
  /** Each search with where in the piece it was settled. */
  settled: readonly (readonly [Search, number])[];
}

/** What was found, in the order of the text. Behind the first that stops the answer nothing counts. */
function settle(state: MatcherState, { index, part, settled }: Advanced, options: MatcherOptions): MatcherStep {
  const { source, toolCallId } = part;
  const found = settled
    .filter(([search]) => isFound(search) && !state.found.has(search.watched.rule.name))
    .map(([{ watched }, at]) => ({ rule: watched.rule, at, stops: options.stops(watched.rule, source.type) }));
  const stopAt = Math.min(...found.flatMap(({ at, stops }) => (stops ? [at] : [])));
  const hits = found
    .filter(({ at }) => at <= stopAt)
    .map(({ rule, stops }): RuleHit => {
      return { rule, source: source.type, ...(toolCallId === undefined ? {} : { toolCallId }), stops };
    });
  const names = new Set([...state.found, ...hits.map(({ rule }) => rule.name)]);
  const searches = part.searches.filter(({ watched }) => !names.has(watched.rule.name));
  const parts = new Map(state.parts).set(index, { ...part, searches });
  return { state: { parts, found: hits.length === 0 ? state.found : names }, hits };
}

function isFound({ place, globs, hasPath }: Search): boolean {
  return place.isMatched && (globs === undefined || hasPath);
}
