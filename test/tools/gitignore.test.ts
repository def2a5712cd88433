import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expandBraces } from "../../src/system/glob-pattern.ts";
import { parseIgnoreRules, pathFilter } from "../../src/tools/gitignore.ts";
import { walkFiles } from "../../src/tools/walk-files.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const git = Bun.which("git");

describe("a .gitignore", () => {
  const cases: [rules: string, path: string, isDirectory: boolean, verdict: "ignored" | "kept" | undefined][] = [
    ["*.log", "deep/down/a.log", false, "ignored"],
    ["/a", "b/a", false, undefined],
    ["/a", "a", false, "ignored"],
    ["a/b", "c/a/b", false, undefined],
    ["a/", "a", false, undefined],
    ["a/", "x/a", true, "ignored"],
    ["**/b", "b", false, "ignored"],
    ["a/**/b", "a/b", false, "ignored"],
    ["a/**/b", "a/x/y/b", false, "ignored"],
    ["a/**", "a", true, undefined],
    ["a/**", "a/x/y", false, "ignored"],
    ["a/*", "a/x/y", false, undefined],
    ["*\n!keep", "keep", false, "kept"],
    ["!keep\n*", "keep", false, "ignored"],
    ["\\!a", "!a", false, "ignored"],
    ["\\#a", "#a", false, "ignored"],
    ["# a", "# a", false, undefined],
    ["a  ", "a", false, "ignored"],
    ["a\\ ", "a ", false, "ignored"],
    ["a\r\nb", "a", false, "ignored"],
    ["\ufeffa", "a", false, "ignored"],
    ["[a-c]x", "bx", false, "ignored"],
    ["[!a-c]x", "bx", false, undefined],
    ["[]x]", "]", false, "ignored"],
    ["[[:digit:]]", "7", false, "ignored"],
    ["[a", "[a", false, undefined],
    ["a?c", "a/c", false, undefined],
    ["a.c", "abc", false, undefined],
    ["ü*", "über", false, "ignored"],
  ];
  test.each(cases)("%j says about %s (folder: %p) %p", (rules, path, isDirectory, verdict) => {
    expect(parseIgnoreRules(rules).verdict(path, isDirectory)).toBe(verdict);
  });

  const name = fc.constantFrom("a", "b", "ab", "a.c", "b c", "c", "-", "]");
  const tree = fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 12,
    selector: (path) => path.join("/"),
  });
  const atom = fc.constantFrom(
    "a",
    "b",
    "c",
    ".",
    "*",
    "**",
    "?",
    "/",
    "[ab]",
    "[!a]",
    "[a-b",
    "[^]]",
    "[b-a]",
    "\\",
    "-",
    " ",
    "]",
    "[[:alpha:]]",
  );
  const line = fc
    .tuple(
      fc.constantFrom("", "", "!", "/"),
      fc.array(atom, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("", "", "/"),
    )
    .map(([start, atoms, end]) => start + atoms.join("") + end);
  const rules = fc.array(line, { minLength: 1, maxLength: 4 });

  test.skipIf(git === null)(
    "decides about generated trees as git does",
    async () => {
      await fc.assert(
        fc.asyncProperty(tree, rules, rules, async (paths, top, inner) => {
          const root = directory();
          const made = makeTree(
            root,
            paths.map((path) => path.join("/")),
          );
          writeFileSync(join(root, ".gitignore"), top.join("\n"));
          const nested = made.map((path) => dirname(path)).find((folder) => folder !== ".");
          if (nested !== undefined) writeFileSync(join(root, nested, ".gitignore"), inner.join("\n"));
          expect(await walked(root)).toEqual(await gitListed(root));
        }),
        { numRuns: 30 },
      );
    },
    30_000,
  );
});

/** Those that could be made: a name cannot be a file and a folder. */
function makeTree(root: string, paths: string[]): string[] {
  return paths.filter((path) => {
    try {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), "", { flag: "wx" });
      return true;
    } catch {
      return false;
    }
  });
}

async function walked(root: string): Promise<string[]> {
  const found: string[] = [];
  const options = { root, includesIgnored: false, signal: new AbortController().signal };
  for await (const files of walkFiles(root, options)) found.push(...files.map((file) => file.slice(root.length + 1)));
  return found.sort();
}

async function gitListed(root: string): Promise<string[]> {
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const run = (...argv: string[]) => Bun.spawnSync(["git", ...argv], { cwd: root, env: environment }).stdout.toString();
  run("init", "-q", "--template=");
  return run("ls-files", "-z", "--others", "--exclude-standard").split("\0").filter(Boolean).sort();
}

describe("a filter", () => {
  test("without a slash fits names anywhere, with one it fits from the top", () => {
    const fits = (pattern: string) => ["a.ts", "src/b.tsx", "src/deep/c.ts", "#d"].filter(pathFilter(pattern));
    expect({
      name: fits("*.ts"),
      braces: fits("*.{ts,tsx}"),
      path: fits("src/*.{ts,tsx}"),
      deep: fits("src/**/*.ts"),
      hash: fits("#d"),
    }).toEqual({
      name: ["a.ts", "src/deep/c.ts"],
      braces: ["a.ts", "src/b.tsx", "src/deep/c.ts"],
      path: ["src/b.tsx"],
      deep: ["src/deep/c.ts"],
      hash: ["#d"],
    });
  });

  test("has its braces expanded within a bound", () => {
    expect(expandBraces("{a,b{c,d}}.x")).toEqual(["a.x", "bc.x", "bd.x"].sort());
    expect(expandBraces("{a}")).toEqual(["{a}"]);
    expect(expandBraces("{a,b}".repeat(20)).length).toBeLessThanOrEqual(100);
  });
});
