import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeLine } from "../../support/judge-line.ts";

// The corpora are JSON lines as `ralph permissions check` reads them, judged in a workspace that is not on disk.

interface Case {
  id: string;
  command: string;
  cwd?: string;
  allow_rules: unknown[];
  must?: "not-allow" | "deny";
}

describe("the corpora", () => {
  test("no bypass is allowed, and what must be refused is refused", () => {
    const cases = corpus("bypasses.jsonl");
    const unsafe = cases.filter(({ must, ...line }) => {
      const { decision } = judgeLine(line);
      return decision === "allow" || (must === "deny" && decision !== "deny");
    });
    expect(unsafe).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(300);
  });

  test("no everyday command is asked about", () => {
    const cases = corpus("everyday.jsonl");
    const friction = cases.flatMap((line) => {
      const { decision, reason } = judgeLine(line);
      return decision === "allow" ? [] : [{ ...line, reason }];
    });
    expect(friction).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(200);
  });

  test("without a rule nothing but the neutral builtins is allowed", () => {
    const allowed = corpus("everyday.jsonl").filter(
      ({ command, cwd }) => judgeLine({ command, ...(cwd && { cwd }), allow_rules: [] }).decision === "allow",
    );
    expect(allowed.map(({ command }) => command)).toEqual(["command -v node"]);
  });

  test("every id is used once", () => {
    const ids = [...corpus("bypasses.jsonl"), ...corpus("everyday.jsonl")].map(({ id }) => id);
    expect(ids.length).toBe(new Set(ids).size);
  });
});

function corpus(name: string): Case[] {
  const file = join(import.meta.dir, "../../fixtures/permissions", name);
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
