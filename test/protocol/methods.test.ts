import { expect, test } from "bun:test";
import { join } from "node:path";
import * as z from "zod";
import { METHODS } from "../../src/protocol/methods.ts";

function keysOf(schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: "any" });
  const keys = Object.keys(properties).map((key) => `\`${key}${required.includes(key) ? "" : "?"}\``);
  return keys.length === 0 ? "–" : keys.join(", ");
}

test("the page about methods lists every method with what it takes and gives", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/methods.md")).text();
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows).toEqual(
    Object.entries(METHODS).map(
      ([name, { params, result, description }]) =>
        `| \`${name}\` | ${keysOf(params)} | ${keysOf(result)} | ${description} |`,
    ),
  );
});

test("what a method does not know is refused by its schema", () => {
  for (const { params } of Object.values(METHODS)) {
    expect(params.safeParse({ unknown: 1 }).success).toBe(false);
  }
});
