import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { guardModel } from "../../../src/permissions/secrets/guard-model.ts";
import { createObfuscator, secretsKey } from "../../../src/permissions/secrets/obfuscate.ts";
import { createEntrySeal, JOURNAL_KEY } from "../../../src/permissions/secrets/seal-entries.ts";
import type { Secret } from "../../../src/permissions/secrets/secret.ts";
import type { AssistantMessage, AssistantPart, Message } from "../../../src/protocol/messages.ts";
import type { ModelEvent } from "../../../src/protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../../src/protocol/model-request.ts";

const now = () => performance.now();
const SECRET = 'pa"ss-word-1234';
const SECRETS: Secret[] = [
  { type: "plain", content: SECRET, mode: "obfuscate" },
  { type: "regex", pattern: /tok_\d{8}/g, place: "secrets.yml:1", mode: "obfuscate" },
];

function obfuscator(session = "s1") {
  return createObfuscator(SECRETS, { key: secretsKey(session), now });
}

const PLACEHOLDER = obfuscator().begin().hide(SECRET);
const TOKEN_PLACEHOLDER = obfuscator().begin().hide("tok_12345678");

function requestWith(messages: Message[]): ModelRequest {
  return {
    system: { base: `base ${SECRET}`, dynamic: `tail tok_12345678` },
    messages,
    tools: [{ name: "look", description: `uses ${SECRET}`, parameters: { type: "object", title: SECRET } }],
    effort: "low",
    stream: true,
  };
}

function answerOf(content: AssistantPart[]): AssistantMessage {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  return { role: "assistant", content, provider: "p", api: "a", model: "m", stopReason: "stop", usage };
}

const HISTORY: Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: `use ${SECRET}` },
      { type: "image", mediaType: "image/png", data: "AAAA" },
    ],
  },
  answerOf([
    { type: "thinking", text: `think tok_12345678`, signature: `sig ${SECRET}` },
    {
      type: "tool-call",
      id: "1",
      name: "look",
      input: { path: [SECRET, { deep: "tok_12345678" }], [SECRET]: 1, n: 2 },
    },
    { type: "tool-call", id: "2", name: "look", input: {}, invalidInput: `{"x": ${SECRET}` },
  ]),
  {
    role: "tool-result",
    toolCallId: "1",
    toolName: "look",
    content: [{ type: "text", text: `got ${SECRET}` }],
    isError: false,
  },
];

/** A model that answers with these events and keeps what it was asked. */
function modelWith(events: ModelEvent[], end: Extract<ModelEvent, { type: "done" | "error" }>) {
  const requests: ModelRequest[] = [];
  const model: StreamModel = async (request, { emit }) => {
    requests.push(request);
    for (const event of [...events, end]) emit(event);
    return end;
  };
  return { model, requests };
}

async function ask(model: StreamModel, request: ModelRequest, session?: string) {
  const events: ModelEvent[] = [];
  const end = await guardModel(model, obfuscator(session))(request, {
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
  });
  return { events, end };
}

