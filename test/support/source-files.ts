import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "@babel/parser";

// The source as the house rules see it: what each file imports and the shape of its functions, read from the syntax tree.

interface Import {
  specifier: string;
  line: number;
}

export interface SourceFile {
  path: string;
  folder: string;
  lines: string[];
  imports: Import[];
  functions: FunctionShape[];
}

interface FunctionShape {
  name: string;
  line: number;
  lines: number;
  parameters: number;
  nesting: number;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const IMPORTS = new Set(["ImportDeclaration", "ImportExpression", "ExportNamedDeclaration", "ExportAllDeclaration"]);
const LEVELS = new Set([
  "IfStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "SwitchStatement",
  "TryStatement",
]);

export function readSourceFiles(root: string): SourceFile[] {
  return pathsBelow(root).map((path) => readSource(root, path));
}

function pathsBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return pathsBelow(path);
    return name.endsWith(".ts") && !name.endsWith(".d.ts") ? [path] : [];
  });
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript", "estree"] });
  const lineAt = lineCounter(text);
  const fromSource = relative(root, path);
  const imports: Import[] = [];
  const functions: FunctionShape[] = [];
  visit(program, { functions, imports, lineAt });
  return {
    path: `src/${fromSource}`,
    folder: fromSource.split("/")[0] ?? "",
    lines: text.trimEnd().split("\n"),
    imports,
    functions,
  };
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

interface Findings {
  functions: FunctionShape[];
  imports: Import[];
  lineAt: (offset: number) => number;
}

function visit(node: unknown, findings: Findings): void {
  for (const child of childrenOf(node)) {
    if (FUNCTIONS.has(child.type)) findings.functions.push(shapeOf(child, nameOf(node, child), findings.lineAt));
    const specifier = IMPORTS.has(child.type) ? (child.source as { value?: unknown } | null)?.value : undefined;
    if (typeof specifier === "string") findings.imports.push({ specifier, line: findings.lineAt(child.start) });
    visit(child, findings);
  }
}

function shapeOf(node: Node, name: string, lineAt: (offset: number) => number): FunctionShape {
  const parameters = (node.params as Node[] | undefined) ?? [];
  return {
    name,
    line: lineAt(node.start),
    lines: lineAt(node.end) - lineAt(node.start) + 1,
    parameters: parameters.length,
    nesting: deepest(node.body, 0),
  };
}

/** How deep control flow nests; an `else if` continues its `if`, and an inner function counts for itself. */
function deepest(node: unknown, level: number): number {
  return childrenOf(node).reduce((most, child) => {
    if (FUNCTIONS.has(child.type)) return most;
    const continues =
      child.type === "IfStatement" && (node as Node).type === "IfStatement" && (node as Node).alternate === child;
    const here = LEVELS.has(child.type) && !continues ? level + 1 : level;
    return Math.max(most, here, deepest(child, here));
  }, level);
}

function childrenOf(node: unknown): Node[] {
  if (typeof node !== "object" || node === null) return [];
  const values = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return values.filter(
    (value): value is Node => typeof value === "object" && value !== null && typeof (value as Node).type === "string",
  );
}

function nameOf(parent: unknown, child: Node): string {
  for (const candidate of [child.id, (parent as Node).key, (parent as Node).id]) {
    const name = (candidate as { name?: unknown } | null | undefined)?.name;
    if (typeof name === "string") return name;
  }
  return "(a function)";
}
