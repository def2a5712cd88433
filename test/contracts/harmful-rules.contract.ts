import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SearchEngine } from "../../src/tools/search-engine.ts";

/** How what is searched ends well, whatever stands where a .gitignore should. `directory` makes an empty folder. */
export function harmfulRulesContract(engine: SearchEngine, directory: () => string): void {
  const harmful: Record<string, (path: string) => void> = {
    "a pipe": (path) => Bun.spawnSync(["mkfifo", path]),
    "a link to an endless device": (path) => symlinkSync("/dev/zero", path),
    "a huge file": (path) => {
      writeFileSync(path, "*\n");
      truncateSync(path, 3_000_000_000);
    },
    "a link to nothing": (path) => symlinkSync("/no/such/file", path),
    "a link to itself": (path) => symlinkSync(path, path),
    "a folder": (path) => mkdirSync(path),
  };
  const places = ["in the searched folder", "above it", "deep below it"] as const;
  for (const [kind, make] of Object.entries(harmful)) {
    test(`is done soon although .gitignore is ${kind}, wherever it stands`, async () => {
      const outcomes = await Promise.all(places.map((place) => searchWith(place, make)));
      const findings = { ok: true, files: ["sub/a.txt", "sub/deep/down/b.txt"], totalMatches: 2 };
      expect<unknown>(outcomes).toEqual([findings, findings, findings]);
    }, 8_000);
  }

  const searchWith = async (place: (typeof places)[number], make: (path: string) => void) => {
    const root = directory();
    mkdirSync(join(root, ".git"));
    mkdirSync(join(root, "sub/deep/down"), { recursive: true });
    writeFileSync(join(root, "sub/a.txt"), "needle\n");
    writeFileSync(join(root, "sub/deep/down/b.txt"), "needle\n");
    writeFileSync(join(root, "sub/deep/.gitignore"), "c.txt\n");
    writeFileSync(join(root, "sub/deep/c.txt"), "needle\n");
    const path = join(root, "sub");
    const folder = {
      "in the searched folder": path,
      "above it": dirname(path),
      "deep below it": join(path, "deep/down"),
    };
    make(join(folder[place], ".gitignore"));
    const outcome = await engine.search({
      path,
      root,
      pattern: "needle",
      isCaseSensitive: true,
      contextLines: 0,
      maxResults: 10,
      signal: new AbortController().signal,
    });
    if (!outcome.ok) return outcome;
    const { ok, files, totalMatches } = outcome;
    return { ok, files: files.map(({ file }) => file.slice(root.length + 1)), totalMatches };
  };
}
