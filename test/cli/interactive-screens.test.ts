import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ScriptTurn } from "../../src/protocol/script.ts";
import type { ConversationTerminal } from "../support/conversation-terminal.ts";
import { rehearsalHome, rehearse } from "../support/rehearsal.ts";
import { steadyRow } from "../support/steady-screen.ts";
import type { TempWorkspace } from "../support/temp-workspace.ts";

// One whole conversation, as a person sees it at each step. A change of the face shows here first.

setDefaultTimeout(40_000);

const NOTES = "# Notes\n\nThe parser splits at commas.\nIt knows no quotes.\n\nThat is all.\n";

const TURNS: ScriptTurn[] = [
  {
    steps: [
      { thinking: "Which parts are there? I list them." },
      {
        text: [
          "## The parts\n\nThere are **two**, see `src/` and [the page](https://example.org/parts):\n\n",
          "| part | lines | what it does |\n|---|--:|---|\n| parser | 120 | reads rows |\n| writer | 45 | writes them again |\n\n",
          "1. first the parser\n2. then the writer\n\n> Quotes hold commas together.\n\n",
          "```ts\nexport function parse(text: string): string[] {\n  return text.split(','); // too simple\n",
        ],
      },
      { wait: 600_000 },
    ],
  },
  {
    steps: [
      { text: "I change the notes first." },
      { tool: { name: "read_file", input: { path: "notes.md" } } },
      {
        tool: {
          name: "edit_file",
          input: { path: "notes.md", old_string: "It knows no quotes.", new_string: "It knows quotes.\nAnd escapes." },
        },
      },
    ],
  },
  {
    steps: [{ tool: { name: "shell", input: { command: "sh ../slow.sh" } } }],
  },
  {
    steps: [
      {
        tool: {
          name: "ask_user",
          input: { question: "Which writer?", options: ["the old one", "the new one", "both of them"] },
        },
      },
    ],
  },
  { steps: [{ text: "All is done, with the **new** writer." }, { usage: { input: 5200, output: 340 } }] },
];

describe("a whole conversation on the screen", () => {
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [40, 20],
  ] as const) {
    test(`at ${columns} columns and ${rows} rows`, async () => {
      await using workspace = rehearsalHome(TURNS);
      workspace.write("project/notes.md", NOTES);
      workspace.write("slow.sh", "echo begun\nuntil [ -f ../go ]; do sleep 0.05; done\necho over\n");
      await using ralph = rehearse(workspace, ["--sandbox", "off"], { columns, rows });
      const screens = await play(ralph, workspace);
      for (const [name, screen] of Object.entries(screens)) expect(screen).toMatchSnapshot(name);
      expect(Object.values(screens).flatMap((screen) => screen.filter((row) => row.length > columns))).toEqual([]);
    });
  }
});

type Screens = Record<string, string[]>;

/** The folder of the test is elsewhere each time, and how many rows its name takes with it: an ask is looked at from its title on. */
function withoutPlace(screen: string, { project }: TempWorkspace): string {
  const broken = [...`${project}/notes.md`].map((character) => RegExp.escape(character)).join("(?:\\n {2})?");
  const path = new RegExp(broken);
  if (!path.test(screen)) return screen;
  return screen.slice(screen.indexOf("── ")).replace(path, "/project/notes.md");
}

async function play(ralph: ConversationTerminal, workspace: TempWorkspace): Promise<Screens> {
  const screens: Screens = {};
  const look = async (name: string, pattern: RegExp | string) => {
    const seen = await ralph.seeOnScreen(pattern);
    screens[name] = withoutPlace(seen, workspace).split("\n").map(steadyRow);
  };
  await look("first screen", /›\nplay\/first/);
  ralph.type("which parts are there?\r");
  await look("streaming", /simple\n[\s\S]*working/);
  ralph.type("only the parser, please\r");
  await ralph.seeOnScreen("soon: only");
  ralph.type("and then the docs\n");
  await look("queue", /later: and[\s\S]*›\n/);
  for (const taken of ["and then the docs", "only the parser, please"]) {
    ralph.type("\x1b[1;3A");
    await ralph.seeOnScreen(`› ${taken}`);
    ralph.type("\x15");
    await ralph.seeOnScreen(/›\n/);
  }
  ralph.type("\x1b");
  await look("stopped", /Stopped\.[\s\S]*\nplay\/first/);
  ralph.type("change the notes\r");
  await look("ask", /y {2}yes, once[\s\S]*waiting for you/);
  ralph.type("\ty");
  await ralph.seeOnScreen(/sh \.\.\/slow[\s\S]*yes, once[\s\S]*waiting for you/);
  ralph.type("\ty");
  await look("running", /begun\n[\s\S]*shell \d+ s/);
  workspace.write("go", "");
  await look("question", /Which writer\? [\d.]+ m?s\n[\s\S]*both of them[\s\S]*waiting for you/);
  ralph.type("\t2");
  await look("done", /writer\.\n[\s\S]*\nplay\/first.*(5\.2k in|1%$)/);
  ralph.type("/mod");
  await look("suggestions", /\/mod\n[\s\S]*choose the model/);
  ralph.type("el\r");
  await ralph.seeOnScreen("Esc close");
  ralph.type("other/sec");
  await look("picker", /other\/sec\n[\s\S]*Esc close/);
  ralph.type("\x1b");
  await ralph.gone("Esc close");
  ralph.type("/help\r");
  await look("help", /is one of these\.[\s\S]*\nplay\/first/);
  return screens;
}
