import { describe, expect, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SearchEngine, SearchOutcome, SearchRequest } from "../../src/tools/search-engine.ts";

/** What every engine does alike. `directory` makes an empty folder. */
export function searchEngineContract(engine: SearchEngine, directory: () => string): void {
  const treeOf = (files: Record<string, string | Uint8Array>) => {
    const root = directory();
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return root;
  };
  const search = async (
    root: string,
    request: Partial<SearchRequest> & { pattern: string },
  ): Promise<SearchOutcome> => {
    const outcome = await engine.search({
      path: root,
      root,
      isCaseSensitive: true,
      contextLines: 0,
      maxResults: 100,
      signal: new AbortController().signal,
      ...request,
    });
    if (!outcome.ok) return outcome;
    return { ...outcome, files: outcome.files.map((found) => ({ ...found, file: found.file.slice(root.length + 1) })) };
  };
  const namesFound = async (root: string, request: Partial<SearchRequest> & { pattern: string }) => {
    const outcome = await search(root, request);
    return outcome.ok ? outcome.files.map(({ file }) => file) : outcome.message;
  };
  const line = (number: number, text: string) => ({ line: number, text, before: [], after: [] });

  test("finds lines by path and number, in whole files and in one file", async () => {
    const root = treeOf({ "b/two.txt": "no\nfoo 2\nfoo 3", "a.txt": "foo 1\n", "c.txt": "bar\n" });
    expect(await search(root, { pattern: "fo+ \\d" })).toEqual({
      ok: true,
      files: [
        { file: "a.txt", count: 1, lines: [line(1, "foo 1")] },
        { file: "b/two.txt", count: 2, lines: [line(2, "foo 2"), line(3, "foo 3")] },
      ],
      totalMatches: 3,
      filesSearched: 3,
    });
    expect(await search(root, { pattern: "^foo", path: join(root, "b/two.txt") })).toEqual({
      ok: true,
      files: [{ file: "b/two.txt", count: 2, lines: [line(2, "foo 2"), line(3, "foo 3")] }],
      totalMatches: 2,
      filesSearched: 1,
    });
  });

  test("gives the lines around a match, also where matches are close and at the ends of the file", async () => {
    const root = treeOf({ "a.txt": "1\nx 2\n3\nx 4\n5\n6\n7\n8\nx 9\n" });
    expect(await search(root, { pattern: "x", contextLines: 2 })).toEqual({
      ok: true,
      files: [
        {
          file: "a.txt",
          count: 3,
          lines: [
            { line: 2, text: "x 2", before: ["1"], after: ["3", "x 4"] },
            { line: 4, text: "x 4", before: ["x 2", "3"], after: ["5", "6"] },
            { line: 9, text: "x 9", before: ["7", "8"], after: [] },
          ],
        },
      ],
      totalMatches: 3,
      filesSearched: 1,
    });
  });

  test("counts what it does not give back", async () => {
    const root = treeOf({ "a.txt": "x\n".repeat(5), "b.txt": "x\n".repeat(4) });
    const files = (first: number, second: number) => [
      { file: "a.txt", count: 5, lines: Array.from({ length: first }, (_, index) => line(index + 1, "x")) },
      { file: "b.txt", count: 4, lines: Array.from({ length: second }, (_, index) => line(index + 1, "x")) },
    ];
    const counts = { ok: true, totalMatches: 9, filesSearched: 2 };
    expect(await search(root, { pattern: "x", maxResults: 7 })).toEqual({ ...counts, files: files(5, 2) } as never);
    expect(await search(root, { pattern: "x", maxResults: 0 })).toEqual({ ...counts, files: files(0, 0) } as never);
  });

  test("heeds the case only if it is told to", async () => {
    const root = treeOf({ "a.txt": "Foo\n" });
    expect(await namesFound(root, { pattern: "foo" })).toEqual([]);
    expect(await namesFound(root, { pattern: "foo", isCaseSensitive: false })).toEqual(["a.txt"]);
    expect(await namesFound(root, { pattern: "(?i)foo" })).toEqual(["a.txt"]);
  });

  test("looks only at the files the filter names, from the searched folder on", async () => {
    const root = treeOf({
      "a.ts": "x",
      "b.tsx": "x",
      "src/c.ts": "x",
      "src/deep/d.ts": "x",
      "!e.js": "x",
      "{f}.js": "x",
    });
    expect(await namesFound(root, { pattern: "x", globFilter: "*.ts" })).toEqual(["a.ts", "src/c.ts", "src/deep/d.ts"]);
    expect(await namesFound(root, { pattern: "x", globFilter: "{a,b}.{ts,tsx}" })).toEqual(["a.ts", "b.tsx"]);
    expect(await namesFound(root, { pattern: "x", globFilter: "src/*.ts" })).toEqual(["src/c.ts"]);
    expect(await namesFound(root, { pattern: "x", globFilter: "deep/**", path: join(root, "src") })).toEqual([
      "src/deep/d.ts",
    ]);
    expect(await namesFound(root, { pattern: "x", globFilter: "!e.js" })).toEqual(["!e.js"]);
    expect(await namesFound(root, { pattern: "x", globFilter: "{f}.js" })).toEqual(["{f}.js"]);
  });

  test("passes over what .gitignore names and over the usual folders, but not when it is told to look there", async () => {
    const root = treeOf({
      ".gitignore": "*.log\n/secret/\n!keep.log\n",
      "a.log": "x",
      "keep.log": "x",
      "secret/a.txt": "x",
      "deep/secret/a.txt": "x",
      "deep/.gitignore": "b.txt\n",
      "deep/b.txt": "x",
      "deep/down/b.txt": "x",
      "deep/a.log": "x",
      ".hidden/a.txt": "x",
      ".git/config": "x",
      "node_modules/a/b.js": "x",
      "sub/dist/a.js": "x",
      "target/a": "x",
      "build/a": "x",
      "lib/build": "x",
      ".ignore": "lib",
    });
    expect(await namesFound(root, { pattern: "^x" })).toEqual([
      ".hidden/a.txt",
      "deep/secret/a.txt",
      "keep.log",
      "lib/build",
    ]);
    expect(await namesFound(root, { pattern: "^x", path: join(root, "node_modules") })).toEqual([
      "node_modules/a/b.js",
    ]);
    expect(await namesFound(root, { pattern: "^x", path: join(root, "secret") })).toEqual(["secret/a.txt"]);
    expect(await namesFound(root, { pattern: "^x", path: join(root, "deep") })).toEqual(["deep/secret/a.txt"]);
    expect(await namesFound(root, { pattern: "^x", path: join(root, "a.log") })).toEqual(["a.log"]);
  });

  test("heeds .gitignore files up to the repository, or to the workspace, and none above", async () => {
    const home = treeOf({
      ".gitignore": "*",
      "loose/a.txt": "x",
      "loose/sub/a.txt": "x",
      "ruled/.gitignore": "/sub/b.txt",
      "ruled/sub/a.txt": "x",
      "ruled/sub/b.txt": "x",
      "repository/.gitignore": "/src/b.txt",
      "repository/.git/HEAD": "x",
      "repository/src/a.txt": "x",
      "repository/src/b.txt": "x",
    });
    const found = (root: string, path: string) =>
      namesFound(join(home, root), { pattern: "^x", path: join(home, path) });
    expect(await found("loose", "loose")).toEqual(["a.txt", "sub/a.txt"]);
    expect(await found("loose", "loose/sub")).toEqual(["sub/a.txt"]);
    expect(await found("ruled", "ruled")).toEqual(["sub/a.txt"]);
    expect(await found("repository", "repository")).toEqual(["src/a.txt"]);
    expect(await found("repository/src", "repository/src")).toEqual(["a.txt"]);
  });

  test("passes over binary files, files over 1 MB, links and what it may not read", async () => {
    const root = treeOf({
      "binary.dat": Buffer.from("needle\nmore\0needle\n"),
      "large.txt": `needle\n${"y".repeat(1024 * 1024)}`,
      "full.txt": `needle\n${"y".repeat(1024 * 1024 - 7)}`,
      "closed.txt": "other",
      "good.txt": "needle",
    });
    chmodSync(join(root, "closed.txt"), 0);
    symlinkSync(join(root, "good.txt"), join(root, "link.txt"));
    symlinkSync(root, join(root, "loop"));
    expect(await namesFound(root, { pattern: "needle" })).toEqual(["full.txt", "good.txt"]);
  });

  test("shows, counts and tells nothing of files that may not be read, in every mode", async () => {
    const root = treeOf({
      ".env": "needle of a secret\n",
      "deep/.ssh/id_rsa": "needle of a key\n",
      "deep/a.txt": "one\nneedle\nthree\n",
      "other.txt": "nothing\n",
    });
    linkSync(join(root, ".env"), join(root, "copy.txt"));
    symlinkSync(join(root, ".env"), join(root, "link.txt"));
    symlinkSync(join(root, "deep/.ssh"), join(root, "folder"));
    const secret = statSync(join(root, ".env")).ino;
    const asked: string[] = [];
    const mayRead = (path: string) => {
      asked.push(path);
      return statSync(path).ino !== secret && !path.includes("/.ssh/");
    };
    const found = async (request: Partial<SearchRequest>) => {
      const outcome = await search(root, { pattern: "needle", mayRead, ...request });
      return outcome.ok ? { files: outcome.files, totalMatches: outcome.totalMatches } : outcome;
    };
    const file = { file: "deep/a.txt", count: 1 };
    expect(await found({})).toEqual({ files: [{ ...file, lines: [line(2, "needle")] }], totalMatches: 1 });
    expect(asked.every((path) => path.startsWith(`${root}/`))).toBe(true);
    expect(await found({ contextLines: 1 })).toEqual({
      files: [{ ...file, lines: [{ line: 2, text: "needle", before: ["one"], after: ["three"] }] }],
      totalMatches: 1,
    });
    expect(await found({ maxResults: 0 })).toEqual({ files: [{ ...file, lines: [] }], totalMatches: 1 });
    const none = { files: [], totalMatches: 0 };
    expect(await found({ globFilter: ".env" })).toEqual(none);
    expect(await found({ globFilter: "deep/**/id_*" })).toEqual(none);
    expect(await found({ path: join(root, ".env") })).toEqual(none);
    expect(await found({ path: join(root, "copy.txt") })).toEqual(none);
    expect(await found({ path: join(root, "deep/.ssh") })).toEqual(none);
  });

  test("says the same number of files whatever stands in those that may not be read", async () => {
    const root = treeOf({ ".env": "needle\n", "a.txt": "needle\n" });
    const mayRead = (path: string) => !path.endsWith(".env");
    const searched = async (pattern: string, globFilter?: string) => {
      const outcome = await search(root, { pattern, mayRead, globFilter });
      return outcome.ok && outcome.filesSearched;
    };
    for (const globFilter of [undefined, "*", "./*", ".e*"])
      expect(await searched("needle", globFilter)).toBe(await searched("nowhere", globFilter));
  });

  test("does not wait at a pipe", async () => {
    const root = directory();
    Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    expect(await search(root, { pattern: "x", path: join(root, "pipe") })).toMatchObject({
      ok: false,
      message: `${join(root, "pipe")} is a named pipe, not a regular file.`,
    });
    expect(await namesFound(root, { pattern: "x" })).toEqual([]);
  });

  test("counts the files it opened, binary ones too, large ones and ignored ones not", async () => {
    const root = treeOf({
      ".gitignore": "no.txt",
      "no.txt": "x",
      "a.txt": "x",
      "b/c.txt": "y",
      "binary.dat": Buffer.from("z\0"),
      "large.txt": "y".repeat(1024 * 1024 + 1),
    });
    expect(await search(root, { pattern: "^x" })).toEqual({
      ok: true,
      files: [{ file: "a.txt", count: 1, lines: [line(1, "x")] }],
      totalMatches: 1,
      filesSearched: 4,
    });
    const filtered = await search(root, { pattern: "^x", globFilter: "*.txt" });
    expect(filtered.ok && filtered.filesSearched).toBe(2);
    const below = await search(root, { pattern: "^x", globFilter: "b/*.txt" });
    expect(below.ok && below.filesSearched).toBe(1);
  });

  test("reads lines that end in CRLF, that are not UTF-8 and that are very long", async () => {
    const long = `needle ${"é".repeat(1000)}`;
    const root = treeOf({ "a.txt": Buffer.from(`needle\r\ncaf\xe9 needle\n`, "latin1"), "b.txt": long });
    expect(await search(root, { pattern: "needle$|^needle" })).toEqual({
      ok: true,
      files: [
        { file: "a.txt", count: 2, lines: [line(1, "needle"), line(2, "caf� needle")] },
        { file: "b.txt", count: 1, lines: [line(1, `${long.slice(0, 300)}…`)] },
      ],
      totalMatches: 3,
      filesSearched: 2,
    });
  });

  test("takes names and patterns as they are, whatever they look like", async () => {
    const root = treeOf({ "-e": "--files\n", "a b\nc.txt": "--files" });
    expect(await namesFound(root, { pattern: "--files" })).toEqual(["-e", "a b\nc.txt"]);
    expect(await namesFound(root, { pattern: "--files", path: join(root, "-e") })).toEqual(["-e"]);
  });

  test("says what is wrong with a pattern or a place", async () => {
    const root = treeOf({ "a.txt": "x" });
    for (const request of [{ pattern: "(" }, { pattern: "x", path: join(root, "missing") }]) {
      const outcome = await search(root, request);
      expect(outcome.ok).toBe(false);
      expect(outcome.ok ? "" : outcome.message).toMatch(/pattern|does not exist/);
    }
  });

  describe("has bounds:", () => {
    test("it stops counting at 50,000 matches", async () => {
      const root = treeOf(Object.fromEntries(["a"].map((name) => [name, "x\n".repeat(130_000)])));
      const outcome = await search(root, { pattern: "x", maxResults: 1 });
      expect(outcome.ok && [outcome.stopped, outcome.totalMatches >= 50_000]).toEqual([
        "it stopped after 50000 matches; search for something rarer",
        true,
      ]);
    });

    test("a search that was stopped says so", async () => {
      const root = treeOf({ "a.txt": "x" });
      const outcome = await search(root, { pattern: "x", signal: AbortSignal.abort() });
      expect(outcome).toEqual({ ok: true, files: [], totalMatches: 0, filesSearched: 0, stopped: "it was stopped" });
    });
  });
}
