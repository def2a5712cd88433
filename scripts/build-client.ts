// Builds `ralph/client` for programs on plain Node: one file of code, client.js, and one of types, client.d.ts.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "@babel/parser";
import { wireDeclarations } from "./client-types.ts";

const ROOT = resolve(import.meta.dir, "..");
const ENTRY = join(ROOT, "src/rpc/client.ts");

/** The code, which needs nothing but Node. Throws where it cannot be built. */
export async function clientCode(): Promise<string> {
  const built = await Bun.build({ entrypoints: [ENTRY], target: "node", format: "esm" });
  const [output] = built.outputs;
  if (!built.success || output === undefined) throw new Error(built.logs.join("\n"));
  const text = await output.text();
  const names = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name);
  const packages = names.filter((name) => !name.startsWith("node:"));
  if (packages.length > 0) throw new Error(`client.js must run without packages and imports ${packages.join(", ")}.`);
  return text;
}

/** Everything the public names are made of, in one file that needs no other. */
export async function clientTypes(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-client-types-"));
  try {
    await emitDeclarations(folder);
    const place = join(folder, "rpc/client");
    const files = readdirSync(place).filter((name) => name !== "wire-types.d.ts");
    const texts = [...files.map((name) => readFileSync(join(place, name), "utf8")), wireDeclarations()];
    const known = new Map(texts.flatMap(declarationsIn).map((declaration) => [declaration.name, declaration]));
    const names = publicNames(readFileSync(ENTRY, "utf8"));
    const needed = reached(names, known).map(({ text }) => text);
    return `${needed.join("\n\n")}\n\nexport { ${names.join(", ")} };\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function emitDeclarations(folder: string): Promise<void> {
  const project = join(folder, "tsconfig.json");
  // Types alone come from the rest of the tree; what is emitted of it is not used.
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      // `npm run types` checks; here they are only written out.
      noCheck: true,
      rootDir: join(ROOT, "src"),
      outDir: folder,
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    include: [],
    files: [ENTRY],
  };
  writeFileSync(project, JSON.stringify(config));
  const child = Bun.spawn([process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The types of the client cannot be made:\n${said}`);
}

interface Declaration {
  name: string;
  /** With its comment, without `export`. */
  text: string;
  /** Every word in it. */
  words: ReadonlySet<string>;
}

function declarationsIn(source: string): Declaration[] {
  const { program } = parse(source, { sourceType: "module", plugins: [["typescript", { dts: true }]] });
  return program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    const name = declared !== null && declared !== undefined && "id" in declared ? nameOf(declared.id) : undefined;
    if (name === undefined) return [];
    const comment = statement.leadingComments?.at(-1);
    const code = source.slice(statement.start ?? 0, statement.end ?? 0);
    const said = comment === undefined ? "" : `${source.slice(comment.start ?? 0, comment.end ?? 0)}\n`;
    const text = `${said}${code.replace(/^export /, "")}`;
    return [{ name, text, words: new Set(code.match(/\w+/g)) }];
  });
}

function nameOf(id: unknown): string | undefined {
  if (typeof id !== "object" || id === null || !("name" in id)) return undefined;
  return typeof id.name === "string" ? id.name : undefined;
}

function publicNames(entry: string): string[] {
  const { program } = parse(entry, { sourceType: "module", plugins: ["typescript"] });
  return program.body.flatMap((statement) =>
    statement.type !== "ExportNamedDeclaration"
      ? []
      : statement.specifiers.flatMap((specifier) => nameOf(specifier.exported) ?? []),
  );
}

/** Those the names need, in the order they are known. */
function reached(names: readonly string[], known: ReadonlyMap<string, Declaration>): Declaration[] {
  const seen = new Set<string>();
  const walk = (name: string): void => {
    const declaration = known.get(name);
    if (declaration === undefined || seen.has(name)) return;
    seen.add(name);
    for (const word of declaration.words) walk(word);
  };
  for (const name of names) walk(name);
  const missing = names.filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`Nothing declares ${missing.join(", ")}.`);
  return [...known.values()].filter(({ name }) => seen.has(name));
}

if (import.meta.main) {
  const folder = join(ROOT, "dist");
  mkdirSync(folder, { recursive: true });
  const [code, types] = await Promise.all([clientCode(), clientTypes()]);
  writeFileSync(join(folder, "client.js"), code);
  writeFileSync(join(folder, "client.d.ts"), types);
  console.log("dist/client.js, dist/client.d.ts");
}
