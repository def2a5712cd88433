// Expressions people write for their secrets. An expression is run on every text of every request, so one that could take
// very long on some text is refused when it is read: by its form, and by trying it on texts that make such expressions slow.

export type CompiledPattern = { ok: true; pattern: RegExp } | { ok: false; message: string };

/** An expression is never given more than this at once; see `patternSpans`. */
export const PATTERN_WINDOW = 8192;
const MAX_SOURCE = 2000;
const TRIAL_MS = 150;

/** `/…/flags` or the bare expression. `now` is a clock in milliseconds. */
export function compilePattern(
  content: string,
  { flags = "", now }: { flags?: string | undefined; now: () => number },
): CompiledPattern {
  const literal = /^\/(?<source>.+)\/(?<flags>[a-z]*)$/s.exec(content)?.groups;
  const source = literal?.source ?? content;
  const wanted = new Set(`${literal?.flags ?? ""}${flags}g`);
  const strange = [...wanted].find((flag) => !"gimsuv".includes(flag));
  if (strange !== undefined) return refused(`the flag ${strange} is not possible here (i, m, s, u, v are)`);
  if (source.length > MAX_SOURCE) return refused(`the expression is longer than ${MAX_SOURCE} characters`);
  const danger = dangerIn(source);
  if (danger !== undefined) return refused(danger);
  try {
    return tried(new RegExp(source, [...wanted].sort().join("")), now);
  } catch (error) {
    return refused(`it is no valid expression: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refused(message: string): CompiledPattern {
  return { ok: false, message };
}

interface Group {
  /** Something in it may stand there more or less often. */
  varies: boolean;
  /** What each alternative begins with; an empty text where that is not one plain character. */
  beginnings: string[];
  atBeginning: boolean;
}

/** Forms that can take exponential time: repetitions of repetitions, of alternatives that begin alike, and back references. */
function dangerIn(source: string): string | undefined {
  const open: Group[] = [newGroup()];
  let closed: Group | undefined;
  for (const [piece] of source.matchAll(PIECES)) {
    if (/^\\(?:[1-9]|k<)/.test(piece)) return "it refers back to what it found, which can take very long";
    const group = open.at(-1) ?? newGroup();
    const times = timesOf(piece);
    if (times !== undefined) {
      const danger = closed !== undefined && times.most > MOST_TIMES ? repetitionOf(closed) : undefined;
      if (danger !== undefined) return danger;
      group.varies ||= times.most > times.least;
      closed = undefined;
      continue;
    }
    closed = undefined;
    if (piece.startsWith("(")) open.push(newGroup());
    else if (piece === "|") group.atBeginning = true;
    else if (piece !== ")") note(group, PLAIN.test(piece) ? piece : "");
    else {
      closed = open.pop();
      const around = open.at(-1);
      // More groups end than begin: not an expression at all, which is found out later.
      if (around === undefined) return undefined;
      note(around, "");
      around.varies ||= closed?.varies === true;
    }
  }
  return undefined;
}

const PLAIN = /^(?:\\\W|[A-Za-z0-9_ /:=#@%&,;<>"'`~!-])$/;
/** A few repetitions of something that varies are harmless. */
const MOST_TIMES = 8;

/** Escapes, sets, the beginnings of groups, repetitions, single characters. */
const PIECES =
  /\\(?:k<[^>]*>|u\{[^}]*\}|[pP]\{[^}]*\}|c[A-Za-z]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?::|=|!|<=|<!|<[^>]*>|[a-z-]+:))?|\{\d+(?:,\d*)?\}|[\s\S]/g;

function newGroup(): Group {
  return { varies: false, beginnings: [], atBeginning: true };
}

function note(group: Group, beginning: string): void {
  if (group.atBeginning) group.beginnings.push(beginning);
  group.atBeginning = false;
}

/** How often what stands before is repeated; undefined for what is no quantifier. */
function timesOf(piece: string): { least: number; most: number } | undefined {
  if (piece === "*" || piece === "+") return { least: 0, most: Number.POSITIVE_INFINITY };
  if (piece === "?") return { least: 0, most: 1 };
  const numbers = /^\{(?<least>\d+)(?<to>,(?<most>\d*))?\}$/.exec(piece)?.groups;
  if (numbers === undefined) return undefined;
  const least = Number(numbers.least);
  if (numbers.to === undefined) return { least, most: least };
  return { least, most: numbers.most === "" ? Number.POSITIVE_INFINITY : Number(numbers.most) };
}

function repetitionOf({ varies, beginnings }: Group): string | undefined {
  if (varies) return "it repeats a repetition, which can take very long";
  const isClear = beginnings.length < 2 || (new Set(beginnings).size === beginnings.length && !beginnings.includes(""));
  return isClear ? undefined : "it repeats alternatives that may begin alike, which can take very long";
}

/** Runs of one character are what makes a slow expression slow; short runs first, so that a bad one is found early. */
const LENGTHS = [8, 16, 20, 24, 28, 32, 64, 256, 1024, PATTERN_WINDOW];

function tried(pattern: RegExp, now: () => number): CompiledPattern {
  pattern.lastIndex = 0;
  if (pattern.exec("")?.[0] === "" || "a b".replace(pattern, (found) => (found === "" ? "?" : "")).includes("?"))
    return refused("it also fits the empty text");
  const characters = new Set([..."aA0 _-./=", ...pattern.source.replace(/[^A-Za-z0-9 /+=_-]/g, "").slice(0, 40)]);
  let spent = 0;
  for (const length of LENGTHS) {
    for (const character of characters) {
      const begun = now();
      pattern.lastIndex = 0;
      pattern.exec(`${character.repeat(length)}\u0001`);
      spent = Math.max(spent, now() - begun);
      if (spent > TRIAL_MS) return refused(`it took over ${TRIAL_MS} ms for ${length} characters`);
    }
  }
  pattern.lastIndex = 0;
  return { ok: true, pattern };
}
