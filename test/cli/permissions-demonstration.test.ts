import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

// The page shows one compound command from its question to the next time. What it shows is done here, and has to look like that.

const PAGE = readFileSync(join(import.meta.dir, "../../docs/permissions.md"), "utf8");
const SECTION = PAGE.slice(PAGE.indexOf("## One command, part by part"));
const BLOCKS = [...SECTION.slice(0, SECTION.indexOf("\n## ", 3)).matchAll(/```\n(?<text>[\s\S]*?)```/g)].map(
  ({ groups }) => groups?.text ?? "",
);

/** What differs from machine to machine: the folder, the time it took, and whether there is a sandbox. */
function plain(text: string, project: string): string {
  return text
    .replaceAll(project, "/home/me/app")
    .replace(/\(\d+\.\d s\)/g, "(0.1 s)")
    .replace(/^It would run .*\n/gm, "");
}

test("the demonstration in the documentation is what happens", async () => {
  using ralph = await openFrontDoor();
  const { project } = ralph.workspace;
  expect(BLOCKS.length).toBe(4);
  for (const block of BLOCKS) {
    const [first = "", ...rest] = block.split("\n");
    const [, words = ""] = /^\$ ralph (.*)$/.exec(first) ?? [];
    const shown = plain(rest.join("\n"), project);
    const [, explained] = /^why -- "(.*)"$/.exec(words) ?? [];
    if (explained === undefined) expect(plain(await asked(words, rest), project)).toBe(shown);
    else expect(plain((await ralph.run(["why", "--", explained])).stdout, project)).toBe(shown);
  }
  expect(JSON.parse(ralph.workspace.read("ralph-home/data/permissions.json")).workspaces[project].allow).toEqual([
    "Bash(mkdir build:*)",
    "Bash(touch build/stamp:*)",
  ]);

  /** The model calls the command that is shown, and what stands behind the question mark is typed. */
  async function asked(words: string, lines: readonly string[]): Promise<string> {
    const [, prompt = ""] = /^-p "(.*)"$/.exec(words) ?? [];
    const command = lines[1]?.trim() ?? "";
    const [, key = ""] = /\? (\w)$/.exec(lines[2] ?? "") ?? [];
    ralph.provider.answer(toolCallAnswer({ name: "shell", input: { command } }), textAnswer("Done."));
    await using terminal = ralph.inTerminal(["-p", prompt]);
    await terminal.waitForOutput("[a]lways");
    terminal.type(`${key}\n`);
    return (await terminal.exited).screen;
  }
}, 30_000);
