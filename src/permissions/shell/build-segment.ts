import { isPlainName } from "./characters.ts";
import type { Concern, Segment } from "./command-analysis.ts";
import { isHarmlessAssignment } from "./environment.ts";
import { resolveFrom } from "./lexical-path.ts";
import { type ProgramEffects, programEffects } from "./program-effects.ts";
import type { InnerCommand } from "./program-table.ts";
import type { ReadWord } from "./read-word.ts";
import type { ReadRedirections } from "./redirections.ts";
import { type Unwrapped, unwrap } from "./unwrap.ts";

// From the decoded words of one simple command to a segment.

export interface RawCommand {
  words: ReadWord[];
  assignments: { name: string; value: ReadWord | undefined }[];
  redirects: ReadRedirections;
  text: string;
  cwds: readonly string[] | undefined;
  start: string;
  nested: boolean;
  /** Standard input is a list of files inside checked folders. */
  listing: boolean;
}

export interface BuiltSegment {
  segment: Segment;
  /** Commands in its arguments. */
  inner: InnerCommand[];
  /** Text in its arguments that a shell would read. */
  code: string[];
  /** The folder a literal `cd` leads to; undefined when it cannot be told, null when it is no `cd`. */
  enters: readonly string[] | undefined | null;
}

export function buildSegment(raw: RawCommand): BuiltSegment {
  const unwrapped = unwrap(raw.words);
  const cwds = enteredBy(unwrapped, raw.cwds);
  const effects = programEffects(unwrapped.words, { cwds, fed: unwrapped.fed, listing: raw.listing });
  const words = unwrapped.words.map(({ text }) => text);
  const assignments = [...raw.assignments, ...unwrapped.assignments];
  const segment: Segment = {
    words,
    layers: unwrapped.layers,
    ...(effects.shorter !== undefined && { shorter: effects.shorter }),
    candidates: candidates(unwrapped, effects),
    text: raw.text,
    assignments: assignments.map(({ name, value }) => ({ name, value: literal(value) })),
    redirections: raw.redirects.redirections,
    cwds,
    atStart: cwds?.length === 1 && cwds[0] === raw.start,
    paths: [...effects.paths, ...raw.redirects.paths, ...enteredPaths(unwrapped, cwds)],
    network:
      effects.network || raw.redirects.redirections.some(({ target }) => /^\/dev\/(tcp|udp)\//.test(target ?? "")),
    runsCode: effects.runsCode,
    neutral: effects.neutral && unwrapped.layers.length === 1,
    nested: raw.nested,
    effect: effects.effect,
    concerns: [
      ...raw.words.flatMap(({ concerns }) => concerns),
      ...commandWordConcerns(unwrapped.words, raw),
      ...environmentConcerns(assignments, raw),
      ...unwrapped.concerns,
      ...effects.concerns,
      ...raw.redirects.concerns,
    ],
  };
  return {
    segment,
    inner: effects.inner,
    code: shellCode(unwrapped, effects),
    enters: words[0] === "cd" ? cdTargets(segment) : null,
  };
}

function literal(word: ReadWord | undefined): string | undefined {
  return word === undefined || word.soft !== undefined || word.concerns.length > 0 ? undefined : word.text;
}

function enteredBy({ enters }: Unwrapped, cwds: readonly string[] | undefined): readonly string[] | undefined {
  return enters.reduce<readonly string[] | undefined>((places, { text, soft, concerns }) => {
    if (soft !== undefined || concerns.length > 0) return undefined;
    return places?.map((place) => resolveFrom(place, text));
  }, cwds);
}

function enteredPaths({ enters }: Unwrapped, cwds: readonly string[] | undefined): Segment["paths"] {
  if (enters.length === 0) return [];
  const text = enters.map((word) => word.text).join(" ");
  return cwds === undefined
    ? [{ kind: "enter", path: undefined, text }]
    : cwds.map((path) => ({ kind: "enter", path, text }));
}

function commandWordConcerns([program]: readonly ReadWord[], raw: RawCommand): Concern[] {
  if (program === undefined) return [];
  const concerns: Concern[] = [];
  if (program.soft !== undefined || program.concerns.length > 0)
    concerns.push({ type: "dynamic-command", detail: `${program.source} is only known when it runs` });
  if (!isPlainName(program.text))
    concerns.push({
      type: "look-alike",
      detail: `the program name ${JSON.stringify(program.text)} is not plain ASCII`,
    });
  if (raw.cwds === undefined)
    concerns.push({ type: "working-directory", detail: "the folder it would run in is not known" });
  else if (/^[^/].*\//.test(program.text) && !(raw.cwds.length === 1 && raw.cwds[0] === raw.start))
    concerns.push({ type: "working-directory", detail: `${program.text} is another program in another folder` });
  return concerns;
}

function environmentConcerns(assignments: RawCommand["assignments"], raw: RawCommand): Concern[] {
  const alone = raw.words.length === 0;
  return assignments.flatMap(({ name, value }) => {
    const worries = value?.concerns ?? [];
    if (!alone && isHarmlessAssignment(name, literal(value))) return worries;
    const detail = alone ? `${name}=… changes what follows` : `${name}=… may change what the command does`;
    return [...worries, { type: "environment" as const, detail }];
  });
}

/** Where the analysis cannot say which words are the command, every tail of them is one for a deny rule. */
function candidates({ unclear, words }: Unwrapped, { concerns }: ProgramEffects): string[][] {
  const runs = concerns.some(({ type }) => type === "runs-program" || type === "shell-state");
  if (!unclear && !runs) return [];
  const texts = words.map(({ text }) => text);
  return texts.slice(1, MAXIMUM_CANDIDATES).map((_, index) => texts.slice(index + 1));
}

const MAXIMUM_CANDIDATES = 64;

/** Words a shell would read once more: of `sh -c`, of `eval`, of programs that start others. */
function shellCode({ words, unclear }: Unwrapped, { concerns }: ProgramEffects): string[] {
  const runs = concerns.some(({ type }) => /^(runs-program|runs-code|shell-state|dangerous-option)$/.test(type));
  if (!runs && !unclear) return [];
  const texts = words.slice(1).map(({ text }) => text);
  const spaced = texts.filter((text) => /[\s;|&$`(]/.test(text)).slice(0, MAXIMUM_CANDIDATES);
  const joined = concerns.some(({ type }) => type === "shell-state" || type === "runs-program")
    ? [texts.join(" ")]
    : [];
  const split = texts.flatMap((text) => /^(?:-S|--split-string=)(.+)$/s.exec(text)?.[1] ?? []);
  return [...new Set([...spaced, ...joined, ...split])];
}

/** `cd` alone and `cd -` lead where nobody can tell. */
function cdTargets({ words, layers, paths, cwds }: Segment): readonly string[] | undefined {
  const operands = words.slice(1).filter((word) => !/^-[PLe]+$/.test(word) && word !== "--");
  // `command cd` moves the shell, `env cd` does not.
  if (layers.length > 1 || cwds === undefined || operands.length !== 1 || operands[0] === "-" || operands[0] === "")
    return undefined;
  const entered = paths.filter(({ kind }) => kind === "enter").map(({ path }) => path);
  return entered.length > 0 && entered.every((path) => path !== undefined) ? entered : undefined;
}
