import type { Edge, PatternTree } from "./pattern-syntax.ts";

// Runs patterns over a text that comes in pieces, one character after the other and never back. The sets of places a pattern can be
// in are worked out when they are first met and kept, so a character usually costs one look into a table.

/** Where a pattern stands in a text. Immutable: to be kept, and gone on from, as often as one likes. */
export interface PatternPlace {
  readonly isMatched: boolean;
}

export interface PatternAutomaton {
  readonly start: PatternPlace;
  /** The place behind `text` from `from` on. `end` is how far was read: up to and with the character that settled a match. */
  read(place: PatternPlace, text: string, from: number): { place: PatternPlace; end: number };
  /** The text has ended here. */
  finish(place: PatternPlace): PatternPlace;
  /** It met more different situations than are worked out, and matches nothing any more. */
  isExhausted(): boolean;
}

export type AutomatonResult = { ok: true; automaton: PatternAutomaton } | { ok: false; message: string };

/** Of one rule, counted repetitions written out. */
const MOST_NODES = 1_000;
/** Nodes looked at to work something out, which is then kept. Less than a second in all, however the pattern and the text are. */
const MOST_WORK = 500_000;
/** Finding the kind of a character is that much cheaper for each node. */
const KIND_SHARE = 0.1;

/** Matches wherever one of the patterns does. */
export function createAutomaton(patterns: readonly PatternTree[]): AutomatonResult {
  const nodes: Node[] = [{ type: "accept" }];
  const entry = build(nodes, { type: "choice", parts: [...patterns] }, 0);
  if (nodes.length > MOST_NODES)
    return { ok: false, message: `it has more than ${MOST_NODES} places, counted repetitions written out` };
  return { ok: true, automaton: new Automaton(nodes, entry) };
}

type Node =
  | { type: "accept" }
  | { type: "character"; test(character: string): boolean; next: number }
  | { type: "edge"; edge: Edge; next: number }
  | { type: "split"; next: number[] };

/** Adds the nodes of a tree that goes on at `next`; returns where it begins. Stops adding beyond the bound. */
function build(nodes: Node[], tree: PatternTree, next: number): number {
  if (nodes.length > MOST_NODES) return 0;
  switch (tree.type) {
    case "character":
      return add(nodes, { type: "character", test: tree.test, next });
    case "edge":
      return add(nodes, { type: "edge", edge: tree.edge, next });
    case "sequence":
      return tree.parts.reduceRight((behind, part) => build(nodes, part, behind), next);
    case "choice":
      return add(nodes, { type: "split", next: tree.parts.map((part) => build(nodes, part, next)) });
    case "repeat":
      return buildRepeat(nodes, tree, next);
  }
}

function buildRepeat(nodes: Node[], tree: Extract<PatternTree, { type: "repeat" }>, next: number): number {
  const { part, least, most } = tree;
  let behind = next;
  if (most === Number.POSITIVE_INFINITY) {
    const loop: Node = { type: "split", next: [next] };
    behind = add(nodes, loop);
    loop.next.unshift(build(nodes, part, behind));
  } else {
    for (let count = least; count < most && nodes.length <= MOST_NODES; count++) {
      behind = add(nodes, { type: "split", next: [build(nodes, part, behind), next] });
    }
  }
  for (let count = 0; count < least && nodes.length <= MOST_NODES; count++) behind = build(nodes, part, behind);
  return behind;
}

function add(nodes: Node[], node: Node): number {
  nodes.push(node);
  return nodes.length - 1;
}

/** What a character is to the edges beside it; `none` is the beginning or the end of the text. */
type Side = "none" | "line" | "word" | "other";

interface Place extends PatternPlace {
  /** Nodes that wait for a character or for what comes behind an edge, ascending. */
  nodes: readonly number[];
  before: Side;
  /** By the kind of the next character. */
  next: (Place | undefined)[];
  end: Place | undefined;
}

interface CharacterKind {
  index: number;
  side: Side;
  /** The nodes that take such a character. */
  takes: ReadonlySet<number>;
}

const ASCII = 128;

