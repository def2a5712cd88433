import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ScriptTurn } from "../../src/protocol/script.ts";
import { textAnswer } from "../support/fake-answer.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { type ProgramExit, runProgram } from "../support/run-program.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// Every program of examples/sdk, as a person would run it, against a model that plays a script.

const FOLDER = resolve(import.meta.dir, "../../examples/sdk");

let workspace: TempWorkspace;

beforeEach(() => {
  workspace = tempWorkspace();
});
afterEach(() => workspace.stop());

interface Playing {
  turns?: readonly ScriptTurn[];
  environment?: Record<string, string>;
}

function play(name: string, { turns = [], environment = {} }: Playing): Promise<ProgramExit> {
  const script = workspace.write("script.json", JSON.stringify({ version: 1, turns }));
  const path = join(FOLDER, `${name}.ts`);
  return runProgram({ workspace, path, environment: { RALPH_MODEL: `scripted/${script}`, ...environment } });
}

function printed(stdout: string): ProgramExit {
  return { code: 0, stdout, stderr: "" };
}

const EXAMPLES: Record<string, () => Promise<void>> = {
  async minimal() {
    const { stdout, ...rest } = await play("minimal", { turns: [{ steps: [{ text: ["It is ", "empty."] }] }] });
    const [file] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
    expect({ stdout, ...rest }).toEqual(printed(`It is empty.\ndone, kept in ${workspace.root}/${file}\n`));
  },
  async "in-memory"() {
    workspace.write("project/notes.txt", "Milk\n");
    workspace.write("ralph-home/config/config.yml", "modle: x\n");
    const call = { tool: { name: "read", input: { path: "notes.txt" } } };
    const turns = [{ steps: [call] }, { steps: [{ text: "Buy milk." }] }, { steps: [{ text: "Milk." }] }];
    // No variable for the model: isolated settings do not read it, so the only model with a key is asked.
    const provider = { api: "scripted", auth: "none", baseUrl: workspace.write("turns.json", scriptOf(turns)) };
    const models = { providers: { play: { ...provider, models: [{ id: "first", contextWindow: 200_000 }] } } };
    workspace.write("ralph-home/config/models.yml", JSON.stringify(models));
    expect(await play("in-memory", {})).toEqual(printed("Buy milk.\nMilk.\nfile: undefined, messages: 6\n"));
    expect(workspace.find("ralph-home/data/sessions/**")).toEqual([]);
  },
  async "custom-tool"() {
    const turns = [
      { steps: [{ tool: { name: "count_stock", input: { thing: "plums" } } }] },
      { steps: [{ tool: { name: "count_stock", input: { thing: "apples" } } }] },
      { steps: [{ text: "Twelve." }] },
    ];
    expect(await play("custom-tool", { turns })).toEqual(
      printed(
        [
          'count_stock: [{"type":"text","text":"Nothing is called plums. There are: apples, pears."}]',
          'count_stock: [{"type":"text","text":"12"}]',
          "Twelve.",
          "",
        ].join("\n"),
      ),
    );
  },
  async approvals() {
    const write = (path: string) => ({ tool: { name: "write_file", input: { path, content: "Found.\n" } } });
    const ask = { tool: { name: "ask_user", input: { question: "Which?", options: ["this", "that"] } } };
    const turns = [{ steps: [write("report.md"), write("report.sh"), ask] }, { steps: [{ text: "Half done." }] }];
    expect(await play("approvals", { turns })).toEqual(
      printed("yes: file_write by write_file\nno: file_write by write_file\nWhich? (this, that)\nHalf done.\n"),
    );
    expect(workspace.find("project/*")).toEqual(["project/report.md"]);
  },
  async "own-models"() {
    using provider = await startFakeProvider({ answers: [textAnswer("The small one.")] });
    const environment = { HOUSE_KEY: "house-key", HOUSE_URL: `${provider.origin}/v1`, RALPH_MODEL: "" };
    expect(await play("own-models", { environment })).toEqual(printed("The small one.\nasked: house/small\n"));
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer house-key"]);
  },
  async "two-sessions"() {
    const provider = (name: string) => ({
      api: "scripted",
      auth: "none",
      baseUrl: workspace.write(`${name}.json`, scriptOf([{ steps: [{ text: `I am the ${name}.` }] }])),
      models: [{ id: "model", contextWindow: 200_000 }],
    });
    const providers = { writer: provider("writer"), reader: provider("reader") };
    workspace.write("ralph-home/config/models.yml", JSON.stringify({ providers }));
    expect(await play("two-sessions", {})).toEqual(
      printed("one of them is done\none of them is done\nwriter: I am the writer.\nreader: I am the reader.\n"),
    );
  },
  async "structured-output"() {
    const call = (input: object) => ({ tool: { name: "yield", input } });
    const turns = [
      { steps: [call({ verdict: "good" })] },
      { steps: [call({ verdict: "good", reasons: ["It is tested."] })] },
    ] as ScriptTurn[];
    expect(await play("structured-output", { turns })).toEqual(
      printed('{"verdict":"good","reasons":["It is tested."]}\n'),
    );
  },
};

function scriptOf(turns: readonly ScriptTurn[]): string {
  return JSON.stringify({ version: 1, turns });
}

test("every example is tried here", () => {
  const files = readdirSync(FOLDER).map((name) => name.replace(/\.ts$/, ""));
  expect(files.sort()).toEqual(Object.keys(EXAMPLES).sort());
});

test.each(Object.keys(EXAMPLES))("the example %s does what it says and ends", async (name) => {
  await EXAMPLES[name]?.();
});
