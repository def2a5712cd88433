import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { ScriptTurn } from "../../src/protocol/script.ts";
import { ALL_COMMANDS } from "../support/conversation-on-screen.ts";
import type { ConversationTerminal } from "../support/conversation-terminal.ts";
import { rehearsalHome, rehearse } from "../support/rehearsal.ts";

// Every slash command, written as a person writes it.

setDefaultTimeout(60_000);

const TURNS: ScriptTurn[] = [
  {
    steps: [
      { text: "I write." },
      { tool: { name: "write_file", input: { path: "made.txt", content: "made\n" } } },
      { tool: { name: "TodoWrite", input: { todos: [{ content: "test it", status: "in_progress" }] } } },
    ],
  },
  { repeat: 20, steps: [{ text: "Written." }, { usage: { input: 1200, output: 34 } }] },
];

interface Use {
  typed: string;
  seen: RegExp | string;
  /** What closes the list it opened. */
  closing?: "\x1b";
}

/** In this order: some leave something for the next. `exit` comes last. */
const USES: Record<string, Use> = {
  help: { typed: "/help compact", seen: /\/compact \[what matters\] │ shorten the conversation/ },
  hotkeys: { typed: "/hotkeys", seen: "keybindings.json in the configuration folder changes them." },
  theme: { typed: "/theme", seen: /── Theme[\s\S]*high-contrast/, closing: "\x1b" },
  permissions: { typed: "/permissions", seen: /file_write/ },
  settings: { typed: "/settings", seen: /screenReader/ },
  doctor: { typed: "/doctor", seen: /ripgrep|sandbox/i },
  model: { typed: "/model", seen: /── Model ─[\s\S]*› play\/first \(now\)/, closing: "\x1b" },
  effort: { typed: "/effort", seen: /── Effort[\s\S]*xhigh/, closing: "\x1b" },
  mode: { typed: "/mode", seen: /── Mode ─[\s\S]*› default \(now\)/, closing: "\x1b" },
  safe: { typed: "/safe", seen: /\n:\n.*safe: only tools that look/ },
  normal: { typed: "/normal", seen: /\n›\n.*all tools/ },
  plan: { typed: "/plan", seen: /\n.*· plan mode/ },
  tools: { typed: "/tools", seen: /• read_file\n[\s\S]*• shell\n/ },
  tasks: { typed: "/tasks", seen: "test it (now)" },
  context: { typed: "/context", seen: /tokens \(\d+%\)\. \/compact shortens the conversation\./ },
  usage: { typed: "/usage", seen: /tokens in +│ 1,200/ },
  run: { typed: "/run echo hello", seen: /\$ echo hello.*\n+ *hello\n/ },
  jobs: { typed: "/jobs", seen: "No command runs beside the conversation." },
  copy: { typed: "/copy", seen: /\ncopied/ },
  export: { typed: "/export md", seen: /Written to \S+\.md/ },
  name: { typed: "/name the test", seen: "the session is called the test" },
  history: { typed: "/history begin", seen: /── Earlier prompts[\s\S]*› begin/, closing: "\x1b" },
  tree: { typed: "/tree", seen: /── Go back to[\s\S]*› begin/, closing: "\x1b" },
  undo: { typed: "/undo", seen: /── Take this back\?[\s\S]*made\.txt/, closing: "\x1b" },
  compact: { typed: "/compact", seen: "Not done: The conversation was not shortened: there are too few messages" },
  uncompact: { typed: "/uncompact", seen: "Not done: No compaction of this conversation is left to undo." },
  "next-model": { typed: "/next-model", seen: /\nother\/second/ },
  "previous-model": { typed: "/previous-model", seen: /\nplay\/first/ },
  "temporary-model": { typed: "/temporary-model", seen: "── Model for now", closing: "\x1b" },
  "next-effort": { typed: "/next-effort", seen: /\neffort \w+|Not done/ },
  fork: { typed: "/fork", seen: "the session goes on" },
  resume: { typed: "/resume", seen: /── Resume a session[\s\S]*the test/, closing: "\x1b" },
  new: { typed: "/clear", seen: /\na new session/ },
  exit: { typed: "/q", seen: /./ },
};

test("each command is used once here", () => {
  expect(Object.keys(USES).toSorted()).toEqual(ALL_COMMANDS.map(({ name }) => name).toSorted());
});

test("every command does what /help says", async () => {
  await using workspace = rehearsalHome(TURNS);
  chmodSync(workspace.write("bin/pbcopy", "#!/bin/sh\ncat > /dev/null\n"), 0o755);
  const environment = { PATH: `${join(workspace.root, "bin")}:${workspace.environment.PATH}` };
  const options = { columns: 100, rows: 60, environment, lifetimeMs: 60_000 };
  await using ralph = rehearse(workspace, ["--yolo", "--sandbox", "off"], options);
  await ralph.seeOnScreen(/\nplay\/first/);
  ralph.type("begin\r");
  await ralph.seeOnScreen(/Written\.\n[\s\S]*\nplay\/first.*1\.2k in/);
  for (const [name, use] of Object.entries(USES)) if (name !== "exit") await tryOut(ralph, name, use);
  ralph.type("/q\r");
  expect(await ralph.exited).toBe(0);
});

/** What is written for a command is not what is looked for: the input is empty again by then. */
async function tryOut(ralph: ConversationTerminal, name: string, { typed, seen, closing }: Use): Promise<void> {
  ralph.type(typed);
  await ralph.seeOnScreen(new RegExp(`[›:] ${RegExp.escape(typed)}\\n`));
  ralph.type("\r");
  const text = await ralph.seeOnScreen(seen).catch((error: Error) => {
    throw new Error(`/${name}: ${error.message}`);
  });
  if (closing === undefined) return;
  const title = /── [^─]+ ─/.exec(text.slice(text.search(seen)))?.[0] ?? "";
  ralph.type(closing);
  await ralph.gone(title);
}
