import { expect, test } from "bun:test";
import { at } from "../../src/protocol/json.ts";
import type { Message } from "../../src/protocol/messages.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import { type FakeAnswer, textAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import type { RecordedRequest } from "../support/request-log.ts";
import { answerOf, ask, messageOf } from "./ask-model.ts";
import { READ, TEXT, THINKING } from "./sample-answers.ts";
import { historyOf, stablePrefix, type WireProtocolRow } from "./wire-protocols.ts";

const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const REQUESTS = 10;

/** What goes out: the model, the tools, pictures, choices, and a beginning that never changes. */
export function describeRequests(row: WireProtocolRow): void {
  describeOneRequest(row);
  describeSession(row);
}

function describeOneRequest(row: WireProtocolRow): void {
  test("the model, the credential, the tools and the instructions are sent", async () => {
    const { rawBody, headers, path } = await sent(row, {});
    const where = decodeURIComponent(path) + rawBody;
    for (const text of [row.modelId, "You are a test.", "Say something.", "Reads a file.", "Lists all files."]) {
      expect(where).toContain(text);
    }
    const credentialHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
    const shown = credentialHeaders.filter((name) => headers[name] !== undefined);
    expect(shown.length > 0).toBe(row.credential.type !== "none");
    expect(headers["user-agent"]).toBe("ralph-test");
  });

  test("a picture is sent as it is", async () => {
    const picture = { type: "image" as const, mediaType: "image/png", data: PICTURE };
    const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "What is this?" }, picture] }];
    const { rawBody } = await sent(row, { messages });
    expect(rawBody).toContain(PICTURE);
    expect(rawBody).toContain("What is this?");
  });

  test("a forced choice of a tool is sent", async () => {
    const { body } = await sent(row, { toolChoice: { name: "read" }, effort: "off" });
    if (row.forcedTool !== undefined) expect(at(body, ...row.forcedTool.at)).toEqual(row.forcedTool.value);
  });

  test("what changes with every request stands behind the conversation", async () => {
    const { rawBody } = await sent(row, { system: { base: "You are a test.", dynamic: "It is Tuesday." } });
    expect(rawBody.indexOf("It is Tuesday.")).toBeGreaterThan(rawBody.lastIndexOf("Say something."));
    expect(rawBody.indexOf("It is Tuesday.")).toBe(rawBody.lastIndexOf("It is Tuesday."));
  });
}

function describeSession(row: WireProtocolRow): void {
  test("over ten requests of a session the beginning stays the same to the byte", async () => {
    const bodies = (await session(row, (number) => ({ base: "You are a test.", dynamic: `Turn ${number}.` }))).map(
      ({ body }) => body,
    );
    expect(new Set(bodies.map((body) => stablePrefix(row, body))).size).toBe(1);
    for (const [earlier, later] of pairs(bodies.map((body) => historyOf(row, body)))) {
      // The last message may hold what changes.
      expect(later.slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
    }
  });

  test("over ten requests of a session the conversation only grows", async () => {
    const requests = await session(row, () => ({ base: "You are a test." }));
    const histories = requests.map(({ body }) => historyOf(row, body));
    for (const [earlier, later] of pairs(histories)) {
      expect(later.slice(0, earlier.length)).toEqual(earlier);
      expect(later.length).toBeGreaterThan(earlier.length);
    }
  });

  test("an answer with thinking and a call can be sent back with its result", async () => {
    using provider = await startFakeProvider({ answers: [answerOf([THINKING, TEXT, READ])] });
    const messages = await exchange(row, provider, {
      messages: [said("Read it.")],
      system: { base: "You are a test." },
    });
    await ask(row, provider, { request: { messages } });
    const { rawBody } = provider.requests.at(-1) as RecordedRequest;
    for (const text of ["Read it.", "döcs/世界.md", "the content of the file"]) expect(rawBody).toContain(text);
  });
}

async function sent(row: WireProtocolRow, request: Partial<ModelRequest>): Promise<RecordedRequest> {
  using provider = await startFakeProvider();
  await ask(row, provider, { request });
  return await provider.nextRequest();
}

/** Ten requests, each with everything said before it; every second answer calls a tool. */
async function session(
  row: WireProtocolRow,
  system: (number: number) => ModelRequest["system"],
): Promise<RecordedRequest[]> {
  using provider = await startFakeProvider();
  let messages: Message[] = [said("Begin."), messageOf(row, textAnswer("Begun.")), said("Go on.")];
  for (let number = 0; number < REQUESTS; number++) {
    const answer: FakeAnswer = number % 2 === 0 ? answerOf([THINKING, TEXT, READ]) : textAnswer(`answer ${number}`);
    provider.answer(withOwnIds(answer, number));
    messages = await exchange(row, provider, { messages, system: system(number) });
  }
  return provider.requests;
}

function withOwnIds(answer: FakeAnswer, number: number): FakeAnswer {
  const parts = answer.parts.map((part) =>
    part.type === "tool-call" ? { ...part, id: `${part.id}_${number}` } : part,
  );
  return { ...answer, parts };
}

type Talk = Pick<ModelRequest, "messages" | "system">;

/** Asks once and returns the conversation with the answer and whatever comes next. */
async function exchange(row: WireProtocolRow, provider: FakeProvider, request: Talk): Promise<Message[]> {
  const { messages } = request;
  const { end } = await ask(row, provider, { request: { ...request, sessionId: "session" } });
  if (end.type !== "done") throw new Error(`the request failed: ${end.error.message}`);
  const results = end.message.content.flatMap((part): Message[] => {
    if (part.type !== "tool-call") return [];
    const content = [{ type: "text" as const, text: "the content of the file" }];
    return [{ role: "tool-result", toolCallId: part.id, toolName: part.name, content, isError: false }];
  });
  const next = results.length > 0 ? results : [said(`Turn after ${messages.length}.`)];
  return [...messages, end.message, ...next];
}

function said(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function pairs<T>(items: T[]): [T, T][] {
  return items.slice(1).map((item, index) => [items[index] as T, item]);
}
