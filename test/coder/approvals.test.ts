import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASK_LIFETIME_MS, createPendingAnswers } from "../../src/coder/pending-answers.ts";
import type { PutAsk } from "../../src/permissions/gate/create-gate.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openTestCoder, saying } from "../support/open-test-coder.ts";
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

interface Row {
  name: string;
  tool: string;
  input: Record<string, unknown>;
  /** What somebody does while the person thinks. */
  meanwhile(): void;
  changed: string;
}

const here = (path: string) => join(workspace.project, path);

const ROWS: Row[] = [
  {
    name: "a script that is edited",
    tool: "shell",
    input: { command: "bash deploy.sh" },
    meanwhile: () => writeFileSync(here("deploy.sh"), "touch pwned\n"),
    changed: "the file PROJECT/deploy.sh is",
  },
  {
    name: "a program of the project that is edited",
    tool: "shell",
    input: { command: "./deploy.sh" },
    meanwhile: () => writeFileSync(here("deploy.sh"), "touch pwned\n"),
    changed: "the program PROJECT/deploy.sh",
  },
  {
    name: "a folder that another one takes the place of",
    tool: "shell",
    input: { command: "touch made", working_dir: "sub" },
    meanwhile() {
      renameSync(here("sub"), here("away"));
      mkdirSync(here("sub"));
    },
    changed: "the folder PROJECT/sub is",
  },
  {
    name: "a program that another one is put before",
    tool: "shell",
    input: { command: "tool" },
    meanwhile: () => installTool("first", "touch pwned"),
    changed: "the program tool is",
  },
  {
    name: "a file that somebody writes to",
    tool: "append_file",
    input: { path: "notes.txt", content: "more\n" },
    meanwhile: () => writeFileSync(here("notes.txt"), "other\n"),
    changed: "PROJECT/notes.txt is",
  },
  {
    name: "a file that is made",
    tool: "write_file",
    input: { path: "new.txt", content: "x" },
    meanwhile: () => writeFileSync(here("new.txt"), "other\n"),
    changed: "PROJECT/new.txt is",
  },
];

function installTool(folder: string, line: string): void {
  mkdirSync(here(folder), { recursive: true });
  writeFileSync(here(`${folder}/tool`), `#!/bin/sh\n${line}\n`);
  chmodSync(here(`${folder}/tool`), 0o755);
}

async function openHere() {
  for (const [path, text] of Object.entries({ "deploy.sh": "touch deployed\n", "sub/file": "x", "notes.txt": "one\n" }))
    workspace.write(`project/${path}`, text);
  chmodSync(here("deploy.sh"), 0o755);
  installTool("second", "touch tooled");
  const environment = {
    ...workspace.environment,
    PATH: `${here("first")}:${here("second")}:${workspace.environment.PATH}`,
  };
  return openTestCoder({
    workspace,
    provider,
    world: {
      root: workspace.project,
      clock: (await import("../../src/system/clock.ts")).systemClock,
      environment,
      artifacts: join(workspace.root, "artifacts"),
    },
    sandbox: {
      mode: "off",
      probe: async () => ({ type: "none", reason: "" }),
      folder: join(workspace.root, "sandbox"),
    },
  });
}

describe("what was allowed counts for that and nothing else", () => {
  for (const { name, tool, input, meanwhile, changed } of ROWS) {
    test(`${name} before the answer is refused, and runs when nothing changes`, async () => {
      await using coder = await openHere();
      const call = toolCallAnswer({ name: tool, input });
      provider.answer(call, textAnswer("ok"), call, textAnswer("ok"));
      const results: string[] = [];
      for (const act of [meanwhile, () => undefined]) {
        await coder.call("prompt", { message: saying("go") });
        const { ask } = await coder.next("ask-start");
        expect(ask.digest).toMatch(/^[0-9a-f]{64}$/);
        act();
        expect(await coder.call("answer", { askId: ask.id, answer: "yes" })).toEqual({ ok: true, result: {} });
        const { result } = await coder.next("tool-end");
        results.push(result.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
        await coder.next("agent-end");
        if (act === meanwhile) {
          expect(workspace.find("project/{pwned,sub/made,tooled,deployed}")).toEqual([]);
          for (const path of ["first", "new.txt"]) rmSync(here(path), { recursive: true, force: true });
        }
      }
      const [refused = "", done = ""] = results;
      expect(refused).toStartWith("Not run: ");
      expect(refused).toContain(changed.replaceAll("PROJECT", workspace.project));
      expect(refused).toEndWith("no longer what was allowed. Call it again, and it is decided anew.");
      expect(done).not.toContain("Not run");
    });
  }
});

const PUT: PutAsk = {
  tool: "shell",
  category: "shell",
  resources: ["make"],
  summary: "make",
  digest: "0",
  boundTo: ["the command"],
  options: ["yes", "no"],
};

describe("an ask that waits", () => {
  function pendingAnswers() {
    const clock = manualClock();
    const events: AgentEvent[] = [];
    return { clock, events, pending: createPendingAnswers((event) => void events.push(event), clock) };
  }

  test("is a no when nobody answers in time, and who comes later is told so", async () => {
    const { clock, pending, events } = pendingAnswers();
    const answer = pending.ask(PUT);
    const [ask] = pending.asks();
    expect(ask?.expiresAt).toBe(clock.now() + ASK_LIFETIME_MS);
    await clock.advance(ASK_LIFETIME_MS);
    expect(await answer).toEqual({ type: "expired", afterMs: ASK_LIFETIME_MS });
    expect(pending.answerAsk(ask?.id ?? "", { answer: "yes" })).toEqual({
      code: "already-answered",
      message: "This was answered already: it had expired, which is a no.",
    });
    expect(events.map(({ type }) => type)).toEqual(["ask-start", "ask-end"]);
    expect(clock.pending()).toBe(0);
  });

  test("is not answered after its moment, although its timer has not fired yet", async () => {
    const { clock, pending } = pendingAnswers();
    let now = clock.now();
    const sleepy = createPendingAnswers(() => {}, { ...clock, now: () => now });
    const answer = sleepy.ask(PUT);
    now += ASK_LIFETIME_MS;
    expect(sleepy.answerAsk(sleepy.asks()[0]?.id ?? "", { answer: "yes" })?.code).toBe("already-answered");
    expect((await answer).type).toBe("expired");
    expect(pending.asks()).toEqual([]);
  });

  test("is answered once, by the first answer it offers", async () => {
    const { pending } = pendingAnswers();
    const answer = pending.ask(PUT);
    const id = pending.asks()[0]?.id ?? "";
    expect(pending.answerAsk(id, { answer: "always", rules: ["Bash"] })).toEqual({
      code: "invalid",
      message: "This can only be answered with yes, no: nothing of it can be kept.",
    });
    expect(pending.answerAsk(id, { answer: "no" })).toBeUndefined();
    expect(pending.answerAsk(id, { answer: "yes" })).toEqual({
      code: "already-answered",
      message: "This was answered already: the answer was no.",
    });
    expect(pending.answerAsk("other", { answer: "yes" })?.code).toBe("not-found");
    expect(await answer).toEqual({ type: "no" });
  });
});
