import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { clientTypes } from "../../scripts/build-client.ts";
import { wireDeclarations } from "../../scripts/client-types.ts";
import { ralphCommand } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { findNode, findPython, installClient } from "./built-client.ts";

// What the pages show is what runs.

const ROOT = resolve(import.meta.dir, "../..");
const LIMIT_MS = 60_000;
const [node, python] = [findNode(), findPython()];
const temporaryDirectory = temporaryDirectories();

function example(page: string, language: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const [, code] = text.match(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s")) ?? [];
  if (code === undefined) throw new Error(`${page} has no example in ${language}.`);
  return code;
}

const SCRIPT = `
version: 1
turns:
  - steps: [{ text: "I look. " }, { tool: { name: find_ticket, input: { number: "7" } } }]
  - steps: [{ tool: { name: write_file, input: { path: notes.md, content: "off by one" } } }]
  - steps: [{ text: "Noted." }]
  - steps: [{ text: "Any time." }]
`;

/** Runs a program in a workspace where `ralph` is on the path, with a scripted model. */
async function run(command: string[], { workspace, script }: { workspace: TempWorkspace; script: string }) {
  const model = workspace.write("script.yml", script);
  const program = ralphCommand().map((word) => `'${word}'`);
  const shim = workspace.write("bin/ralph", `#!/bin/sh\nexec ${program.join(" ")} --model 'scripted/${model}' "$@"\n`);
  chmodSync(shim, 0o755);
  const { environment, root, project } = workspace;
  const PATH = `${join(root, "bin")}:${environment.PATH}`;
  const child = Bun.spawn(command, {
    cwd: project,
    env: { ...environment, PATH, PYTHONPATH: join(ROOT, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

describe("the examples of docs/clients.md", () => {
  const EXPECTED = { code: 0, stdout: "I look. Noted.\ndone\n", stderr: "" };

  test.skipIf(node === undefined)(
    "run on plain Node with the built package",
    async () => {
      using workspace = tempWorkspace();
      await installClient(workspace.project);
      const path = workspace.write("project/example.mjs", example("docs/clients.md", "ts"));
      expect(await run([node ?? "", path], { workspace, script: SCRIPT })).toEqual(EXPECTED);
      expect(workspace.read("project/notes.md")).toBe("off by one");
    },
    LIMIT_MS,
  );

  test.skipIf(python === undefined)(
    "run in Python",
    async () => {
      using workspace = tempWorkspace();
      const path = workspace.write("project/example.py", example("docs/clients.md", "python"));
      expect(await run([python ?? "", path], { workspace, script: SCRIPT })).toEqual(EXPECTED);
      expect(workspace.read("project/notes.md")).toBe("off by one");
    },
    LIMIT_MS,
  );
});

test.skipIf(python === undefined)(
  "the example of the Python package runs",
  async () => {
    using workspace = tempWorkspace();
    const path = workspace.write("project/example.py", example("clients/python/README.md", "python"));
    const script = "version: 1\nturns: [{ steps: [{ text: A folder. }] }]\n";
    const ran = await run([python ?? "", path], { workspace, script });
    expect(ran).toEqual({ code: 0, stdout: "done A folder.\n", stderr: "" });
  },
  LIMIT_MS,
);

describe("the types of the package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = temporaryDirectory();
    await installClient(folder);
    writeFileSync(join(folder, "node_modules/ralph/dist/client.d.ts"), await clientTypes());
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  }, LIMIT_MS);

  /** What the compiler has to say about a program that has nothing of ours but the package. */
  async function complaints(name: string, code: string, options: object = {}): Promise<string> {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "program.ts"), code);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2022",
      lib: ["es2022", "esnext.disposable"],
      module: "nodenext",
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
      ...options,
    };
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const compiler = [process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", place];
    const child = Bun.spawn(compiler, { cwd: place, stdio: ["ignore", "pipe", "inherit"], timeout: LIMIT_MS });
    return new Response(child.stdout).text();
  }

  test(
    "fit the example, and catch mistakes",
    async () => {
      const mistakes = `
        import { startRalph } from "ralph/client";
        const ralph = await startRalph();
        await ralph.setThinkingLevel({ level: "nonsense" });
        await ralph.setModel({ provider: "a" });
        const text: string = (await ralph.getLastAssistantText()).text;
        ralph.fly();`;
      const [none, four] = await Promise.all([
        complaints("example", example("docs/clients.md", "ts")),
        complaints("mistakes", mistakes),
      ]);
      expect(none).toBe("");
      expect([...(four.match(/program\.ts\(\d+,/g) ?? [])]).toEqual([4, 5, 6, 7].map((line) => `program.ts(${line},`));
    },
    LIMIT_MS,
  );

  test(
    "are those of the tables",
    async () => {
      const names = [
        ...readFileSync(join(ROOT, "src/rpc/client/wire-types.ts"), "utf8").matchAll(/^export type (?:{ )?(\w+)/gm),
      ];
      const same = names.map(
        ([, name]) => `const same${name}: Same<Written.${name}, Inferred.${name}> = true; void same${name};`,
      );
      writeFileSync(
        join(folder, "written.d.ts"),
        `${wireDeclarations()}\nexport { ${names.map(([, name]) => name).join(", ")} };\n`,
      );
      const code = `
        import type * as Written from "../written.d.ts";
        import type * as Inferred from "${join(ROOT, "src/rpc/client/wire-types.ts")}";
        type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
        ${same.join("\n")}`;
      const options = {
        module: "esnext",
        moduleResolution: "bundler",
        target: "esnext",
        lib: ["esnext"],
        allowImportingTsExtensions: true,
      };
      expect(await complaints("same", code, { ...options, types: ["bun"] })).toBe("");
      expect(names.length).toBeGreaterThan(10);
    },
    LIMIT_MS,
  );
});
