import { forEachChild, type ParsedScript, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { Concern, ConcernType } from "./command-analysis.ts";

// One word of the tree, decoded as bash would. What bash would only know when it runs is marked, never guessed.

/**
 * How a word may differ from its text although nothing in it runs code:
 * a `number` is digits, a `value` any text of a harmless variable, a `glob` names files below its fixed part,
 * `listed` is a file name handed over by a program that lists files.
 */
export type Softness = "number" | "value" | "glob" | "listed";

export interface ReadWord {
  source: string;
  text: string;
  soft?: Softness;
  /** A soft word whose first character is not fixed: it could turn into an option. */
  loose?: boolean;
  concerns: Concern[];
  scripts: ParsedScript[];
}

export interface KnownValue {
  text: string;
  soft?: Softness;
  loose?: boolean;
}

export interface WordScope {
  home: string;
  /** Known only when there is exactly one. */
  cwd: string | undefined;
  variables: ReadonlyMap<string, KnownValue>;
}

/** More than one word only for a literal `{a,b}`. */
export function readWord(word: Word, scope: WordScope): ReadWord[] {
  const expanded = expandBraces(word.text);
  if (expanded !== undefined) return expanded.map((text) => expandedWord(text, word.text));
  return [new WordReading(word, scope).read()];
}

export function plainWord(text: string, source: string = text): ReadWord {
  return { text, source, concerns: [], scripts: [] };
}

function expandedWord(text: string, source: string): ReadWord {
  const word = plainWord(text, source);
  return /[*?]/.test(text) ? { ...word, soft: "glob", loose: /^[*?]/.test(text) } : word;
}

const SIMPLE_BRACES = /^([\w./@%+=:*?-]*)\{([\w./@%+:*?-]*(?:,[\w./@%+:*?-]*)+)\}([\w./@%+=:*?-]*)$/;
const SEQUENCE = /^\{(\d{1,4})\.\.(\d{1,4})\}$/;
const LONGEST_SEQUENCE = 64;

function expandBraces(text: string): string[] | undefined {
  const [, first, last] = SEQUENCE.exec(text) ?? [];
  if (first !== undefined && last !== undefined) return sequence(first, last);
  const match = SIMPLE_BRACES.exec(text);
  if (match === null || /^[A-Za-z_]\w*\+?=/.test(text)) return undefined;
  const [, before = "", middle = "", after = ""] = match;
  const words = middle.split(",").map((choice) => `${before}${choice}${after}`);
  return words.every((each) => each !== "") ? words : undefined;
}

function sequence(first: string, last: string): string[] | undefined {
  const [from, to] = [Number(first), Number(last)];
  const length = Math.abs(to - from) + 1;
  if (length > LONGEST_SEQUENCE || /^0\d/.test(first) || /^0\d/.test(last)) return undefined;
  return Array.from({ length }, (_, index) => String(from + (to > from ? index : -index)));
}

/** Variables whose value tells no secret and cannot be chosen by a file of the project. */
const HARMLESS_VARIABLES = new Set(
  "USER LOGNAME HOSTNAME LANG TERM SHELL PATH OLDPWD RANDOM SECONDS LINENO EPOCHSECONDS UID EUID PPID BASHPID HOME PWD NODE_ENV CI TMPDIR".split(
    " ",
  ),
);

class WordReading {
  readonly #word: Word;
  readonly #scope: WordScope;
  readonly #concerns: Concern[] = [];
  readonly #scripts: ParsedScript[] = [];
  #text = "";
  #soft: Softness | undefined;
  #loose = false;

  constructor(word: Word, scope: WordScope) {
    this.#word = word;
    this.#scope = scope;
  }

  read(): ReadWord {
    const { parts, text, value } = this.#word;
    if (parts === undefined) this.#bare(text, value);
    else for (const part of parts) this.#part(part);
    this.#wholeWord(text);
    return {
      source: text,
      text: this.#text,
      ...(this.#soft !== undefined && { soft: this.#soft }),
      ...(this.#loose && { loose: true }),
      concerns: this.#concerns,
      scripts: this.#scripts,
    };
  }

  /** Checks that need the source of the whole word. */
  #wholeWord(source: string): void {
    const unquoted = source.replace(/'[^']*'/g, "''");
    if (unquoted.includes("\\\n")) this.#worry("line-continuation", "a word goes on over a line end");
    if (/\\$/.test(source) && !/\\\\$/.test(source)) this.#worry("unsupported-syntax", "ends in a lone backslash");
    if (/[=:]~/.test(unquoted.replace(/"[^"]*"/g, '""')) && /^[A-Za-z_]\w*\+?=/.test(source))
      this.#worry("tilde", `${source}: a tilde after = or : may be expanded`);
  }

  #bare(source: string, value: string): void {
    if (source.startsWith("~") && this.#text === "") return this.#tilde(source, value);
    this.#text += value;
  }

  #tilde(source: string, value: string): void {
    // `~""/x` is no home folder: a quote in the part before the slash switches it off.
    if (this.#word.text === "~" || source.startsWith("~/")) this.#text += this.#scope.home + value.slice(1);
    else {
      this.#text += value;
      this.#worry("tilde", `${source} may name another home folder`);
    }
  }

  #part(part: WordPart): void {
    switch (part.type) {
      case "Literal":
        if (part.pos === this.#word.pos) this.#bare(part.text, part.value);
        else this.#text += part.value;
        return;
      case "SingleQuoted":
        this.#text += part.value;
        return;
      case "AnsiCQuoted":
        this.#ansi(part.value, part.text);
        return;
      case "DoubleQuoted":
        for (const child of part.parts) this.#quotedPart(child);
        return;
      case "Glob":
        this.#soften("glob", part.text);
        if (part.kind === "bracket") for (const inner of part.parts) this.#bracketPart(inner);
        return;
      default:
        this.#expansion(part, false);
    }
  }

  #quotedPart(part: WordPart): void {
    if (part.type === "Literal") this.#text += part.value;
    else this.#expansion(part, true);
  }

  #bracketPart(part: WordPart): void {
    if (part.type === "Literal" || part.type === "SingleQuoted") return;
    this.#worry("glob", "a bracket pattern with more than letters in it");
    this.#collect(part);
  }

  #ansi(value: string, source: string): void {
    this.#text += value;
    if (/[^\t\n\x20-\x7e]/.test(value)) this.#worry("control-character", `${source} spells unusual characters`);
    if (!/^\$'(?:[^\\']|\\[nt\\'"]|\\x[0-9a-fA-F]{2}|\\[0-7]{3})*'$/.test(source))
      this.#worry("expansion", `${source} is spelled in a way that cannot be read for certain`);
  }

  #expansion(part: WordPart, quoted: boolean): void {
    const { text } = part;
    const name = plainVariable(part);
    if (name !== undefined) return this.#variable(name, quoted);
    if (part.type === "ArithmeticExpansion" && LITERAL_ARITHMETIC.test(text)) return this.#soften("number", "0");
    this.#text += text;
    this.#worry(EXPANSION_CONCERNS[part.type] ?? "expansion", `${shorten(text)} is only known when it runs`);
    this.#collect(part);
  }

  #variable(name: string, quoted: boolean): void {
    const known = this.#known(name);
    if (known !== undefined) {
      if (known.soft !== undefined) this.#soften(known.soft, known.text, known.loose ?? false);
      else if (quoted || SPLITS_NOT.test(known.text)) this.#text += known.text;
      else this.#worry("expansion", `$${name} may fall apart into several words`);
    } else if (/^[?#$!]$/.test(name)) this.#soften("number", "0");
    else if (HARMLESS_VARIABLES.has(name)) this.#soften("value", `$${name}`);
    else this.#worry("expansion", `$${name} is only known when it runs`);
  }

  #known(name: string): KnownValue | undefined {
    if (name === "HOME") return { text: this.#scope.home };
    if (name === "PWD" && this.#scope.cwd !== undefined) return { text: this.#scope.cwd };
    return this.#scope.variables.get(name);
  }

  #soften(soft: Softness, text: string, loose = true): void {
    if (this.#text === "" && loose) this.#loose = true;
    if (this.#soft !== undefined && this.#soft !== soft)
      this.#worry("expansion", "a pattern and a variable in one word");
    this.#soft = soft;
    this.#text += text;
  }

  #worry(type: ConcernType, detail: string): void {
    this.#concerns.push({ type, detail });
  }

  #collect(node: SyntaxNode): void {
    if (node.type === "Script") this.#scripts.push(node);
    else forEachChild(node, (child) => this.#collect(child));
  }
}

const LITERAL_ARITHMETIC = /^\$\(\([\d\s+\-*/%()<>=!&|^~?:]*\)\)$/;
const SPLITS_NOT = /^[\w./@%+=:,-]+$/;

const EXPANSION_CONCERNS: Partial<Record<WordPart["type"], ConcernType>> = {
  CommandExpansion: "substitution",
  ProcessSubstitution: "process-substitution",
  BraceExpansion: "brace-expansion",
  ExtendedGlob: "glob",
};

function plainVariable(part: WordPart): string | undefined {
  if (part.type === "SimpleExpansion") return /^\$([A-Za-z_]\w*|[?#$!])$/.exec(part.text)?.[1];
  if (part.type !== "ParameterExpansion") return undefined;
  return /^\$\{([A-Za-z_]\w*|[?#$!])\}$/.exec(part.text)?.[1];
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
