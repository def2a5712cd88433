import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { systemClock } from "../../src/system/clock.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { openTestCoder, saying, type TestCoder, type TestCoderOptions } from "../support/open-test-coder.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

let workspace: TempWorkspace;
let provider: FakeProvider;

beforeEach(async () => {
  workspace = tempWorkspace();
  provider = await startFakeProvider();
});
afterEach(() => {
  provider.stop();
  workspace.stop();
});

function open(options: Partial<TestCoderOptions> = {}) {
  return openTestCoder({ workspace, provider, ...options });
}

/** What the model was sent in the person's place, in order. */
function sentByPerson(request = provider.requests.at(-1)): string[] {
  const body = request?.body as { messages: { role: string; content: { type: string; text?: string }[] }[] };
  return body.messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.flatMap(({ text }) => (text === undefined ? [] : [text])));
}

function told(command: string, output: string, ending = "Exit code 0."): string {
  return `<command_of_person>\nThe person ran this command themselves:\n$ ${command}\n${output}${ending}\n</command_of_person>`;
}

async function ask(coder: TestCoder, text: string): Promise<void> {
  await coder.call("prompt", { message: saying(text) });
  await coder.next("agent-end");
}

describe("a command of the person", () => {
  test("runs in the workspace unasked, and the model is told of it once, before the next prompt", async () => {
    await using coder = await open();
    workspace.write("project/here.txt", "");
    expect(await coder.commands.run("ls; echo broken >&2; exit 3")).toEqual({
      ok: true,
      output: "here.txt\nbroken\n",
      ending: "Exit code 3.",
      exitCode: 3,
      isStopped: false,
      isTruncated: false,
    });
    expect(coder.events).toEqual([]);
    await ask(coder, "why?");
    const lines = told("ls; echo broken >&2; exit 3", "here.txt\nbroken\n", "Exit code 3.");
    expect(sentByPerson()).toEqual([lines, "why?"]);
    await coder.commands.run("true");
    await ask(coder, "and now?");
    expect(sentByPerson()).toEqual([lines, "why?", told("true", ""), "and now?"]);
    await ask(coder, "well");
    expect(sentByPerson()).toEqual([lines, "why?", told("true", ""), "and now?", "well"]);
  });

  test("is told after a kill, too, and then not again", async () => {
    const first = await open();
    await ask(first, "one");
    await first.commands.run("echo kept");
    const [file = ""] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
    const left = workspace.read(file);
    await first[Symbol.asyncDispose]();
    await using second = await open({ resume: workspace.write(file, left) });
    await ask(second, "two");
    await ask(second, "three");
    expect(sentByPerson()).toEqual(["one", told("echo kept", "kept\n"), "two", "three"]);
  });

  test("that ran while the agent works is told with what is said to it then, and changes nothing before that", async () => {
    await using coder = await open({ yolo: true });
    const gate = Promise.withResolvers<void>();
    const fault = { type: "hold" as const, afterEvents: 2, until: gate.promise };
    provider.answer({ ...toolCallAnswer({ name: "list_dir", input: {} }), fault }, textAnswer("Done."));
    await coder.call("prompt", { message: saying("go") });
    await coder.commands.run("echo meanwhile");
    await coder.call("follow_up", { message: saying("look at that") });
    gate.resolve();
    await coder.next("agent-end");
    expect(provider.requests.map((request) => sentByPerson(request))).toEqual([
      ["go"],
      ["go"],
      ["go", told("echo meanwhile", "meanwhile\n"), "look at that"],
    ]);
    const live = provider.requests.at(-1)?.body as { messages: unknown[] };
    await ask(coder, "next");
    expect(sentByPerson()).toEqual(["go", told("echo meanwhile", "meanwhile\n"), "look at that", "next"]);
    const folded = provider.requests.at(-1)?.body as { messages: unknown[] };
    expect(withoutMarkers(folded.messages.slice(0, live.messages.length))).toEqual(withoutMarkers(live.messages));
  });

  test("is stopped with everything it started, and what it printed is kept", async () => {
    await using coder = await open();
    const running = coder.commands.run("echo begun; sleep 60 & sleep 60");
    expect(await coder.commands.run("true")).toEqual({
      ok: false,
      message: "A command of yours still runs. Stop it first.",
    });
    await coder.commands.stop();
    expect(await running).toMatchObject({ ok: true, isStopped: true });
    expect(await coder.commands.run(" ")).toEqual({ ok: false, message: "There is no command." });
    await ask(coder, "what was that?");
    expect(sentByPerson()[0]).toContain("The command was stopped, with all its processes, before it was done.");
  });

  test("that prints a lot is told by its beginning and its end, and all of it is in a file", async () => {
    await using coder = await open();
    const ran = await coder.commands.run("seq 1 40000");
    if (!ran.ok) throw new Error(ran.message);
    expect([ran.isTruncated, ran.output.length < 70_000]).toEqual([true, true]);
    expect(ran.output).toMatch(/^1\n2\n[\s\S]*\[… \d+ bytes left out …\][\s\S]*\n40000\n$/);
    expect(readFileSync(ran.artifact ?? "", "utf8").split("\n").length).toBe(40_001);
    await ask(coder, "hm");
    expect(sentByPerson()[0]).toContain(`The whole output is in ${ran.artifact}`);
  });

  test("gets no secrets of the environment, because the model reads what it prints", async () => {
    const environment = { ...workspace.environment, MY_API_KEY: "sk-secret-1234567890", LANG: "C" };
    await using coder = await open({
      world: {
        root: workspace.project,
        clock: systemClock,
        environment,
        artifacts: `${workspace.root}/kept`,
      },
    });
    const ran = await coder.commands.run("echo key=$MY_API_KEY $LANG");
    expect(ran).toMatchObject({ ok: true, output: "key= C\n" });
  });

  test("of a branch that was left is told where it belongs", async () => {
    await using coder = await open();
    await ask(coder, "one");
    const { leafId } = coder.session;
    await coder.commands.run("echo left");
    await coder.call("branch", { entryId: leafId });
    await ask(coder, "two");
    expect(sentByPerson()).toEqual(["one", "two"]);
  });
});

/** Where the provider is asked to cache moves on with the conversation. */
function withoutMarkers(messages: unknown): unknown {
  return JSON.parse(JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value)));
}
