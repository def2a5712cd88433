import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { appendProgress, patternsIn } from "../../../src/loop/tasks/progress-file.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

function progress(text?: string) {
  const folder = directory();
  const file = join(folder, "progress.txt");
  if (text !== undefined) writeFileSync(file, text);
  return {
    folder,
    file,
    add: (heading: string, ...lines: string[]) => appendProgress(file, { heading, lines }),
    now: (name = "progress.txt") => readFileSync(join(folder, name), "utf8"),
    names: () => readdirSync(folder).sort(),
  };
}

const longText = (lines: number) =>
  `# Shop\nStarted today\n\n## Codebase Patterns\n\n- tests run with npm test\n\n---\n${"line\n".repeat(lines)}`;

describe("progress.txt", () => {
  test("is made with its header, and entries follow each other", async () => {
    const { add, now } = progress();
    expect(await add("Iteration 1: S-1", "passed")).toEqual({ ok: true });
    await add("Iteration 2: S-2", "check failed:", "two\nlines");
    expect(now()).toBe(
      "# Progress\n\n## Codebase Patterns\n\n---\n\n## Iteration 1: S-1\npassed\n---\n\n## Iteration 2: S-2\ncheck failed:\ntwo\nlines\n---\n",
    );
  });

  test("holds an entry once, however often it is added", async () => {
    const { add, now } = progress();
    await add("Iteration 1", "a");
    const before = now();
    await add("Iteration 1", "a");
    expect(now()).toBe(before);
  });

  test("keeps what others wrote, and bounds what an entry holds", async () => {
    const { add, now } = progress("no newline");
    await add("x".repeat(600), "## no heading", "---", "\u001b[2Jsteers", ...Array.from({ length: 50 }, () => "l"));
    expect(now()).toBe(
      `no newline\n\n## ${"x".repeat(500)}…\n ## no heading\n ---\n [2Jsteers\n${"l\n".repeat(37)}(13 more lines left out)\n---\n`,
    );
  });

  test("begins anew above 300 lines with header, patterns and a pointer, and the old one stays whole", async () => {
    const { add, now, names } = progress(longText(290));
    expect(await add("Iteration 9", "passed")).toEqual({ ok: true, archived: "progress-1.txt" });
    expect(names()).toEqual(["progress-1.txt", "progress.txt"]);
    expect(now("progress-1.txt")).toBe(longText(290));
    const anew =
      "# Shop\nStarted today\n\nWhat came before is in progress-1.txt.\n\n## Codebase Patterns\n\n- tests run with npm test\n\n---\n\n## Iteration 9\npassed\n---\n";
    expect(now()).toBe(anew);
  });

  test("counts on from the archives that are there, and points to the newest only", async () => {
    const { folder, file, add, now, names } = progress(longText(290));
    writeFileSync(join(folder, "progress-7.txt"), "older");
    await add("Iteration 1");
    writeFileSync(file, `${now()}${"line\n".repeat(300)}`);
    await add("Iteration 2");
    expect(names()).toEqual(["progress-7.txt", "progress-8.txt", "progress-9.txt", "progress.txt"]);
    expect(now().match(/What came before is in .*/g)).toEqual(["What came before is in progress-9.txt."]);
    expect(now()).toStartWith("# Shop\nStarted today\n\nWhat");
  });

  test("that was archived and not yet begun anew when the process was killed is not archived twice", async () => {
    const { folder, file, add, now, names } = progress(longText(290));
    writeFileSync(join(folder, "progress-1.txt"), longText(290));
    writeFileSync(file, `${longText(290)}an agent's line\n`);
    expect(await add("Iteration 9")).toEqual({ ok: true, archived: "progress-1.txt" });
    expect(names()).toEqual(["progress-1.txt", "progress.txt"]);
    expect(now("progress-1.txt")).toBe(`${longText(290)}an agent's line\n`);
  });

  test("with more patterns than it may carry over keeps the first, and stays below its limit", async () => {
    const { add, now } = progress(`# P\n\n## Codebase Patterns\n\n${"- p\n".repeat(400)}\n---\n`);
    await add("Iteration 1");
    expect(now().match(/^- p$/gm)).toHaveLength(150);
    expect(now()).toContain("(250 more lines in progress-1.txt)");
    await add("Iteration 2");
    expect(now()).toContain("What came before is in progress-1.txt.");
  });

  test("that is too large or no text is moved aside; a link is left alone", async () => {
    const large = progress();
    writeFileSync(large.file, Buffer.alloc(4_000_001, 97));
    expect(await large.add("Iteration 1")).toEqual({ ok: true, archived: "progress-1.txt" });
    expect(large.names()).toEqual(["progress-1.txt", "progress.txt"]);
    const link = progress();
    symlinkSync("/nowhere", link.file);
    expect(await link.add("Iteration 1")).toMatchObject({ ok: false, reason: "not-a-file" });
  });

  test("loses no entry when several are added at once", async () => {
    const { add, now } = progress();
    const results = await Promise.all(["1", "2", "3", "4"].map((number) => add(`Iteration ${number}`)));
    expect(results).toEqual(Array.from({ length: 4 }, () => ({ ok: true })));
    const headings = [...now().matchAll(/^## Iteration (\d)$/gm)].map(([, number]) => number);
    expect(headings.toSorted()).toEqual(["1", "2", "3", "4"]);
  });
});

test("patterns are what stands between their heading and the next section", () => {
  expect(patternsIn("# P\n## Codebase Patterns\n\n- a\n### b\n- c\n\n---\nrest")).toBe("- a\n### b\n- c");
  expect(patternsIn("## Codebase Patterns\n- a\n## Next\n- b")).toBe("- a");
  expect(patternsIn("## Codebase Patterns")).toBe("");
  expect(patternsIn("nothing")).toBe("");
  fc.assert(fc.property(fc.string(), (text) => expect(patternsIn(text).length).toBeLessThanOrEqual(text.length)));
});
