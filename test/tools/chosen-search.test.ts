import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRipgrep } from "../../src/system/find-ripgrep.ts";
import { chosenSearch } from "../../src/tools/chosen-search.ts";
import type { SearchEngine, SearchRequest } from "../../src/tools/search-engine.ts";
import { harmfulRulesContract } from "../contracts/harmful-rules.contract.ts";
import { searchEngineContract } from "../contracts/search-engine.contract.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const environment = { PATH: "/usr/bin:/bin" };

function engineWith(ripgrep: string | undefined): SearchEngine {
  return chosenSearch({ findRipgrep: async () => ripgrep, environment });
}

function tree(): string {
  const root = directory();
  writeFileSync(join(root, "a.txt"), "one two\n");
  return root;
}

function requestFor(root: string, changes: Partial<SearchRequest> = {}): SearchRequest {
  return {
    path: root,
    root,
    pattern: "two",
    isCaseSensitive: true,
    contextLines: 0,
    maxResults: 10,
    signal: new AbortController().signal,
    ...changes,
  };
}

function theLine(root: string) {
  const lines = [{ line: 1, text: "one two", before: [], after: [] }];
  return {
    ok: true as const,
    files: [{ file: join(root, "a.txt"), count: 1, lines }],
    totalMatches: 1,
    filesSearched: 1,
  };
}

function program(script: string): string {
  const path = join(directory(), "rg");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

describe("whichever engine is chosen", () => {
  const engine = chosenSearch({ findRipgrep: () => findRipgrep(""), environment });
  searchEngineContract(engine, directory);
  harmfulRulesContract(engine, directory);
});

describe("our own walk answers", () => {
  const broken: Record<string, () => string | undefined> = {
    "where there is no ripgrep": () => undefined,
    "where ripgrep is gone": () => "/no/such/rg",
    "where ripgrep may not be run": () => tree(),
    "where ripgrep crashes in the middle": () => program(`echo '{"type":"begin","data":{}}'; kill -SEGV $$`),
    "where ripgrep is killed": () => program("kill -KILL $$"),
    "where ripgrep ends with an error nobody knows": () => program("exit 101"),
    "where something else ends well in its place": () => program("echo hello"),
  };
  for (const [title, ripgrep] of Object.entries(broken)) {
    test(title, async () => {
      const root = tree();
      expect(await engineWith(ripgrep()).search(requestFor(root))).toEqual(theLine(root));
    });
  }

  test("where a pattern looks around or back, which ripgrep cannot", async () => {
    const root = tree();
    const engine = chosenSearch({ findRipgrep: () => findRipgrep(""), environment });
    expect(await engine.search(requestFor(root, { pattern: "(?<=one )two" }))).toEqual(theLine(root));
    expect(await engine.search(requestFor(root, { pattern: "(o)ne tw\\1" }))).toEqual(theLine(root));
  });

  test("below a workspace without repository, with .gitignore files in it and above it", async () => {
    const home = directory();
    mkdirSync(join(home, "root/sub"), { recursive: true });
    writeFileSync(join(home, ".gitignore"), "*");
    writeFileSync(join(home, "root/.gitignore"), "/sub/b.txt");
    writeFileSync(join(home, "root/sub/a.txt"), "one two\n");
    writeFileSync(join(home, "root/sub/b.txt"), "one two\n");
    const engine = chosenSearch({ findRipgrep: () => findRipgrep(""), environment });
    const sub = join(home, "root/sub");
    expect(await engine.search(requestFor(join(home, "root"), { path: sub }))).toEqual(theLine(sub));
  });
});

test("ripgrep is looked for at the first search, and once", async () => {
  const root = tree();
  let asked = 0;
  const engine = chosenSearch({
    findRipgrep: async () => {
      asked++;
      return undefined;
    },
    environment,
  });
  expect(asked).toBe(0);
  await Promise.all([engine.search(requestFor(root)), engine.search(requestFor(root))]);
  expect(asked).toBe(1);
});

test("nothing outside changes what ripgrep does: no settings file, no environment", async () => {
  const root = tree();
  const settings = join(directory(), "ripgreprc");
  writeFileSync(settings, "--invert-match\n");
  const seen = join(directory(), "seen");
  const engine = chosenSearch({
    findRipgrep: async () => program(`env | sed 's/=.*//' | sort > ${seen}; echo "$@" >> ${seen}; exit 3`),
    environment: { ...environment, RIPGREP_CONFIG_PATH: settings, LD_PRELOAD: "", ANTHROPIC_API_KEY: "sk-1" },
  });
  expect(await engine.search(requestFor(root))).toEqual(theLine(root));
  const lines = (await Bun.file(seen).text()).split("\n");
  expect(lines.filter((line) => /RIPGREP|PRELOAD|KEY/.test(line))).toEqual([]);
  expect(lines.some((line) => line.startsWith("--no-config "))).toBe(true);
});

test.skipIf(process.platform !== "linux")("ripgrep has bounds that hold even where Ralph is gone", async () => {
  const root = tree();
  const seen = join(directory(), "seen");
  const ripgrep = program(`{ ulimit -v; ulimit -t; ulimit -c; } > ${seen}; exit 3`);
  expect(await engineWith(ripgrep).search(requestFor(root))).toEqual(theLine(root));
  expect(await Bun.file(seen).text()).toBe("524288\n600\n0\n");
});
