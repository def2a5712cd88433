import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";

// The parser is tolerant; this is the check that it left nothing out. Words are blanked in the source, and what remains must be
// exactly the operators and keywords of the tree.

/** False when the source holds something the tree does not show. */
export function coversSource(script: ParsedScript, text: string): boolean {
  const counts = new Map<string, number>();
  const blanks: [number, number][] = [];
  survey(script, counts, blanks);
  const signs = remainder(text, blanks);
  if (signs === undefined) return false;
  return COUNTED.every((sign) => (signs.get(sign) ?? 0) === (counts.get(sign) ?? 0));
}

const COUNTED = ["&&", "||", "|", "|&", "&", "(", ")", "{", "}", "!", "if", "fi", "for", "done", "while", "until"];

type Counts = Map<string, number>;

function survey(node: SyntaxNode, counts: Counts, blanks: [number, number][]): void {
  if (LEAVES.has(node.type)) {
    blanks.push([node.pos, node.end]);
    return;
  }
  for (const sign of signsOf(node)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  forEachChild(node, (child) => survey(child, counts, blanks));
}

const LEAVES = new Set(["Word", "Assignment", "Redirect", "HereString", "HereDoc", "TestCommand", "Time"]);

function signsOf(node: SyntaxNode): readonly string[] {
  switch (node.type) {
    case "AndOr":
    case "Pipeline":
      return node.operators;
    case "Statement":
      return node.background === true ? ["&"] : [];
    case "Subshell":
      return ["(", ")"];
    case "BraceGroup":
      return ["{", "}"];
    case "Negation":
      return ["!"];
    case "If":
      return ["if", "fi"];
    case "For":
      return ["for", "done"];
    case "While":
      return [node.kind, "done"];
    default:
      return [];
  }
}

const SIGN =
  /[ \t\n]+|\\\n|#[^\n]*|&&|\|\||\|&|[|&;(){}!]|(?:if|then|elif|else|fi|for|in|do|done|while|until)(?![^\s;|&()])/y;

function remainder(text: string, blanks: readonly [number, number][]): Counts | undefined {
  const counts: Counts = new Map();
  const ordered = [...blanks].sort(([left], [right]) => left - right);
  let at = 0;
  let next = 0;
  while (at < text.length) {
    const blank = ordered[next];
    if (blank !== undefined && at >= blank[0]) {
      at = Math.max(at, blank[1]);
      next += 1;
      continue;
    }
    SIGN.lastIndex = at;
    const [sign] = SIGN.exec(text) ?? [];
    if (sign === undefined) return undefined;
    counts.set(sign, (counts.get(sign) ?? 0) + 1);
    at += sign.length;
  }
  return counts;
}
