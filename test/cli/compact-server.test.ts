import { expect, test } from "bun:test";
import { asArray, at } from "../../src/protocol/json.ts";
import { type FakeAnswer, failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import type { PlannedAnswer } from "../support/fake-provider.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { GOOD_SUMMARY } from "../support/long-conversations.ts";
import type { RecordedRequest } from "../support/request-log.ts";
import { encrypted } from "../support/wire/openai-compactions.ts";

const PROMPT = "Tidy my notes, and never touch n3.md.";
const NOTES = 30;

const MODELS = (origin: string) => `providers:
  acme:
    api: openai-responses
    baseUrl: ${origin}/v1
    apiKey: sk-acme-0123456789
    compat: { compaction: responses }
    models:
      - { id: one, contextWindow: 16000, maxTokens: 1000, reasoning: false }
      - { id: large, contextWindow: 400000, maxTokens: 1000, reasoning: false }
`;

test("the provider shortens a long tool loop; a resumed session sends the same bytes, another model the whole conversation", async () => {
  using ralph = await doorWithNotes();
  ralph.provider.answer(...notesRead(textAnswer("everything so far")));
  const first = await ralph.run(["-p", "--model", "acme/one", PROMPT]);
  expect([first.code, first.stdout]).toEqual([0, "The notes are tidy.\n"]);
  expect(first.stderr).toMatch(/messages were compacted by the provider: [\d,]+ → [\d,]+ tokens/);
  const last = inputOf(ralph.provider.requests.at(-1));
  expect(JSON.stringify(last)).toContain(encrypted("everything so far"));
  expect(last).toContainEqual({
    type: "message",
    role: "user",
    content: expect.arrayContaining([{ type: "input_text", text: PROMPT }]),
  });

  ralph.provider.answer(textAnswer("Same."));
  await ralph.run(["-p", "--continue", "and now?"]);
  const resumed = ralph.provider.requests.at(-1);
  expect(JSON.stringify(inputOf(resumed).slice(0, last.length - 1))).toBe(JSON.stringify(last.slice(0, -1)));

  ralph.provider.answer(textAnswer("Other."));
  await ralph.run(["-p", "--continue", "--model", "acme/large", "and you?"]);
  const other = ralph.provider.requests.at(-1);
  expect(other?.rawBody).not.toContain("gAAAA");
  expect(resultsIn(other)).toBe(NOTES);
});

test("where the provider has no such endpoint the model is asked for a summary, and it says so once", async () => {
  using ralph = await doorWithNotes();
  ralph.provider.answer(...notesRead(failAnswer({ type: "status", status: 404 })));
  const { code, stdout, stderr } = await ralph.run(["-p", "--model", "acme/one", PROMPT]);
  expect([code, stdout]).toEqual([0, "The notes are tidy.\n"]);
  expect(stderr.match(/The provider did not compact the conversation/g)).toHaveLength(1);
  expect(stderr).toContain("answered 404");
  expect(ralph.provider.requests.filter(({ path }) => path.endsWith("/compact"))).toHaveLength(1);
  expect(ralph.provider.requests.at(-1)?.rawBody).toContain("Ship it.");
});

test.each<[string, string, string[]]>([
  ["where compaction.server is off", "compaction.server: off\n", []],
  ["with --no-compact", "", ["--no-compact"]],
])("the provider is not asked %s", async (_name, config, flags) => {
  using ralph = await doorWithNotes();
  ralph.writeConfig(config);
  ralph.provider.answer(...notesRead(textAnswer("never")));
  expect((await ralph.run(["-p", "--model", "acme/one", ...flags, PROMPT])).code).toBe(0);
  expect(ralph.provider.requests.map(({ path }) => path)).not.toContain("/v1/responses/compact");
});

test("killed while the provider shortens it, the conversation is as it was", async () => {
  using ralph = await doorWithNotes();
  ralph.provider.answer(...notesRead(failAnswer({ type: "silence", after: "headers" })));
  const live = ralph.start(["-p", "--model", "acme/one", PROMPT]);
  live.closeInput();
  let asked = await ralph.provider.nextRequest();
  while (!asked.path.endsWith("/compact")) asked = await ralph.provider.nextRequest();
  live.kill("SIGKILL");
  await live.exited;
  const before = ralph.provider.requests.findLast(({ path }) => path === "/v1/responses");
  const { code } = await ralph.run(["-p", "--continue", "--no-compact", "go on"]);
  expect(code).toBe(0);
  const after = inputOf(ralph.provider.requests.at(-1));
  const sent = inputOf(before).slice(0, -1);
  expect(after.slice(0, sent.length)).toEqual(sent);
});

test("the events name the way", async () => {
  using ralph = await doorWithNotes();
  ralph.provider.answer(...notesRead(textAnswer("everything so far")));
  const { stdout } = await ralph.run(["-p", "--mode", "json", "--model", "acme/one", PROMPT]);
  const events = stdout.split("\n").filter((line) => line.includes('"compaction-'));
  expect(events.map((line) => JSON.parse(line)).slice(0, 2)).toMatchObject([
    { type: "compaction-start", trigger: "automatic", way: "server" },
    { type: "compaction-end", result: { type: "summarised", way: "server" } },
  ]);
});

async function doorWithNotes(): Promise<FrontDoor> {
  const ralph = await openFrontDoor();
  ralph.writeModels(MODELS(ralph.provider.origin));
  for (let number = 1; number <= NOTES; number++)
    ralph.workspace.write(`project/n${number}.md`, `${`note ${number} says that `.repeat(85)}\n`);
  return ralph;
}

/** One note after the other is read; requests to shorten the conversation, and for summaries, are answered in between. */
function notesRead(compaction: FakeAnswer): PlannedAnswer[] {
  let read = 0;
  return Array.from({ length: NOTES + 8 }, () => (request: RecordedRequest) => {
    if (request.path.endsWith("/compact")) return compaction;
    if (at(request.body, "tool_choice") === "none") return textAnswer(GOOD_SUMMARY);
    read += 1;
    if (read > NOTES) return textAnswer("The notes are tidy.");
    const call = toolCallAnswer({ name: "read_file", input: { path: `n${read}.md` }, id: `call_${read}` });
    return { ...call, usage: { ...call.usage, input: 0, output: 0 } };
  });
}

function inputOf(request: RecordedRequest | undefined): unknown[] {
  return asArray(at(request?.body, "input"));
}

function resultsIn(request: RecordedRequest | undefined): number {
  return inputOf(request).filter((item) => at(item, "type") === "function_call_output").length;
}
