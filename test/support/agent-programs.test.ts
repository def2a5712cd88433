import { expect, test } from "bun:test";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGENT_PROGRAMS, agentProgram } from "./agent-programs.ts";

test("every agent for tests has its name, its line in the README and may be run", () => {
  const folder = dirname(agentProgram("finishes"));
  const files = readdirSync(folder).filter((name) => name.endsWith(".sh"));
  expect(files.sort()).toEqual(AGENT_PROGRAMS.map((name) => `${name}.sh`).sort());
  const page = readFileSync(join(folder, "README.md"), "utf8");
  expect(AGENT_PROGRAMS.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  for (const name of AGENT_PROGRAMS) accessSync(agentProgram(name), constants.X_OK);
});
