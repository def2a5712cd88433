import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { foldName, hidesSomething } from "../../../src/permissions/paths/fold-name.ts";
import { forbids, matchProtected } from "../../../src/permissions/paths/match-protected.ts";
import { PROTECTED_NAMES } from "../../../src/permissions/paths/protected-names.ts";

const ANYWHERE = { isFromRoot: true, folders: "none" } as const;
const names = PROTECTED_NAMES.flatMap((row) => row.names.map((name) => ({ ...row, name })));

describe("every protected name", () => {
  for (const { name, level } of names) {
    test(`${name} is ${level}, at any depth and with everything below it`, () => {
      const parts = name.replaceAll("*", "x").split("/").filter(Boolean);
      const before = name.startsWith("/") ? [] : ["a", "b"];
      for (const path of [parts, [...before, ...parts], [...before, ...parts, "below"]]) {
        const found = matchProtected(path, ANYWHERE);
        expect(found !== undefined && forbids(found, ["write"])).toBe(true);
        if (level === "secret") expect(found?.level).toBe("secret");
      }
    });
  }

  test("stands in the documentation with its level", () => {
    const page = readFileSync(join(import.meta.dir, "../../../docs/permissions-paths.md"), "utf8");
    const rows = PROTECTED_NAMES.map(
      ({ level, reason, names: own, except = [] }) =>
        `| ${level} | ${own.map(code).join(" ")}${except.length === 0 ? "" : ` but not ${except.map(code).join(" ")}`} | ${reason} |`,
    );
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  test("is written once", () => {
    expect(names.map(({ name }) => name)).toEqual([...new Set(names.map(({ name }) => name))]);
  });
});

describe("names that fold", () => {
  test("are the same with a sharp s, small, capital or written out", () => {
    expect(["STRASSE", "straße", "STRAẞE"].map(foldName)).toEqual(["strasse", "strasse", "strasse"]);
  });

  test("stay the same when they are folded again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 12 }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
    );
  });

  test("are the same for every case of an ASCII name", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/), (name) => {
        expect(foldName(name.toUpperCase())).toBe(foldName(name.toLowerCase()));
      }),
    );
  });

  test("hide something when a character has no shape or turns the text, but not in scripts that need joiners", () => {
    expect(["a\u200bb", "\u202ea", "a\u2066b", "a\u200db", "\ufeffa"].map(hidesSomething)).toEqual(Array(5).fill(true));
    expect(["abc", "👩\u200d💻", "می\u200cخواهم", "❤\ufe0f", "é"].map(hidesSomething)).toEqual(Array(5).fill(false));
  });
});

function code(name: string): string {
  return `\`${name}\``;
}
