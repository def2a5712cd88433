import { expect, test } from "bun:test";
import { resolveModel } from "../../src/models/resolve-model.ts";

test("a model that was guessed from part of its name is named to the person", async () => {
  const choose = (selector: string) =>
    resolveModel({
      selector,
      settings: {},
      configDirectory: "/nonexistent",
      environment: { ANTHROPIC_API_KEY: "sk-test" },
      home: "/nonexistent",
      cwd: "/",
    });
  const guessed = await choose("anthropic/sonnet-4-6");
  const exact = await choose("anthropic/claude-sonnet-4-6");
  expect([guessed.notes, exact.notes]).toEqual([
    ['"anthropic/sonnet-4-6" is taken as anthropic/claude-sonnet-4-6.'],
    [],
  ]);
});
