import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { QUIET_MS } from "../../src/interactive/dialogs/waiting-questions.ts";
import { type ConversationOptions, startConversation } from "../support/conversation-terminal.ts";
import { ralphCommand } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// Every step waits for what a person would see; on a busy machine that takes its time.
setDefaultTimeout(20_000);

const STEPS = [
  `{ steps: [{ text: ["# Title\\n\\nSome **bold** ", "words.\\n\\n- one\\n- two\\n"] }, { usage: { input: 120, output: 30 } }] }`,
  `{ steps: [{ text: "I write." }, { tool: { name: write_file, input: { path: a.txt, content: "hi\\n" } } }] }`,
  `{ steps: [{ text: "First is written." }] }`,
  `{ steps: [{ text: "I write again." }, { tool: { name: write_file, input: { path: b.txt, content: "no\\n" } } }] }`,
  `{ steps: [{ text: "Second is not." }] }`,
];
const SLOW = `{ steps: [{ text: "Slowly " }, { wait: 30000 }, { text: "never" }] }`;

/** A home with a model that plays these turns and one that says its name. */
function withModels(turns: readonly string[]): TempWorkspace {
  const workspace = tempWorkspace();
  const script = workspace.write("script.yml", `version: 1\nturns:\n${turns.map((turn) => `  - ${turn}\n`).join("")}`);
  const other = workspace.write(
    "other.yml",
    `version: 1\nturns:\n  - { repeat: 9, steps: [{ text: "I am the other." }] }\n`,
  );
  const provider = (baseUrl: string, id: string) =>
    `    api: scripted\n    auth: none\n    baseUrl: ${baseUrl}\n    models:\n      - id: ${id}\n`;
  workspace.write(
    "ralph-home/config/models.yml",
    `providers:\n  play:\n${provider(script, "first")}  other:\n${provider(other, "second")}`,
  );
  return workspace;
}

function converse(workspace: TempWorkspace, args: string[] = [], options: Partial<ConversationOptions> = {}) {
  return startConversation(["--model", "play/first", ...args], { workspace, ...options });
}

const READY = "play/first";
/** While Ralph works, what it does stands before the model. */
const IDLE = /^play\/first/m;
const ESC = "\u001b";
/** Clears the screen or the scrollback, or leaves for another screen. */
const NEVER_SENT = [`${ESC}[2J`, `${ESC}[3J`, `${ESC}[?1049h`];

