import {
  type AndOr,
  type Assignment,
  type Command,
  type CompoundList,
  type For,
  type Function as FunctionNode,
  forEachChild,
  type If,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirected,
  type Statement,
  type SyntaxNode,
  type Redirection as SyntaxRedirection,
  type TestCommand,
  type While,
  type Word,
} from "unbash";
import { type BuiltSegment, buildSegment, type RawCommand } from "./build-segment.ts";
import {
  ANALYSIS_LIMITS,
  type AnalysisPlace,
  type Concern,
  type ConcernType,
  type Segment,
} from "./command-analysis.ts";
import { isFilter, isLister } from "./file-lists.ts";
import { type KnownValue, plainWord, type ReadWord, readWord, type WordScope } from "./read-word.ts";
import { type ReadRedirections, readRedirections } from "./redirections.ts";
import { testConcerns } from "./test-expressions.ts";
import { either, type Folders, type Outcome, reachable, stay, together } from "./working-folders.ts";

// The syntax tree, node by node. Known nodes are followed as bash would run them; in all others commands are only looked for.

interface Situation {
  folders: Folders;
  variables: ReadonlyMap<string, KnownValue>;
  nested: boolean;
  depth: number;
  listing: boolean;
}

export class TreeWalk {
  readonly segments: Segment[] = [];
  readonly concerns: Concern[] = [];
  complete = true;
  readonly #place: AnalysisPlace;

  constructor(place: AnalysisPlace) {
    this.#place = place;
  }

  walk(script: ParsedScript): void {
    const { cwd } = this.#place;
    this.#script(script, { folders: [cwd], variables: new Map(), nested: false, depth: 0, listing: false });
  }