describe("what is sent", () => {
  test("has placeholders in prompt, tail, tools, messages, arguments and results; signatures and pictures stay", async () => {
    const { model, requests } = modelWith([], { type: "done", message: answerOf([]) });
    await ask(model, requestWith(HISTORY));
    expect(requests).toEqual([
      {
        system: { base: `base ${PLACEHOLDER}`, dynamic: `tail ${TOKEN_PLACEHOLDER}` },
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: `use ${PLACEHOLDER}` },
              { type: "image", mediaType: "image/png", data: "AAAA" },
            ],
          },
          answerOf([
            { type: "thinking", text: `think ${TOKEN_PLACEHOLDER}`, signature: `sig ${SECRET}` },
            {
              type: "tool-call",
              id: "1",
              name: "look",
              input: { path: [PLACEHOLDER, { deep: TOKEN_PLACEHOLDER }], [PLACEHOLDER]: 1, n: 2 },
            },
            { type: "tool-call", id: "2", name: "look", input: {}, invalidInput: `{"x": ${PLACEHOLDER}` },
          ]),
          {
            role: "tool-result",
            toolCallId: "1",
            toolName: "look",
            content: [{ type: "text", text: `got ${PLACEHOLDER}` }],
            isError: false,
          },
        ],
        tools: [
          { name: "look", description: `uses ${PLACEHOLDER}`, parameters: { type: "object", title: PLACEHOLDER } },
        ],
        effort: "low",
        stream: true,
      },
    ]);
  });

  test("is the same, byte for byte, as long as the conversation only grows, and after a new start", async () => {
    const word = fc.constantFrom(
      SECRET,
      "tok_12345678",
      "tok_87654321",
      PLACEHOLDER,
      TOKEN_PLACEHOLDER,
      " ",
      "word",
      "#",
    );
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
        const messages = texts.map((one): Message => ({ role: "user", content: [{ type: "text", text: one }] }));
        const { model, requests } = modelWith([], { type: "done", message: answerOf([]) });
        for (const length of messages.keys()) await ask(model, requestWith(messages.slice(0, length + 1)));
        const whole = JSON.stringify(requests.at(-1)?.messages).slice(0, -1);
        for (const { messages: sent } of requests) expect(whole).toStartWith(JSON.stringify(sent).slice(0, -1));
      }),
      { numRuns: 200 },
    );
  });
});

describe("what comes back", () => {
  const message = answerOf([
    { type: "thinking", text: `about ${PLACEHOLDER}`, signature: "s" },
    { type: "text", text: `it is ${TOKEN_PLACEHOLDER}` },
    { type: "tool-call", id: "c", name: "look", input: { key: PLACEHOLDER } },
  ]);
  const restored = answerOf([
    { type: "thinking", text: `about ${SECRET}`, signature: "s" },
    { type: "text", text: "it is tok_12345678" },
    { type: "tool-call", id: "c", name: "look", input: { key: SECRET } },
  ]);

  test("is restored in deltas, wherever they are cut, in calls and in the message", async () => {
    const json = JSON.stringify({ key: PLACEHOLDER });
    const events: ModelEvent[] = [
      { type: "thinking-start", index: 0 },
      ...[..."about "].map((text): ModelEvent => ({ type: "thinking-delta", index: 0, text })),
      ...[...PLACEHOLDER].map((text): ModelEvent => ({ type: "thinking-delta", index: 0, text })),
      { type: "thinking-end", index: 0 },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: `it is ${TOKEN_PLACEHOLDER.slice(0, 3)}` },
      { type: "text-delta", index: 1, text: TOKEN_PLACEHOLDER.slice(3) },
      { type: "text-delta", index: 1, text: " #AB" },
      { type: "text-end", index: 1 },
      { type: "tool-call-start", index: 2, id: "c", name: "look" },
      { type: "tool-call-delta", index: 2, text: json.slice(0, 11) },
      { type: "tool-call-delta", index: 2, text: json.slice(11) },
      { type: "tool-call-end", index: 2, id: "c", name: "look", input: { key: PLACEHOLDER } },
    ];
    const { model } = modelWith(events, { type: "done", message });
    const answer = await ask(model, requestWith(HISTORY));
    const texts = (type: string) =>
      answer.events.flatMap((event) => (event.type === type && "text" in event ? [event.text] : []));
    expect(texts("thinking-delta").join("")).toBe(`about ${SECRET}`);
    expect(texts("thinking-delta")).toContain(SECRET);
    expect(texts("text-delta")).toEqual(["it is ", "tok_12345678", " ", "#AB"]);
    expect(JSON.parse(texts("tool-call-delta").join(""))).toEqual({ key: SECRET });
    expect(answer.events.at(-2)).toEqual({
      type: "tool-call-end",
      index: 2,
      id: "c",
      name: "look",
      input: { key: SECRET },
    });
    expect(answer.events.at(-1)).toEqual({ type: "done", message: restored });
    expect(answer.end).toBe(answer.events.at(-1) as never);
  });

  test("is restored in what had arrived of a broken answer, and a new attempt begins anew", async () => {
    const error = { kind: "stream-cut", message: "cut", retryable: true } as const;
    const events: ModelEvent[] = [
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: `old ${PLACEHOLDER.slice(0, 4)}` },
      { type: "attempt-retry", attempt: 1, delayMs: 1, error },
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: PLACEHOLDER.slice(0, 4) },
    ];
    const { model } = modelWith(events, { type: "error", error, partial: message });
    const answer = await ask(model, requestWith(HISTORY));
    expect(answer.events).toEqual([
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "old " },
      { type: "attempt-retry", attempt: 1, delayMs: 1, error },
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: PLACEHOLDER.slice(0, 4) },
      { type: "error", error, partial: restored },
    ]);
  });

  test("loses the signature of thinking that could not be sent back as it was", async () => {
    const guessed = answerOf([{ type: "thinking", text: `a guess: ${SECRET}`, signature: "s" }]);
    const { model } = modelWith([], { type: "done", message: guessed });
    const { end } = await ask(model, requestWith(HISTORY));
    expect(end).toEqual({ type: "done", message: answerOf([{ type: "thinking", text: `a guess: ${SECRET}` }]) });
  });

  test("is another placeholder in another session, and that of the first means nothing there", async () => {
    const { model } = modelWith([], { type: "done", message });
    const { end } = await ask(model, requestWith(HISTORY), "s2");
    expect(JSON.stringify(end)).not.toContain("ss-word-1234");
  });
});

