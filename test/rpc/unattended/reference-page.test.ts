import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GATE_STAGES } from "../../../src/rpc/gates/gate-broker.ts";
import { KEYWORDS } from "../../../src/rpc/gates/schema-keywords.ts";
import { ACTION_CLASSES } from "../../../src/rpc/unattended/action-classes.ts";

const PAGE = readFileSync(join(import.meta.dir, "../../../docs/unattended.md"), "utf8");

test("docs/unattended.md has the table of actions as it is", () => {
  const rows = Object.entries(ACTION_CLASSES).map(([name, action]) => {
    const covers = "covers" in action ? action.covers.map((covered) => `\`${covered}\``) : [];
    return `| \`${name}\` | ${action.description} | ${covers.join(", ")} |`;
  });
  expect(PAGE.split("\n").filter((line) => /^\| `[a-z_]+\.[a-z_]+`/.test(line))).toEqual(rows);
});

test("docs/unattended.md names every keyword of schemas and every stage", () => {
  expect([...KEYWORDS.keys(), ...GATE_STAGES].filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
});
