// What is known of a shell command before it runs. Plain data: everything that judges a command reads only this.

/** Why a command, or a part of it, is not what its plain words say. A concern asks at best; it never allows. */
export type ConcernType =
  | "parse-error"
  | "unsupported-syntax"
  | "substitution"
  | "process-substitution"
  | "expansion"
  | "glob"
  | "brace-expansion"
  | "tilde"
  | "here-document"
  | "redirect"
  | "environment"
  | "definition"
  | "shell-state"
  | "working-directory"
  | "parent-path"
  | "control-character"
  | "invisible-character"
  | "look-alike"
  | "line-continuation"
  | "dynamic-command"
  | "unknown-option"
  | "dangerous-option"
  | "runs-code"
  | "runs-program"
  | "privilege"
  | "fork-bomb"
  | "too-long"
  | "too-many-segments"
  | "too-deep";

export interface Concern {
  type: ConcernType;
  detail: string;
  /** Index into `words` of the segment: a rule that spells out this word has answered the concern. */
  word?: number;
}

/** `look` asks whether a file is there, not what is in it. */
export type PathUseKind = "read" | "look" | "write" | "execute" | "enter";

export interface PathUse {
  kind: PathUseKind;
  /** Absolute, resolved lexically; undefined where nobody can say before the command runs. */
  path: string | undefined;
  /** As written. */
  text: string;
  /** A pattern whose fixed part is `path`: what it names lies below. */
  pattern?: boolean;
}

export interface Redirection {
  operator: string;
  /** Decoded; undefined where it is dynamic. */
  target: string | undefined;
}

/** One simple command that would run. */
export interface Segment {
  /** Decoded words, wrappers taken off. */
  words: string[];
  /** The same without options that change nothing about what it is (`git --no-pager log`); undefined when there are none. */
  shorter?: string[];
  /** The words with their wrappers, outermost first; the last one equals `words`. */
  layers: string[][];
  /** Word lists this command may run that could not be told for certain: only deny rules look at them. */
  candidates: string[][];
  /** As written. */
  text: string;
  assignments: { name: string; value: string | undefined }[];
  redirections: Redirection[];
  /** Every folder it may run in; undefined when unknown. */
  cwds: readonly string[] | undefined;
  /** It runs in the folder the whole command was started in, so a relative program is the one a rule names. */
  atStart: boolean;
  paths: PathUse[];
  network: boolean;
  /** It runs other code: an interpreter, a build tool, a package script. */
  runsCode: boolean;
  /** A builtin that changes nothing but the control flow or the tracked folder: it needs no rule. */
  neutral: boolean;
  /** Runs inside a substitution or a code string: seen by deny rules, never allowed by itself. */
  nested: boolean;
  /** What the default tiers call it; undefined for a program without a table. */
  effect: ProgramEffect | undefined;
  concerns: Concern[];
}

export type ProgramEffect = "read" | "build" | "write" | "network" | "code";

export interface CommandAnalysis {
  text: string;
  segments: Segment[];
  /** Concerns of the command as a whole. */
  concerns: Concern[];
  /** False when commands may be hidden in it that no segment shows. */
  complete: boolean;
}

export interface AnalysisPlace {
  /** Absolute. */
  cwd: string;
  /** Absolute. */
  home: string;
}

export const ANALYSIS_LIMITS = {
  /** Characters of a command that are analysed; a longer one asks, with its text searched for what is denied. */
  text: 16_384,
  /** Commands that may be allowed together; more ask. */
  segments: 256,
  /** Commands looked at at all; more are refused. */
  scanned: 512,
  /** Words of one command; more are refused. */
  words: 2_048,
  /** Substitutions and code strings within each other. */
  depth: 12,
  /** Signs in the text that open a substitution, an expansion or a test. */
  openers: 256,
  /** Values a `for` is unrolled for. */
  loopValues: 64,
};
