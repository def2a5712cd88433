import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BEGIN_MARK, END_MARK, withReference } from "../../scripts/rpc-reference-page.ts";

const PAGE = join(import.meta.dir, "../../docs/rpc.md");

test("the page says what the tables say: run scripts/rpc-reference.ts where it does not", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page).toBe(withReference(page) ?? "a page with marks for the tables");
});

test("a page without a place for the tables stays as it is", () => {
  expect([
    withReference("words"),
    withReference(`${BEGIN_MARK} words`),
    withReference(`${END_MARK}${BEGIN_MARK}`),
  ]).toEqual([undefined, undefined, undefined]);
});

test("words around the tables are kept", () => {
  const page = withReference(`before\n${BEGIN_MARK}\nwhat it said before\n${END_MARK}\nafter\n`) ?? "";
  expect([
    page.startsWith(`before\n${BEGIN_MARK}\n\n### Commands\n`),
    page.endsWith(`\n\n${END_MARK}\nafter\n`),
    page.includes("what it said before"),
  ]).toEqual([true, true, false]);
});
