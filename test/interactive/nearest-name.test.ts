import { describe, expect, test } from "bun:test";
import { nearestName } from "../../src/interactive/nearest-name.ts";

describe("the name that was probably meant", () => {
  test("is one a slip of the fingers away, or one that begins like this", () => {
    const names = ["model", "mode", "resume", "exit"];
    expect(["modle", "resum", "EXTI", "exits", "re", "zzz", "x", ""].map((name) => nearestName(name, names))).toEqual([
      "model",
      "resume",
      "exit",
      "exit",
      "resume",
      undefined,
      undefined,
      undefined,
    ]);
  });
});
