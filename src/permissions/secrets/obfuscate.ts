import { writtenForms } from "../../system/redact.ts";
import {
  createStreamRestorer,
  escapePlaceholders,
  restorePlaceholders,
  type StreamRestorer,
} from "./restore-placeholders.ts";
import type { Secret } from "./secret.ts";
import { codeFor, maskFor, placeholder } from "./secret-codes.ts";
import { createTextFinder, type Hiding, mergeSpans, patternSpans, type Span, type TextFinder } from "./secret-spans.ts";

/**
 * Hides secrets in texts and brings them back. What it writes follows from the key and the texts it was given before, in their
 * order, and from nothing else: the same conversation gives the same bytes.
 */
export interface Obfuscation {
  hide(text: string): string;
  /** `inJson` for text in which values stand inside JSON strings. */
  restore(text: string, options?: { inJson: boolean }): string;
  restoreStream(options?: { inJson: boolean }): StreamRestorer;
  /** What was in the way of looking at everything; the text may not leave then. */
  problem(): string | undefined;
}

export interface Obfuscator {
  /** For one request, or whatever else is read from its beginning to its end. */
  begin(): Obfuscation;
}

export interface ObfuscatorOptions {
  /** Fixed over a session; see `secretsKey`. */
  key: string;
  /** A clock in milliseconds. */
  now(): number;
}

export function secretsKey(sessionId: string): string {
  return `ralph secrets ${sessionId}`;
}

/** How long expressions may take for one request. What they found in a text is remembered, so a long conversation counts once. */
const PATTERN_MS = 5000;
/** Matches of expressions that get a placeholder of their own; those beyond are replaced for good. */
const MOST_MATCHES = 10_000;
/** A match of an expression is hidden wherever else it stands, unless it is so short that it may be a word. */
const SHORTEST_MATCH = 8;
const SHORTEST_LINE = 16;
const MOST_REMEMBERED = 2000;
const WORTH_REMEMBERING = 256;

export function createObfuscator(secrets: readonly Secret[], options: ObfuscatorOptions): Obfuscator {
  const finder = createTextFinder();
  const codes = new Map<string, string>();
  const values = new Map<string, string>();
  for (const { form, hiding } of formsOf(secrets)) {
    finder.add(form, hiding);
    if (hiding.mode === "replace") continue;
    const code = codeFor(options.key, form, (taken) => values.has(taken));
    codes.set(form, code);
    values.set(code, form);
  }
  const known: Known = { finder, codes, values, patterns: createPatterns(secrets, options.now) };
  return { begin: () => begin(known, options) };
}

interface Known {
  finder: TextFinder;
  /** By value. */
  codes: ReadonlyMap<string, string>;
  /** By code. */
  values: ReadonlyMap<string, string>;
  patterns: Patterns;
}

/** Every way a plain secret may be written, each once, in an order that does not depend on where it came from. */
function formsOf(secrets: readonly Secret[]): { form: string; hiding: Hiding }[] {
  const forms = new Map<string, Hiding>();
  for (const secret of secrets) {
    if (secret.type !== "plain") continue;
    const { mode, replacement } = secret;
    const hiding = replacement === undefined ? { mode } : { mode, replacement };
    // A later source decides where two name the same secret.
    for (const form of [secret.content, ...linesOf(secret.content)].flatMap((text) => [...writtenForms(text)]))
      forms.set(form, hiding);
  }
  return [...forms].sort(([one], [other]) => (one < other ? -1 : 1)).map(([form, hiding]) => ({ form, hiding }));
}

/** Lines of a key in many lines are shown alone by `head` and the like. The first and last of a private key tell nothing. */
function linesOf(content: string): string[] {
  const lines = content.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----"));
  return content.includes("\n") ? lines : [];
}

interface Patterns {
  spansIn(text: string, spend: (milliseconds: number, place: string) => void): Span[];
}

function createPatterns(secrets: readonly Secret[], now: () => number): Patterns {
  const patterns = secrets.filter((secret) => secret.type === "regex");
  const remembered = new Map<string, Span[]>();
  const look: Patterns["spansIn"] = (text, spend) =>
    patterns.flatMap((secret) => {
      const begun = now();
      const spans = patternSpans(text, secret);
      spend(now() - begun, secret.place);
      return spans;
    });
  return {
    spansIn(text, spend) {
      if (patterns.length === 0) return [];
      if (text.length < WORTH_REMEMBERING) return look(text, spend);
      const spans = remembered.get(text) ?? look(text, spend);
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(text, spans);
      return spans;
    },
  };
}

function begin(known: Known, { key }: ObfuscatorOptions): Obfuscation {
  const found: Found = { finder: createTextFinder(), codes: new Map(), values: new Map(), literal: new Set() };
  const lookUp = (code: string) => known.values.get(code) ?? found.values.get(code);
  let problem: string | undefined;
  let spent = 0;
  const spend = (milliseconds: number, place: string) => {
    spent += milliseconds;
    if (spent > PATTERN_MS)
      problem ??= `The expressions of secrets.yml took over ${PATTERN_MS} ms (last: ${place}), so nothing was sent. Make that expression simpler.`;
  };
  const hideSpan = (value: string, hiding: Hiding) => {
    if (hiding.mode === "replace") return hiding.replacement ?? maskFor(key, value);
    const code = known.codes.get(value) ?? found.codes.get(value) ?? newCode(value, { known, found, key });
    return code === undefined ? maskFor(key, value) : placeholder(code);
  };
  return {
    hide(text) {
      const spans = [
        ...known.finder.spansIn(text),
        ...found.finder.spansIn(text),
        ...known.patterns.spansIn(text, spend),
      ];
      const isCode = (code: string) => lookUp(code) !== undefined;
      const escaped = (part: string) => escapePlaceholders(part, isCode, (code) => found.literal.add(code));
      let result = "";
      let done = 0;
      for (const { from, to, hiding } of mergeSpans(spans)) {
        result += escaped(text.slice(done, from)) + hideSpan(text.slice(from, to), hiding);
        done = to;
      }
      return result + escaped(text.slice(done));
    },
    restore: (text, options) => restorePlaceholders(text, lookUp, writing(options)),
    restoreStream: (options) => createStreamRestorer(lookUp, writing(options)),
    problem: () => problem,
  };
}

/** What expressions found so far, and known secrets that stand in one another. */
interface Found {
  finder: TextFinder;
  codes: Map<string, string>;
  values: Map<string, string>;
  /** Codes that stood in a text before they meant something; they never will. */
  literal: Set<string>;
}

function newCode(
  value: string,
  { known, found, key }: { known: Known; found: Found; key: string },
): string | undefined {
  if (found.codes.size >= MOST_MATCHES) return undefined;
  const isTaken = (code: string) => known.values.has(code) || found.values.has(code) || found.literal.has(code);
  const code = codeFor(key, value, isTaken);
  found.codes.set(value, code);
  found.values.set(code, value);
  if (value.length >= SHORTEST_MATCH) found.finder.add(value, { mode: "obfuscate" });
  return code;
}

function writing(options: { inJson: boolean } | undefined): (value: string) => string {
  return options?.inJson ? (value) => JSON.stringify(value).slice(1, -1) : (value) => value;
}
