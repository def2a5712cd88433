import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { searchFilesTool } from "../../src/tools/search-files.ts";
import { walkSearch } from "../../src/tools/walk-search.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { callTool, textOf, toolWorldIn } from "../support/tool-runs.ts";

const directory = temporaryDirectories();
const world = toolWorldIn(directory());
const tool = searchFilesTool(world, walkSearch());

function write(path: string, content: string): void {
  mkdirSync(dirname(join(world.root, path)), { recursive: true });
  writeFileSync(join(world.root, path), content);
}

write("src/a.ts", "one\nneedle 1\nthree\nfour\nfive\nneedle 2\n");
write("src/b.ts", "needle 3\n");
write("many/c.txt", `${"y".repeat(290)} hay\n`.repeat(1000));

describe("search_files", () => {
  test("asks to read the place it searches", () => {
    const prepared = tool.prepare({ pattern: "needle", path: "src" });
    expect("asks" in prepared && prepared.asks).toEqual([
      { category: "file_read", resources: [join(world.root, "src")], summary: "Search src for needle" },
    ]);
  });

  test("lists matches file by file", async () => {
    expect(await callTool(tool, { pattern: "needle" })).toEqual({
      content: [
        {
          type: "text",
          text: "src/a.ts\n2:needle 1\n6:needle 2\n\nsrc/b.ts\n1:needle 3\n\n3 matches in 2 files (3 files searched).",
        },
      ],
      details: {
        results: [
          { file: "src/a.ts", line: 2, text: "needle 1" },
          { file: "src/a.ts", line: 6, text: "needle 2" },
          { file: "src/b.ts", line: 1, text: "needle 3" },
        ],
        matched_files: 2,
        total_matches_found: 3,
        files_searched: 3,
        truncated: false,
      },
    });
  });

  test("shows lines around with a mark where lines are left out", async () => {
    expect(textOf(await callTool(tool, { pattern: "needle", path: "src/a.ts", context_lines: 1 }))).toBe(
      "src/a.ts\n1-one\n2:needle 1\n3-three\n--\n5-five\n6:needle 2\n\n2 matches in 1 files (1 files searched).",
    );
  });

  test("says how many there are beyond those listed", async () => {
    const output = await callTool(tool, { pattern: "needle", max_results: 1 });
    expect(textOf(output)).toBe(
      "src/a.ts\n2:needle 1\n\n3 matches in 2 files (3 files searched). The first 1 are listed.",
    );
    expect(output.details).toMatchObject({ truncated: true, total_matches_found: 3 });
  });

  test("counts per file", async () => {
    expect(await callTool(tool, { pattern: "needle", count_only: true })).toEqual({
      content: [{ type: "text", text: "src/a.ts: 2\nsrc/b.ts: 1\n\n3 matches in 2 files (3 files searched)." }],
      details: {
        results: [
          { file: "src/a.ts", count: 2 },
          { file: "src/b.ts", count: 1 },
        ],
        matched_files: 2,
        total_matches_found: 3,
        files_searched: 3,
        truncated: false,
      },
    });
  });

  test("never gives the model more than 64 KB", async () => {
    const text = textOf(await callTool(tool, { pattern: "hay", max_results: 1000 }));
    expect(text.length).toBeLessThan(66_000);
    expect(text).toEndWith(
      "1000 matches in 1 files (1 files searched). The list is cut at 65536 characters.".replace("(1", "(3"),
    );
  });

  test("says when nothing matches, and what is wrong", async () => {
    expect(textOf(await callTool(tool, { pattern: "nowhere" }))).toBe("No match (3 files searched).");
    expect(await callTool(tool, { pattern: "x", path: "gone" })).toEqual({
      content: [{ type: "text", text: "gone does not exist." }],
      isError: true,
    });
    expect((await callTool(tool, { pattern: "(" })).isError).toBe(true);
  });
});

test("search_files never shows what stands in a file that the world keeps to itself", async () => {
  const guarded = { ...toolWorldIn(directory()), mayRead: (path: string) => !path.endsWith("/.env") };
  writeFileSync(join(guarded.root, ".env"), "TOKEN=needle\n");
  writeFileSync(join(guarded.root, "a.txt"), "needle\n");
  symlinkSync(join(guarded.root, ".env"), join(guarded.root, "link.txt"));
  const search = searchFilesTool(guarded, walkSearch());
  const details = (results: object[], found: number) => ({
    results,
    matched_files: found,
    total_matches_found: found,
    files_searched: found,
    truncated: false,
  });
  expect(await callTool(search, { pattern: "needle|TOKEN", context_lines: 3 })).toEqual({
    content: [{ type: "text", text: "a.txt\n1:needle\n\n1 matches in 1 files (1 files searched)." }],
    details: details([{ file: "a.txt", line: 1, text: "needle" }], 1),
  } as never);
  for (const path of [".env", "link.txt"]) {
    expect(await callTool(search, { pattern: "needle|TOKEN", path, count_only: true })).toEqual({
      content: [{ type: "text", text: "No match (0 files searched)." }],
      details: details([], 0),
    } as never);
  }
});