describe("a conversation in a terminal", () => {
  test("is asked, answers in Markdown, asks before it writes and heeds a yes and a no", async () => {
    await using workspace = withModels(STEPS);
    await using ralph = converse(workspace);
    await ralph.seeOnScreen(READY);
    ralph.type("hello\r");
    expect(await ralph.see("120 in 30 out")).toContain("› hello\n\n# Title\n\nSome bold words.\n\n• one\n• two");
    ralph.type("write\r");
    await ralph.seeOnScreen(/a\.txt[\s\S]*yes, once/);
    ralph.type("\ty");
    await ralph.see("First is written.");
    await ralph.seeOnScreen(IDLE);
    ralph.type("/undo\r");
    await ralph.seeOnScreen("Take this back?");
    ralph.type("y");
    ralph.type("again\r");
    await ralph.seeOnScreen(/b\.txt[\s\S]*yes, once/);
    ralph.type("\tn");
    expect(await ralph.see("Second is not.")).toMatch(/Turn 2: write\n +removed +a\.txt[\s\S]*⊘ write_file b\.txt/);
    expect(workspace.find("project/*.txt")).toEqual([]);
    ralph.type("/exit\r");
    expect(await ralph.exited).toBe(0);
  });

  test("takes the text from the person's own editor and sends the files it names along", async () => {
    await using workspace = withModels([`{ when: "word of the file", steps: [{ text: "It was read." }] }`]);
    workspace.write("project/notes.txt", "the word of the file");
    const editor = workspace.write("editor.sh", `printf 'from the editor ' > "$1"\n`);
    await using ralph = converse(workspace, [], { environment: { EDITOR: `sh ${editor}` } });
    await ralph.seeOnScreen(READY);
    ralph.type("\x07");
    await ralph.seeOnScreen("› from the editor");
    ralph.type("@not");
    await ralph.seeOnScreen(/notes\.txt/);
    ralph.type("\t\r");
    expect(await ralph.see("It was read.")).toContain("› from the editor @notes.txt\n  [file notes.txt]");
  });

  test("has the theme that fits the background the terminal tells", async () => {
    await using workspace = withModels(STEPS);
    await using dark = converse(workspace);
    await using light = converse(workspace);
    for (const ralph of [dark, light]) await ralph.seeOnScreen(READY);
    light.type("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    for (const ralph of [dark, light]) {
      ralph.type("/help\r");
      await ralph.see("/compact");
    }
    const stylesOf = (text: string) =>
      new Set([...text.matchAll(new RegExp(`${ESC}\\[0;([\\d;]+)m`, "g"))].map(([, codes]) => codes));
    expect(stylesOf(light.emulator.written())).not.toEqual(stylesOf(dark.emulator.written()));
  });

  test("stops on Esc, keeps what was said meanwhile in a queue that is shown, and takes it back", async () => {
    await using workspace = withModels([
      SLOW,
      `{ steps: [{ text: "Steered." }] }`,
      `{ steps: [{ text: "Followed." }] }`,
    ]);
    await using ralph = converse(workspace, ["begin", "slowly"]);
    await ralph.seeOnScreen("Slowly");
    ralph.type("listen\r");
    await ralph.seeOnScreen("soon: listen");
    ralph.type("and then\n");
    await ralph.seeOnScreen("later: and then");
    ralph.type("\x1b[1;3A");
    await ralph.seeOnScreen("› and then");
    ralph.type("\x1b");
    await ralph.see("Stopped.");
    ralph.type("\x15go on\r");
    const all = await ralph.see(/Steered\.|Followed\./);
    expect(all).toContain("› begin slowly");
  });

  test("goes on with -c where it was, with the prompts of before behind the up key", async () => {
    await using workspace = withModels(STEPS);
    {
      await using first = converse(workspace);
      await first.seeOnScreen(READY);
      first.type("hello from before\r");
      await first.see("• two");
      first.type("\x04");
      expect(await first.exited).toBe(0);
      expect(await first.see(/ralph -r/).catch((error: Error) => error.message)).toContain("To go on: ralph -r ");
    }
    await using again = converse(workspace, ["-c"]);
    expect(await again.see("• two")).toContain("› hello from before");
    again.type("\x1b[A");
    expect(await again.seeOnScreen(/─\n› hello from before/)).toContain(READY);
  });

  test("changes the model from a list, shows help, and leaves after Ctrl+C twice with the terminal as it was", async () => {
    await using workspace = withModels(STEPS);
    await using ralph = converse(workspace, [], { rows: 40 });
    await ralph.seeOnScreen(READY);
    ralph.type("/help\r");
    await ralph.see("/compact");
    ralph.type("/model\r");
    await ralph.seeOnScreen("Model");
    ralph.type("second");
    await ralph.seeOnScreen(/› other\/second/);
    ralph.type("\r");
    await ralph.seeOnScreen(/^other\/second/m);
    ralph.type("who\r");
    await ralph.see("I am the other.");
    ralph.type("\x03");
    await ralph.seeOnScreen("once more");
    ralph.type("\x03");
    expect(await ralph.exited).toBe(0);
    const written = ralph.emulator.written();
    const last = written.slice(written.lastIndexOf(`${ESC}[?2004h`));
    expect(
      [`${ESC}[?2004l`, `${ESC}[?1004l`, `${ESC}[<u`, `${ESC}[?25h`].filter((mode) => !last.includes(mode)),
    ).toEqual([]);
    expect(NEVER_SENT.filter((sequence) => written.includes(sequence))).toEqual([]);
  });

  test("keeps what was being written through kill -9 and a signal", async () => {
    await using workspace = withModels(STEPS);
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      await using ralph = converse(workspace);
      await ralph.seeOnScreen(READY);
      ralph.type(`\x15not sent, ${signal}`);
      await ralph.seeOnScreen(`› not sent, ${signal}`);
      if (signal === "SIGKILL") await draftOf(workspace, `not sent, ${signal}`);
      ralph.kill(signal);
      expect(await ralph.exited).toBe(signal === "SIGTERM" ? 130 : null);
      await using next = converse(workspace);
      await next.seeOnScreen(`› not sent, ${signal}`);
    }
  });

  test("is drawn anew when the window changes, down to 40 columns, without colour where none is wanted", async () => {
    await using workspace = withModels(STEPS);
    await using ralph = converse(workspace, ["hello"], { environment: { NO_COLOR: "1" } });
    await ralph.see("• two");
    ralph.type("a line that is longer than a narrow window has columns");
    ralph.resize(40, 20);
    await ralph.seeOnScreen(/^─{40}$/m);
    const screen = await ralph.seeOnScreen("narrow");
    expect(screen.split("\n").every((row) => row.length <= 40)).toBe(true);
    const styles = ralph.emulator.written().matchAll(new RegExp(`${ESC}\\[([\\d;]*)m`, "g"));
    expect(
      [...styles].filter(([, codes = ""]) => codes.split(";").some((code) => /^([349]|10)\d$/.test(code))),
    ).toEqual([]);
  });

  test("is put into the background and brought back by the shell", async () => {
    await using workspace = withModels(STEPS);
    const command = [...ralphCommand(), "--model", "play/first"].map((word) => `'${word}'`).join(" ");
    await using shell = startConversation([], {
      workspace,
      command: ["bash", "--norc", "--noprofile", "-i"],
      environment: { PS1: "shell> " },
    });
    await shell.seeOnScreen("shell>");
    shell.type(`${command}\r`);
    await shell.seeOnScreen(/^play\/first/m);
    shell.type("half a thought");
    await shell.seeOnScreen("› half a thought");
    shell.type("\x1a");
    await shell.seeOnScreen("Stopped");
    await shell.gone("› half a thought");
    shell.type("fg\r");
    await shell.seeOnScreen("› half a thought");
    shell.type("\x15\x04");
    await shell.seeOnScreen(/shell>\s*$/);
  });

  test("is whole again after it was stopped from outside: drawn anew, and every key comes at once", async () => {
    await using workspace = withModels(STEPS);
    const command = [...ralphCommand(), "--model", "play/first"].map((word) => `'${word}'`).join(" ");
    await using shell = startConversation([], {
      workspace,
      command: ["bash", "--norc", "--noprofile", "-i"],
      environment: { PS1: "shell> " },
    });
    await shell.seeOnScreen("shell>");
    shell.type(`${command}\r`);
    await shell.seeOnScreen(/^play\/first/m);
    shell.type("!kill -STOP $PPID\r");
    await shell.seeOnScreen("Stopped");
    shell.type("fg\r");
    await shell.seeOnScreen(/fg\s[\s\S]*^›/m);
    // What the terminal itself would echo looks written as well; only Ralph moves to the start.
    shell.type("a thought\x01half ");
    await shell.seeOnScreen("› half a thought");
    shell.type("\x05\x15\x04");
    await shell.seeOnScreen(/shell>\s*$/);
  });
});

