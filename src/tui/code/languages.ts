// What the highlighter knows of a language: its words, its comments, its strings.

export interface Language {
  keywords: ReadonlySet<string>;
  lineComments: readonly string[];
  blockComment?: readonly [open: string, close: string];
  /** Longest first: a triple quote before a single one. */
  strings: readonly StringForm[];
  /** Whether words are compared without regard to case. */
  ignoresCase?: boolean;
}

export interface StringForm {
  quote: string;
  hasEscapes: boolean;
  /** Whether it goes on over line ends. */
  isMultiline: boolean;
}

/** By the name after a fence, or a file's extension. */
export function languageOf(name: string): Language | undefined {
  const wanted = name.trim().toLowerCase();
  const row = ROWS.find(({ names }) => names.includes(wanted));
  return row === undefined ? undefined : loaded(row);
}

interface Row extends Omit<Language, "keywords"> {
  names: readonly string[];
  words: string;
}

const SHORT = (quote: string): StringForm => ({ quote, hasEscapes: true, isMultiline: false });
const LONG = (quote: string): StringForm => ({ quote, hasEscapes: true, isMultiline: true });
const RAW = (quote: string): StringForm => ({ quote, hasEscapes: false, isMultiline: true });
const PAIR = [SHORT('"'), SHORT("'")];
const SLASHES = { lineComments: ["//"], blockComment: ["/*", "*/"] as const };

const ROWS: readonly Row[] = [
  {
    names: ["ts", "typescript", "tsx", "js", "javascript", "jsx", "mjs", "cjs", "mts", "cts"],
    words:
      "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown using var void while with yield",
    ...SLASHES,
    strings: [...PAIR, LONG("`")],
  },
  {
    names: ["py", "python", "pyi"],
    words:
      "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
    lineComments: ["#"],
    strings: [LONG('"""'), LONG("'''"), ...PAIR],
  },
  {
    names: ["rs", "rust"],
    words:
      "Self as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i16 i32 i64 i8 if impl in isize let loop match mod move mut pub ref return self static str struct super trait true type u16 u32 u64 u8 unsafe use usize where while",
    ...SLASHES,
    strings: [LONG('"')],
  },
  {
    names: ["go", "golang"],
    words:
      "any bool break byte case chan const continue default defer else error fallthrough false for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint var",
    ...SLASHES,
    strings: [...PAIR, RAW("`")],
  },
  {
    names: ["c", "h", "cpp", "c++", "cc", "hpp", "cxx", "objc"],
    words:
      "alignas auto bool break case catch char class concept const constexpr continue default delete do double else enum explicit extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private protected public register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while #define #else #endif #if #ifdef #ifndef #include #pragma",
    ...SLASHES,
    strings: PAIR,
  },
  {
    names: ["java", "kotlin", "kt", "scala", "cs", "csharp", "swift", "dart"],
    words:
      "abstract actor as async await base bool boolean break byte case catch char class companion const continue data def default do double else enum export extends extension false final finally float for foreach fun func get guard if implements import in init inner int interface internal is it lazy let long match mut namespace new nil null object open operator out override package private protected protocol public readonly record ref return sealed self set short static string struct super suspend switch synchronized this throw throws trait true try typealias typeof using val var virtual void when where while with yield",
    ...SLASHES,
    strings: [LONG('"""'), ...PAIR],
  },
  {
    names: ["sh", "bash", "zsh", "shell", "console", "fish"],
    words:
      "alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local readonly return set shift source then trap unset until while",
    lineComments: ["#"],
    strings: [LONG('"'), RAW("'")],
  },
  {
    names: ["rb", "ruby"],
    words:
      "alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield",
    lineComments: ["#"],
    strings: PAIR,
  },
  {
    names: ["php"],
    words:
      "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof interface isset list match namespace new null or print private protected public readonly require return static switch this throw trait true try unset use var while yield",
    lineComments: ["//", "#"],
    blockComment: ["/*", "*/"],
    strings: [LONG('"'), LONG("'")],
  },
  {
    names: ["sql", "postgres", "postgresql", "mysql", "sqlite"],
    words:
      "add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with",
    lineComments: ["--"],
    blockComment: ["/*", "*/"],
    strings: [RAW("'"), RAW('"')],
    ignoresCase: true,
  },
  { names: ["json", "jsonc", "json5", "jsonl"], words: "true false null", ...SLASHES, strings: [SHORT('"')] },
  {
    names: ["yaml", "yml"],
    words: "true false null yes no on off",
    lineComments: ["#"],
    strings: PAIR,
  },
  {
    names: ["toml", "ini", "conf", "properties", "env"],
    words: "true false",
    lineComments: ["#", ";"],
    strings: [LONG('"""'), ...PAIR],
  },
  {
    names: ["css", "scss", "less"],
    words:
      "and from import important include media mixin not only supports to use @media @import @include @mixin @keyframes !important",
    ...SLASHES,
    strings: PAIR,
  },
  { names: ["html", "xml", "svg", "vue"], words: "", lineComments: [], blockComment: ["<!--", "-->"], strings: PAIR },
  {
    names: ["lua"],
    words:
      "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
    lineComments: ["--"],
    strings: PAIR,
  },
  {
    names: ["dockerfile", "docker", "makefile", "make"],
    words:
      "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR AS include ifeq ifneq ifdef ifndef else endif export define endef",
    lineComments: ["#"],
    strings: PAIR,
  },
  {
    names: ["zig", "ex", "exs", "elixir", "hs", "haskell"],
    words:
      "after and as case catch class comptime const cond data def defmodule defp defstruct deriving do else end enum errdefer error export false fn for fun if import in infix instance let match module nil not null of or orelse pub rescue return struct switch test then true try type undefined union unreachable use using var when where while with",
    lineComments: ["//", "#", "--"],
    strings: [LONG('"""'), SHORT('"')],
  },
];

const ready = new Map<Row, Language>();

function loaded(row: Row): Language {
  const known = ready.get(row);
  if (known !== undefined) return known;
  const { names: _, words, ...rest } = row;
  const language = { ...rest, keywords: new Set(words.split(" ").filter((word) => word !== "")) };
  ready.set(row, language);
  return language;
}
