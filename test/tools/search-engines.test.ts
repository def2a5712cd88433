import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRipgrep } from "../../src/system/find-ripgrep.ts";
import { ripgrepSearch } from "../../src/tools/ripgrep-search.ts";
import { walkSearch } from "../../src/tools/walk-search.ts";
import { harmfulRulesContract } from "../contracts/harmful-rules.contract.ts";
import { searchEngineContract } from "../contracts/search-engine.contract.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const program = await findRipgrep("");
const environment = { PATH: "/usr/bin:/bin" };

describe("our own search", () => {
  searchEngineContract(walkSearch(), directory);
  harmfulRulesContract(walkSearch(), directory);

  test("gives up on a pattern that never ends, names the file, and lets others work meanwhile", async () => {
    const root = directory();
    writeFileSync(join(root, "hard.txt"), `${"a".repeat(60)}!\n`.repeat(50));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const outcome = await walkSearch().search({
      path: root,
      root,
      pattern: "^(a+)+$",
      isCaseSensitive: true,
      contextLines: 0,
      maxResults: 10,
      signal: new AbortController().signal,
    });
    clearInterval(timer);
    expect(outcome).toEqual({
      ok: true,
      files: [],
      totalMatches: 0,
      filesSearched: 1,
      stopped: `the pattern takes too long in ${join(root, "hard.txt")}; make it simpler`,
    });
    expect(ticks).toBeGreaterThan(20);
  });

  test("is stopped in the middle of such a pattern", async () => {
    const root = directory();
    writeFileSync(join(root, "hard.txt"), `${"a".repeat(60)}!\n`);
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), 50);
    const outcome = await walkSearch().search({
      path: root,
      root,
      pattern: "^(a+)+$",
      isCaseSensitive: true,
      contextLines: 0,
      maxResults: 10,
      signal: abort.signal,
    });
    clearTimeout(timer);
    expect(outcome).toEqual({ ok: true, files: [], totalMatches: 0, filesSearched: 1, stopped: "it was stopped" });
  });
});

describe.skipIf(program === undefined)("the packaged ripgrep", () => {
  searchEngineContract(ripgrepSearch({ program: program ?? "", environment }), directory);
});

test("a ripgrep that is not there is a message", async () => {
  const root = directory();
  const outcome = await ripgrepSearch({ program: "/no/such/rg", environment }).search({
    path: root,
    root,
    pattern: "x",
    isCaseSensitive: true,
    contextLines: 0,
    maxResults: 10,
    signal: new AbortController().signal,
  });
  expect(outcome).toEqual({ ok: false, message: 'ripgrep could not search: The program "/no/such/rg" was not found.' });
});