describe("lines only, for a screen reader", () => {
  test("says everything in lines and takes lines as answers", async () => {
    await using workspace = withModels(STEPS.slice(1, 3));
    await using ralph = converse(workspace, ["--plain"]);
    await ralph.see("/help");
    ralph.type("write\r");
    await ralph.see("yes, once");
    // A yes to what nobody can have read yet is not taken.
    await Bun.sleep(QUIET_MS);
    ralph.type("y\r");
    await ralph.see("First is written.");
    ralph.type("/exit\r");
    expect(await ralph.exited).toBe(0);
    expect(ralph.emulator.written()).not.toContain("\x1b");
    expect(workspace.find("project/*.txt")).toEqual(["project/a.txt"]);
  });
});

describe("the first time", () => {
  test("a choice is offered whenever nothing can answer, and Esc leaves", async () => {
    await using workspace = tempWorkspace();
    for (const _ of ["the first time", "a key was for once"]) {
      await using ralph = startConversation([], { workspace });
      await ralph.seeOnScreen(/How do you want to begin\?[\s\S]*with the demo/);
      ralph.type("\x1b");
      expect(await ralph.exited).toBe(3);
    }
  });

  test("the loop is shown without a key, and proves three stories", async () => {
    await using workspace = tempWorkspace();
    await using ralph = startConversation([], { workspace });
    await ralph.seeOnScreen("by watching the loop");
    ralph.type("watching\r");
    await ralph.see(/done: All 3 stories pass, each proven by its checks\.[\s\S]*US-003/);
    expect(await ralph.exited).toBe(0);
  }, 60_000);

  test("the demo answers without a key", async () => {
    await using workspace = tempWorkspace();
    await using ralph = startConversation([], { workspace });
    await ralph.seeOnScreen("with the demo");
    ralph.type("demo\r");
    await ralph.seeOnScreen("scripted/demo");
    await ralph.seeOnScreen("Ready. Write what you want done; Enter sends it.");
  });

  test("the files of a folder count after a yes, with the commands of the project", async () => {
    await using workspace = withModels([`{ when: "Hello Bob", steps: [{ text: "Greeted." }] }`]);
    workspace.write("project/.ralph/commands/greet/hi.md", "---\ndescription: greets\n---\nHello $1!");
    await using ralph = converse(workspace);
    await ralph.seeOnScreen("Do you trust the files of this folder?");
    ralph.type("yes\r");
    await ralph.seeOnScreen(READY);
    ralph.type("/greet:hi Bob\r");
    expect(await ralph.see("Greeted.")).toContain("› Hello Bob!");
    ralph.type("\x04");
    await ralph.exited;
    await using again = converse(workspace);
    await again.seeOnScreen(READY);
    expect((await again.emulator.lines()).join("\n")).not.toContain("Do you trust");
  });
});

/** Resolves when what is being written is on disk. */
async function draftOf(workspace: TempWorkspace, text: string): Promise<void> {
  const isThere = () => workspace.find("ralph-home/data/drafts/*.md").some((path) => workspace.read(path) === text);
  for (const until = performance.now() + 5000; !isThere(); await Bun.sleep(20))
    if (performance.now() > until) throw new Error("The draft was not stored.");
}
