import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { readSourceFiles, type SourceFile } from "./support/source-files.ts";

// The law of the house as data: who may import whom, and the ceilings. A broken rule fails with what to do instead.

const ROOT = resolve(import.meta.dir, "..");
const SOURCE = join(ROOT, "src");

const HUB = ["protocol", "system"];
const ABOVE = [
  "llm",
  "models",
  "agent",
  "tools",
  "permissions",
  "sessions",
  "memory",
  "mcp",
  "extensions",
  "lsp",
  "kernels",
  "rpc",
];

/** folder → folders it may import besides itself. */
const MAY_IMPORT: Record<string, string[] | "everything"> = {
  protocol: [],
  system: ["protocol"],
  llm: HUB,
  tools: HUB,
  sessions: HUB,
  memory: HUB,
  rpc: HUB,
  extensions: HUB,
  lsp: HUB,
  kernels: HUB,
  models: [...HUB, "llm"],
  agent: ["protocol"],
  permissions: HUB,
  mcp: [...HUB, "rpc"],
  fleet: HUB,
  loop: [...HUB, "rpc"],
  coder: [...HUB, ...ABOVE],
  tui: [],
  interactive: ["protocol", "tui"],
  cli: "everything",
  sdk: "everything",
  "sdk.ts": "everything",
};

/** For programs outside: nothing of ours may build on them. */
const FACADES = ["sdk", "sdk.ts"];

/** Packages the hub may name; everywhere else a package needs only its line in docs/dependencies.md. */
const PACKAGES_OF: Record<string, RegExp> = { protocol: /^zod$/, tui: /^$/, agent: /^$/ };

const CEILINGS = { fileLines: 400, functionLines: 60, nesting: 3, parameters: 3 };
const JUNK_DRAWERS = /(^|\/)(utils?|core|common|helpers?|manager|misc|index)(\.ts)?(\/|$)/;

const files = readSourceFiles(SOURCE);

describe("the house", () => {
  test("every folder under src has a row in the import table", () => {
    const unknown = files.filter((file) => MAY_IMPORT[file.folder] === undefined);
    expect(
      unknown.map(
        (file) => `${file.path}: "${file.folder}" is no folder of the design; move the file or change the design`,
      ),
    ).toEqual([]);
  });

  test("a folder imports only what the table allows", () => {
    expect(files.flatMap(forbiddenImports)).toEqual([]);
  });

  test("shared words and the turn loop stay free of packages", () => {
    expect(files.flatMap(forbiddenPackages)).toEqual([]);
  });

  test("there are no import cycles", () => {
    expect(importCycles(files)).toEqual([]);
  });

  test("no folder or file is a junk drawer or a barrel", () => {
    const junk = files.filter((file) => JUNK_DRAWERS.test(file.path));
    expect(junk.map((file) => `${file.path}: name it after its subject`)).toEqual([]);
  });

  test("the environment and the arguments are read in cli only", () => {
    const readers = files.filter(
      (file) => file.folder !== "cli" && linesWith(file, /\bprocess\.(env|argv|exit)\b|\bBun\.(env|argv)\b/).length > 0,
    );
    expect(readers.map((file) => `${file.path}: take the value as an argument; cli hands it in`)).toEqual([]);
  });

  test("every package in package.json has its reason in docs/dependencies.md", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const names = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    );
    const page = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");
    const missing = names.filter(
      (name) => !page.includes(`\`${name.replace(/^(@oven\/bun|@vscode\/ripgrep)-.*/, "$1-*")}\``),
    );
    expect(missing.map((name) => `${name}: say in docs/dependencies.md why it is here`)).toEqual([]);
  });

  test("nothing is left for later in the source", () => {
    const left = files.flatMap((file) =>
      linesWith(file, /\b(TODO|FIXME|XXX|HACK)\b/).map((line) => `${file.path}:${line}`),
    );
    expect(left).toEqual([]);
  });
});

describe("the ceilings", () => {
  test(`a source file has at most ${CEILINGS.fileLines} lines`, () => {
    const long = files.filter((file) => file.lines.length > CEILINGS.fileLines);
    expect(long.map((file) => `${file.path} has ${file.lines.length} lines: it has two subjects, split it`)).toEqual(
      [],
    );
  });

  test(`a function has at most ${CEILINGS.functionLines} lines, ${CEILINGS.nesting} levels and ${CEILINGS.parameters} positional parameters`, () => {
    expect(files.flatMap(oversizedFunctions)).toEqual([]);
  });
});

function forbiddenImports(file: SourceFile): string[] {
  const allowed = MAY_IMPORT[file.folder] ?? [];
  return file.imports.flatMap(({ specifier, line }) => {
    const target = folderOf(file, specifier);
    if (target === undefined || target === file.folder) return [];
    if (FACADES.includes(target) && !FACADES.includes(file.folder))
      return [
        `${file.path}:${line} may not import ${target}: it is for programs outside, move what both need below it`,
      ];
    if (allowed === "everything" || allowed.includes(target)) return [];
    return [
      `${file.path}:${line} may not import ${target}/: what it needs is handed to it by coder or cli as a function or a type of protocol/`,
    ];
  });
}

function forbiddenPackages(file: SourceFile): string[] {
  const allowed = PACKAGES_OF[file.folder];
  if (allowed === undefined) return [];
  const packages = file.imports.filter(({ specifier }) => !specifier.startsWith(".") && !allowed.test(specifier));
  return packages.map(({ specifier, line }) => `${file.path}:${line} may not import the package ${specifier}`);
}

function folderOf(file: SourceFile, specifier: string): string | undefined {
  const target = targetOf(file, specifier);
  return target === undefined || target.startsWith("..") ? undefined : target.split("/")[0];
}

function targetOf(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return relative(SOURCE, resolve(ROOT, dirname(file.path), specifier));
}

function importCycles(all: SourceFile[]): string[] {
  const edges = new Map(
    all.map((file) => [
      file.path,
      file.imports.map(({ specifier }) => `src/${targetOf(file, specifier) ?? specifier}`),
    ]),
  );
  const settled = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) cycles.push([...trail.slice(seen), path].join(" → "));
    if (seen >= 0 || settled.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    settled.add(path);
  };
  for (const file of all) walk(file.path, []);
  return cycles;
}

function linesWith(file: SourceFile, pattern: RegExp): number[] {
  return file.lines.flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

function oversizedFunctions(file: SourceFile): string[] {
  return file.functions.flatMap((shape) => {
    const place = `${file.path}:${shape.line} ${shape.name}`;
    return [
      ...(shape.lines > CEILINGS.functionLines ? [`${place} has ${shape.lines} lines: name its parts`] : []),
      ...(shape.nesting > CEILINGS.nesting
        ? [`${place} nests ${shape.nesting} levels: return early or name the inner part`]
        : []),
      ...(shape.parameters > CEILINGS.parameters
        ? [`${place} takes ${shape.parameters} positional parameters: pass one named object`]
        : []),
    ];
  });
}