/** A class because it holds the tables over many calls. */
class Automaton implements PatternAutomaton {
  readonly start: Place;
  private readonly places = new Map<string, Place>();
  private readonly kinds = new Map<string, CharacterKind>();
  private readonly plainKinds: (CharacterKind | undefined)[] = new Array(ASCII);
  private readonly otherKinds = new Map<number, CharacterKind>();
  private readonly matched: Place = { isMatched: true, nodes: [], before: "none", next: [], end: undefined };
  private readonly unmatched: Place = { ...this.matched, isMatched: false, next: [] };
  private work = 0;

  constructor(
    private readonly nodes: readonly Node[],
    private readonly entry: number,
  ) {
    this.start = this.placeOf([], "none");
  }

  isExhausted(): boolean {
    return this.work >= MOST_WORK;
  }

  read(given: PatternPlace, text: string, from: number): { place: Place; end: number } {
    let place = given as Place;
    let at = from;
    while (at < text.length && !place.isMatched && !this.isExhausted()) {
      const kind = this.kindOf(text.charCodeAt(at));
      place = place.next[kind.index] ?? this.workOut(place, kind);
      at++;
    }
    return { place, end: place.isMatched ? at : text.length };
  }

  finish(given: PatternPlace): PatternPlace {
    const place = given as Place;
    if (place.isMatched || this.isExhausted()) return place;
    place.end ??= this.reaches(place, "none").has(0) ? this.matched : this.unmatched;
    return place.end;
  }

  private workOut(place: Place, kind: CharacterKind): Place {
    const reached = this.reaches(place, kind.side);
    this.work += reached.size;
    const behind = [...reached].flatMap((index) => {
      const node = this.nodes[index];
      return node?.type === "character" && kind.takes.has(index) ? [node.next] : [];
    });
    const next = reached.has(0) ? this.matched : this.placeOf(behind, kind.side);
    place.next[kind.index] = next;
    return next;
  }

  /** A match may begin anywhere, so the entry is always among the nodes. */
  private placeOf(from: readonly number[], before: Side): Place {
    const reached = this.follow([...from, this.entry], before, undefined);
    if (reached.has(0)) return this.matched;
    const nodes = [...reached].filter((index) => this.nodes[index]?.type !== "split").toSorted((a, b) => a - b);
    const key = `${before} ${nodes.join()}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const place: Place = { isMatched: false, nodes, before, next: [], end: undefined };
    this.places.set(key, place);
    return place;
  }

  private reaches(place: Place, after: Side): Set<number> {
    return this.follow(place.nodes, place.before, after);
  }

  /** Everything that is reached without a character. Without `after`, edges that depend on it are left for later. */
  private follow(from: readonly number[], before: Side, after: Side | undefined): Set<number> {
    const reached = new Set<number>(from);
    for (const index of reached) {
      const node = this.nodes[index];
      if (node?.type === "split") for (const next of node.next) reached.add(next);
      if (node?.type === "edge" && holds(node.edge, before, after)) reached.add(node.next);
    }
    return reached;
  }

  private kindOf(code: number): CharacterKind {
    const known = code < ASCII ? this.plainKinds[code] : this.otherKinds.get(code);
    if (known !== undefined) return known;
    const kind = this.findKind(String.fromCharCode(code));
    if (code < ASCII) this.plainKinds[code] = kind;
    else this.otherKinds.set(code, kind);
    return kind;
  }

  /** Characters that all nodes take alike are of one kind. */
  private findKind(character: string): CharacterKind {
    this.work += this.nodes.length * KIND_SHARE;
    const takes = this.nodes.flatMap((node, index) =>
      node.type === "character" && node.test(character) ? [index] : [],
    );
    const side = sideOf(character);
    const key = `${side} ${takes.join()}`;
    const kind = this.kinds.get(key) ?? { index: this.kinds.size, side, takes: new Set(takes) };
    this.kinds.set(key, kind);
    return kind;
  }
}

function sideOf(character: string): Side {
  if (/[\n\r\u2028\u2029]/.test(character)) return "line";
  return /\w/.test(character) ? "word" : "other";
}

function holds(edge: Edge, before: Side, after: Side | undefined): boolean {
  if (edge === "line-start") return before === "none" || before === "line";
  if (after === undefined) return false;
  if (edge === "line-end") return after === "none" || after === "line";
  return ((before === "word") !== (after === "word")) === (edge === "word-edge");
}