  #worry(type: ConcernType, detail: string): void {
    if (!this.concerns.some((known) => known.type === type && known.detail === detail))
      this.concerns.push({ type, detail });
  }

  #script(script: ParsedScript, situation: Situation): Outcome {
    if (situation.depth > ANALYSIS_LIMITS.depth) {
      this.complete = false;
      this.#worry("too-deep", `more than ${ANALYSIS_LIMITS.depth} substitutions within each other`);
      return stay(situation);
    }
    const [error] = script.errors ?? [];
    if (error !== undefined) {
      this.complete = false;
      this.#worry("parse-error", `cannot be read as bash: ${error.message}`);
    }
    return this.#sequence(script.commands, situation);
  }

  #sequence(statements: readonly Statement[], situation: Situation): Outcome {
    let outcome = stay(situation);
    let { folders } = situation;
    for (const { command, background } of statements) {
      const after = this.#node(command, { ...situation, folders: reachable(folders, situation.folders) });
      if (background === true) continue;
      outcome = after;
      folders = either(after.ok, after.failed);
    }
    return statements.length === 0 ? outcome : { ok: either(outcome.ok), failed: outcome.failed };
  }

  #node(node: SyntaxNode, situation: Situation): Outcome {
    if (this.#full()) return stay(situation);
    switch (node.type) {
      case "Command":
        return this.#command(node, situation).outcome;
      case "AndOr":
        return this.#andOr(node, situation);
      case "Pipeline":
        return this.#pipeline(node, situation);
      case "If":
        return this.#if(node, situation);
      case "For":
        return this.#for(node, situation);
      case "While":
        return this.#while(node, situation);
      case "Subshell":
        this.#sequence(node.body.commands, situation);
        return stay(situation);
      case "BraceGroup":
        return this.#sequence(node.body.commands, situation);
      case "Redirected":
        return this.#redirected(node, situation);
      case "TestCommand":
        return this.#test(node, situation);
      case "Function":
        return this.#function(node, situation);
      default:
        return this.#unsupported(node, situation);
    }
  }

  #andOr({ commands, operators }: AndOr, situation: Situation): Outcome {
    let outcome = stay(situation);
    for (const [index, command] of commands.entries()) {
      const operator = index === 0 ? undefined : operators[index - 1];
      const before = outcome;
      const folders = operator === undefined ? situation.folders : operator === "&&" ? before.ok : before.failed;
      const after = this.#node(command, { ...situation, folders: reachable(folders, situation.folders) });
      if (operator === undefined) outcome = after;
      else if (operator === "&&") outcome = { ok: after.ok, failed: either(before.failed, after.failed) };
      else outcome = { ok: either(before.ok, after.ok), failed: after.failed };
    }
    return outcome;
  }

  #pipeline({ commands, prefixes }: Pipeline, situation: Situation): Outcome {
    const [only, ...others] = commands;
    const negated = prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
    if (only !== undefined && others.length === 0) {
      const { ok, failed } = this.#node(only, situation);
      return negated ? { ok: failed, failed: ok } : { ok, failed };
    }
    let listing = false;
    for (const command of commands) {
      const inPipe = { ...situation, listing };
      const before = this.segments.length;
      this.#node(command, inPipe);
      const [segment, ...more] = this.segments.slice(before);
      const simple = command.type === "Command" && segment !== undefined && more.length === 0;
      listing = simple && (isLister(segment) || (listing && isFilter(segment)));
    }
    return stay(situation);
  }

  #if({ clause, then, elif, else: otherwise }: If, situation: Situation): Outcome {
    const branches = [{ clause, then }, ...elif];
    let folders = situation.folders;
    const ends: Outcome[] = [];
    for (const branch of branches) {
      const test = this.#sequence(branch.clause.commands, { ...situation, folders });
      ends.push(this.#list(branch.then, situation, test.ok));
      folders = reachable(test.failed, situation.folders);
    }
    ends.push(otherwise === undefined ? { ok: folders, failed: folders } : this.#list(otherwise, situation, folders));
    return together(ends);
  }

  #list(list: CompoundList, situation: Situation, folders: Folders): Outcome {
    return this.#sequence(list.commands, { ...situation, folders: reachable(folders, situation.folders) });
  }

  /** Unrolled: the body is looked at once for each value. */
  #for({ name, wordlist, body }: For, situation: Situation): Outcome {
    const values = (wordlist ?? []).flatMap((word) => this.#word(word, situation));
    const plain = /^[a-z][a-z0-9_]*$/.test(name.value) && !name.value.endsWith("_proxy");
    // A loop inside leaves its last value behind in a variable of the same name.
    const fresh = !situation.variables.has(name.value);
    if (wordlist === undefined || values.length > ANALYSIS_LIMITS.loopValues || !plain || !fresh)
      this.#worry("unsupported-syntax", "a loop over values that are not written out, or into a special variable");
    let outcome = stay(situation);
    for (const value of values.length === 0 ? [plainWord("")] : values.slice(0, ANALYSIS_LIMITS.loopValues)) {
      for (const { type, detail } of value.concerns) this.#worry(type, detail);
      const known: KnownValue = {
        text: value.text,
        ...(value.soft && { soft: value.soft }),
        ...(value.loose && { loose: true }),
      };
      const variables = new Map([...situation.variables, [name.value, known]]);
      outcome = this.#sequence(body.commands, { ...situation, variables });
      this.#mustStay(outcome, situation);
    }
    return together([outcome, stay(situation)]);
  }

  #while({ clause, body }: While, situation: Situation): Outcome {
    const test = this.#sequence(clause.commands, situation);
    this.#mustStay(test, situation);
    this.#mustStay(this.#list(body, situation, situation.folders), situation);
    return stay(situation);
  }

  /** A loop that moves starts its next round somewhere else. */
  #mustStay({ ok, failed }: Outcome, { folders }: Situation): void {
    const moved = either(ok, failed)?.some((folder) => folders?.includes(folder) !== true) ?? true;
    if (moved) this.#worry("working-directory", "a loop that changes the working folder");
  }

  #redirected({ command, redirects }: Redirected, situation: Situation): Outcome {
    const read = this.#redirects(redirects, situation);
    if (read.concerns.length > 0 || read.paths.length > 0)
      this.#add({ ...this.#empty(situation), redirects: read, text: "a redirection" }, situation);
    return this.#node(command, situation);
  }

  #test({ expression }: TestCommand, situation: Situation): Outcome {
    const read = (word: Word) => this.#word(word, situation)[0] ?? plainWord("");
    const { concerns, paths } = testConcerns(expression, read);
    for (const { type, detail } of concerns) this.#worry(type, detail);
    if (paths.length > 0)
      this.#add(
        { ...this.#empty(situation), words: ["test", "-e", ...paths].map((text) => plainWord(text)), text: "[[ … ]]" },
        situation,
      );
    return stay(situation);
  }

  #function(node: FunctionNode, situation: Situation): Outcome {
    const before = this.segments.length;
    this.#unsupported(node, situation);
    const calls = this.segments.slice(before).some(({ words }) => words[0] === node.name.value);
    if (calls) this.#worry("fork-bomb", `the function ${node.name.value} starts itself`);
    this.#worry("definition", `defines the function ${node.name.value}`);
    return stay(situation);
  }

  #unsupported(node: SyntaxNode, situation: Situation): Outcome {
    this.#worry("unsupported-syntax", `${node.type} is not part of what is allowed without a question`);
    this.#lookInside(node, { ...situation, nested: true });
    return stay(situation);
  }

  /** Commands and scripts in it are looked at, but nothing in it is allowed. */
  #lookInside(node: SyntaxNode, situation: Situation): void {
    forEachChild(node, (child) => {
      if (child.type === "Script") this.#script(child, { ...situation, depth: situation.depth + 1 });
      else if (LOOKED_AT.has(child.type)) this.#node(child, situation);
      else if (child.type === "Word") this.#word(child, situation);
      else this.#lookInside(child, situation);
    });
  }

  #command(node: Command, situation: Situation): { outcome: Outcome } {
    const words = this.#argumentWords(node, situation);
    if (words.length + node.redirects.length + node.prefix.length > ANALYSIS_LIMITS.words) {
      this.complete = false;
      this.#worry("too-many-segments", `more than ${ANALYSIS_LIMITS.words} words in one command`);
      return { outcome: stay(situation) };
    }
    const assignments = node.prefix.flatMap((prefix) =>
      prefix.type === "Assignment" ? [this.#assignment(prefix, situation)] : [],
    );
    const redirects = this.#redirects(node.redirects, situation);
    const text = words.map(({ source }) => source).join(" ");
    const built = this.#add({ ...this.#empty(situation), words, assignments, redirects, text }, situation);
    return { outcome: afterCommand(built, situation) };
  }

  #argumentWords(node: Command, situation: Situation): ReadWord[] {
    const name = node.name === undefined ? [] : this.#word(node.name, situation);
    if (name.length > 1) this.#worry("brace-expansion", "the command itself is a brace expansion");
    return [
      ...name,
      ...node.args.flatMap((argument) =>
        argument.type === "Word" ? this.#word(argument, situation) : [this.#argumentAssignment(argument, situation)],
      ),
    ];
  }

  #argumentAssignment(node: Assignment, situation: Situation): ReadWord {
    const { value } = this.#assignment(node, situation);
    const simple = value !== undefined && node.index === undefined && node.append !== true;
    return {
      ...plainWord(simple ? `${node.name}=${value.text}` : node.text, node.text),
      concerns: simple ? value.concerns : [{ type: "environment", detail: `${node.text} is no plain assignment` }],
    };
  }

  #assignment(node: Assignment, situation: Situation): { name: string; value: ReadWord | undefined } {
    if (node.value.type === "Word" && node.index === undefined && node.append !== true)
      return { name: node.name, value: this.#word(node.value, situation)[0] };
    this.#lookInside(node, { ...situation, nested: true });
    return { name: node.name, value: undefined };
  }

  #redirects(list: readonly SyntaxRedirection[], situation: Situation): ReadRedirections {
    return readRedirections(list, situation.folders, (redirection) => {
      if (redirection.type !== "HereDoc")
        return redirection.target === undefined ? undefined : this.#word(redirection.target, situation)[0];
      this.#lookInside(redirection, { ...situation, nested: true });
      return undefined;
    });
  }

  /** Decodes a word and looks into its substitutions. */
  #word(word: Word, situation: Situation): ReadWord[] {
    const { folders, variables } = situation;
    const scope: WordScope = { home: this.#place.home, cwd: folders?.length === 1 ? folders[0] : undefined, variables };
    const words = readWord(word, scope);
    for (const { scripts } of words)
      for (const script of scripts)
        this.#script(script, { ...situation, nested: true, depth: situation.depth + 1, listing: false });
    return words;
  }

  #empty(situation: Situation): RawCommand {
    const { folders, nested, listing } = situation;
    const redirects = { redirections: [], paths: [], concerns: [] };
    return { words: [], assignments: [], redirects, text: "", cwds: folders, start: this.#place.cwd, nested, listing };
  }

  #add(raw: RawCommand, situation: Situation): BuiltSegment {
    const built = buildSegment(raw);
    this.segments.push(built.segment);
    if (this.segments.length > ANALYSIS_LIMITS.segments)
      this.#worry("too-many-segments", `more than ${ANALYSIS_LIMITS.segments} commands in one`);
    for (const { words } of built.inner)
      this.#add({ ...this.#empty(situation), words, text: words.map(({ source }) => source).join(" ") }, situation);
    for (const code of built.code) this.#code(code, situation);
    return built;
  }

  /** Too much to look at: the rest is not looked at, and the whole is refused. */
  #full(): boolean {
    if (this.segments.length < ANALYSIS_LIMITS.scanned) return false;
    this.complete = false;
    return true;
  }

  /** Text that a second shell would read: for deny rules only. */
  #code(text: string, situation: Situation): void {
    if (this.#full()) return;
    if (situation.depth >= ANALYSIS_LIMITS.depth) {
      this.complete = false;
      this.#worry("too-deep", `more than ${ANALYSIS_LIMITS.depth} code strings within each other`);
      return;
    }
    const inner = new TreeWalk(this.#place);
    inner.#script(parse(text), { ...situation, nested: true, depth: situation.depth + 1, variables: new Map() });
    this.segments.push(...inner.segments.map((segment) => ({ ...segment, nested: true })));
    this.complete &&= inner.complete;
    this.concerns.push(...inner.concerns.filter(({ type }) => type === "fork-bomb"));
  }
}

const LOOKED_AT = new Set(["Command", "Pipeline", "AndOr", "If", "For", "While", "Subshell", "Redirected", "Function"]);

function afterCommand({ enters, segment }: BuiltSegment, situation: Situation): Outcome {
  if (enters !== null) return { ok: enters, failed: situation.folders };
  if (segment.words[0] === "exit" && segment.layers.length === 1) return { ok: [], failed: [] };
  return stay(situation);
}