describe("what a provider compacted", () => {
  const itemsWith = (text: string) =>
    JSON.stringify([
      { id: "msg_1", type: "message", role: "user", content: [{ type: "input_text", text }] },
      { id: "cmp_1", type: "compaction", encrypted_content: "gAAAAtok_12345678" },
    ]);
  const compacted = (text: string) => answerOf([{ type: "thinking", text: "", encrypted: itemsWith(text) }]);

  test("has the real words where it is plain, goes back as it came, and nothing encrypted is ever changed", async () => {
    const end = { type: "done" as const, message: compacted(`use ${PLACEHOLDER}`) };
    const { model, requests } = modelWith([], end);
    const told = await ask(model, { ...requestWith(HISTORY), compact: true });
    const restored = { type: "done" as const, message: compacted(`use ${SECRET}`) };
    expect([told.end, told.events.at(-1)]).toEqual([restored, restored]);
    const items = itemsWith(`use ${SECRET}`);
    const history: Message = { role: "user", content: [], compacted: { provider: "p", api: "a", model: "m", items } };
    await ask(model, requestWith([history]));
    expect(requests[1]?.messages).toEqual([
      {
        role: "user",
        content: [],
        compacted: { provider: "p", api: "a", model: "m", items: itemsWith(`use ${PLACEHOLDER}`) },
      },
    ]);
  });

  test("stands in the file with placeholders, and is read back as it was", () => {
    const seal = createEntrySeal(createObfuscator(SECRETS, { key: JOURNAL_KEY, now }));
    const server = { provider: "p", api: "a", model: "m", items: itemsWith(`use ${SECRET}`) };
    const place = { id: "e2", parentId: "e1", at: "2026-01-02T03:04:05.000Z" };
    const entry = { ...place, type: "compaction" as const, summary: "s", firstKeptId: "e1", tokensBefore: 9, server };
    const closed = seal.close(entry);
    expect(JSON.stringify(closed)).not.toContain("ss-word-1234");
    expect(JSON.stringify(closed)).toContain("gAAAAtok_12345678");
    expect(seal.open(closed)).toEqual(entry);
  });
});
