import { describe, expect, test } from "bun:test";
import { parse } from "unbash";
import { coversSource } from "../../../src/permissions/shell/source-coverage.ts";

describe("the check that the tree shows the whole source", () => {
  test("a tree covers the text it was made of", () => {
    const texts = [
      "ls",
      "a; b && c || d | e |& f &",
      "(a; { b; }) # c\n! d",
      "if a; then b; elif c; then d; else e; fi",
      "for i in a b; do c; done",
      "while a; do b; done\nuntil c; do d; done",
      "a \\\n b",
      "[[ -f a && -d b ]] && time -p c",
      "A=1 a 2>&1 <b",
    ];
    expect(texts.filter((text) => !coversSource(parse(text), text))).toEqual([]);
  });

  test("what the tree does not show is noticed", () => {
    const gaps: [shown: string, text: string][] = [
      ["ls", "ls %"],
      ["ls", "ls ("],
      ["ls", "ls; id"],
      ["a && b", "a || b"],
      ["a", "(a)"],
      ["a", "a &"],
      ["a | b", "a   b"],
      ["a", "! a"],
    ];
    expect(gaps.filter(([shown, text]) => coversSource(parse(shown), text))).toEqual([]);
  });
});
