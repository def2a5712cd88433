import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { globFilesTool } from "../../src/tools/glob-files.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { callTool, textOf, toolWorldIn } from "../support/tool-runs.ts";

const directory = temporaryDirectories();
const world = toolWorldIn(directory());
const tool = globFilesTool(world);

/** Later ones in the list are newer. */
const files = [".gitignore", "a.ts", "src/b.ts", "src/deep/c.tsx", "ignored.ts", "node_modules/m/d.ts", ".config/e.ts"];
for (const [index, path] of files.entries()) {
  const full = join(world.root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, path === ".gitignore" ? "ignored.ts\n" : "");
  utimesSync(full, 1000 + index, 1000 + index);
}
symlinkSync(world.root, join(world.root, "loop"));

const listed = async (input: Record<string, unknown>) => textOf(await callTool(tool, input)).split("\n");

describe("glob_files", () => {
  test("asks to read the folder", () => {
    const prepared = tool.prepare({ pattern: "*.ts", path: "src" });
    expect("asks" in prepared && prepared.asks).toEqual([
      { category: "file_read", resources: [join(world.root, "src")], summary: "List *.ts in src" },
    ]);
  });

  test("lists what fits, the newest first", async () => {
    expect(await callTool(tool, { pattern: "*.ts" })).toEqual({
      content: [{ type: "text", text: ".config/e.ts\nsrc/b.ts\na.ts" }],
      details: { files: [".config/e.ts", "src/b.ts", "a.ts"], total: 3, truncated: false },
    });
  });

  test("takes a pattern with folders from the folder it was given", async () => {
    expect(await listed({ pattern: "src/**/*.{ts,tsx}" })).toEqual(["src/deep/c.tsx", "src/b.ts"]);
    expect(await listed({ pattern: "src/*" })).toEqual(["src/b.ts"]);
    expect(await listed({ pattern: "./*.ts" })).toEqual(["a.ts"]);
    expect(await listed({ pattern: "deep/*", path: "src" })).toEqual(["src/deep/c.tsx"]);
    expect(await listed({ pattern: "**/*.tsx" })).toEqual(["src/deep/c.tsx"]);
  });

  test("shows what is ignored only when it is wanted", async () => {
    expect(await listed({ pattern: "*.ts", include_ignored: true })).toEqual([
      ".config/e.ts",
      "node_modules/m/d.ts",
      "ignored.ts",
      "src/b.ts",
      "a.ts",
    ]);
  });

  test("lists a thousand and says how many there are", async () => {
    mkdirSync(join(world.root, "many"));
    for (let index = 0; index < 1010; index++) writeFileSync(join(world.root, "many", `${index}.txt`), "");
    const output = await callTool(tool, { pattern: "*.txt", path: "many" });
    const lines = textOf(output).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([1001, "1010 files fit; the 1000 newest are listed."]);
    expect(output.details).toMatchObject({ total: 1010, truncated: true });
  });

  test("says when nothing fits and what cannot be listed", async () => {
    expect(await listed({ pattern: "*.rs" })).toEqual(["No file in . fits *.rs."]);
    expect(await listed({ pattern: "*", path: "a.ts" })).toEqual(["a.ts is not a directory. Give a folder as path."]);
    expect(await listed({ pattern: "/etc/*" })).toEqual([
      "The pattern is relative to path: give the folder as path and the rest as pattern.",
    ]);
    expect(await listed({ pattern: "../*" })).toEqual(['The pattern cannot go up with "..": give the folder as path.']);
  });
});

describe("in a hostile project glob_files", () => {
  const hostile = "*a*a*a*a*a*a*a*a*a*a*a*ab";
  const longName = "a".repeat(60);

  test("does not wait at a .gitignore that is a pipe", async () => {
    const place = toolWorldIn(directory());
    writeFileSync(join(place.root, "a.ts"), "");
    Bun.spawnSync(["mkfifo", join(place.root, ".gitignore")]);
    expect(textOf(await callTool(globFilesTool(place), { pattern: "*.ts" }))).toBe("a.ts");
  });

  test("is not held up by patterns, whoever wrote them", async () => {
    const place = toolWorldIn(directory());
    writeFileSync(join(place.root, ".gitignore"), `${hostile}\n${" ".repeat(4000)}x\n${"\\".repeat(4000)}x\n`);
    writeFileSync(join(place.root, longName), "");
    const began = performance.now();
    expect(textOf(await callTool(globFilesTool(place), { pattern: `${hostile.slice(0, -1)}*` }))).toBe(longName);
    expect(textOf(await callTool(globFilesTool(place), { pattern: hostile }))).toBe(`No file in . fits ${hostile}.`);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test("lets others work while a thousand rules are tested, and is stopped among them", async () => {
    const place = toolWorldIn(directory());
    const rules = Array.from({ length: 1000 }, (_, index) => `${"*[a-z]?".repeat(60)}${index}`);
    writeFileSync(join(place.root, ".gitignore"), rules.join("\n"));
    for (let index = 0; index < 300; index++) writeFileSync(join(place.root, `${"a".repeat(240)}${index}`), "");
    const abort = new AbortController();
    const began = performance.now();
    const timer = setTimeout(() => abort.abort(), 1);
    const output = await callTool(globFilesTool(place), { pattern: "*.ts" }, { signal: abort.signal });
    clearTimeout(timer);
    expect(performance.now() - began).toBeLessThan(500);
    expect(output.details).toEqual({ files: [], total: 0, truncated: true });
  }, 20_000);
});
