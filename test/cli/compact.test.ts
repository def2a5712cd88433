import { expect, test } from "bun:test";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

const SUMMARY = [
  "## Goal\nTidy the notes.",
  "## Decisions and constraints\nNone.",
  "## Done\nThe notes were read.",
  "## Failed\nNothing.",
  "## Open work\nWrite them anew.",
  "## Next step\nWrite.",
].join("\n\n");

const MODELS = (origin: string) => `providers:
  small:
    api: anthropic-messages
    baseUrl: ${origin}
    apiKey: sk-small
    models:
      - { id: model, contextWindow: 16000, maxTokens: 1000 }
`;

function lastRequest(provider: { requests: { body: unknown }[] }): string {
  return JSON.stringify(provider.requests.at(-1)?.body);
}

test("a long tool loop is compacted on its way, says so, and goes on with goal and rules in place", async () => {
  using ralph = await openFrontDoor();
  ralph.writeModels(MODELS(ralph.provider.origin));
  for (let number = 1; number <= 30; number++) {
    ralph.workspace.write(`project/n${number}.md`, `${`note ${number} says that `.repeat(85)}\n`);
    const call = toolCallAnswer({ name: "read_file", input: { path: `n${number}.md` } });
    ralph.provider.answer({ ...call, usage: { ...call.usage, input: 1500 + number * 550 } });
  }
  let summaries = 0;
  const answers = Array.from({ length: 30 }, () => (request: { body: unknown }) => {
    const asksForSummary = JSON.stringify(request.body).includes('"tool_choice":{"type":"none"}');
    if (asksForSummary) summaries++;
    return textAnswer(asksForSummary ? SUMMARY : "The notes are tidy.");
  });
  ralph.provider.answer(...answers);
  const prompt = "Tidy my notes, and never touch n3.md.";
  const { code, stdout, stderr } = await ralph.run(["-p", "--model", "small/model", prompt]);
  expect([code, stdout]).toEqual([0, "The notes are tidy.\n"]);
  expect(stderr).toMatch(/^ralph: Compacting: .*tokens/);
  expect(summaries).toBeGreaterThan(0);
  expect(lastRequest(ralph.provider)).toContain(prompt);
});

test("with --no-compact nothing is shortened", async () => {
  using ralph = await openFrontDoor();
  ralph.writeModels(MODELS(ralph.provider.origin));
  ralph.workspace.write("project/big.md", "word ".repeat(12_000));
  ralph.provider.answer(
    toolCallAnswer({ name: "read_file", input: { path: "big.md" } }),
    textAnswer("", { fault: { type: "status", status: 400, reason: "context-overflow" } }),
  );
  const { code, stderr } = await ralph.run(["-p", "--no-compact", "--model", "small/model", "read"]);
  expect(code).toBe(4);
  expect(stderr).toContain("automatic compaction is off");
  expect(ralph.provider.requests).toHaveLength(2);
});

test("a conversation the provider calls too long is shortened and sent again", async () => {
  using ralph = await openFrontDoor();
  ralph.writeModels(MODELS(ralph.provider.origin));
  ralph.workspace.write("project/big.md", "word ".repeat(9_000));
  ralph.provider.answer(
    toolCallAnswer({ name: "read_file", input: { path: "big.md" } }),
    textAnswer("", { fault: { type: "status", status: 400, reason: "context-overflow" } }),
    textAnswer("It is long."),
  );
  const { code, stdout } = await ralph.run(["-p", "--model", "small/model", "read"]);
  expect([code, stdout]).toEqual([0, "It is long.\n"]);
});

test("a picture the provider refuses is left out, and the words go on", async () => {
  using ralph = await openFrontDoor();
  const red = await new Bun.Image(Buffer.from(PIXEL, "base64")).png().bytes();
  await Bun.write(`${ralph.workspace.project}/a.png`, red);
  const body = '{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}';
  ralph.provider.answer(
    textAnswer("", { fault: { type: "status", status: 400, body } }),
    textAnswer("I cannot see it."),
    textAnswer("Still not."),
  );
  const { code, stdout, stderr } = await ralph.run(["-p", "what is this? @a.png"]);
  expect([code, stdout]).toEqual([0, "I cannot see it.\n"]);
  expect(stderr).toContain("Ralph goes on without the picture.");
  expect(lastRequest(ralph.provider)).toContain("left out: the provider could not use it");
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
