import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createMessageQueue } from "../../src/agent/message-queue.ts";
import { runTurns } from "../../src/agent/run-turns.ts";
import type { Compactor, CompactorOptions } from "../../src/coder/compaction/compactor.ts";
import { createCompactor } from "../../src/coder/compaction/create-compactor.ts";
import { createStreamModel } from "../../src/llm/stream.ts";
import type { AgentEvent, CompactionResult } from "../../src/protocol/agent-events.ts";
import type { Message, ToolResultMessage } from "../../src/protocol/messages.ts";
import type { ModelEnd } from "../../src/protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import type { Tool } from "../../src/protocol/tool-runs.ts";
import { contextOf, foldContext } from "../../src/sessions/context.ts";
import { isSessionEntry } from "../../src/sessions/entries/entry-shape.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import { createMemorySession, type EntryDraft, type Session } from "../../src/sessions/session.ts";
import { sessionTotals } from "../../src/sessions/totals.ts";
import { systemClock } from "../../src/system/clock.ts";
import { failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, type PlannedAnswer, startFakeProvider } from "../support/fake-provider.ts";
import { anyConversation, GOOD_SUMMARY, toolLoop, uncounted } from "../support/long-conversations.ts";
import { modelNamed } from "../support/model-fixtures.ts";
import { isProviderValid, providerFaults } from "../support/provider-validity.ts";
import { answer, call, opened, placesIn, result, said, user } from "../support/session-samples.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

const SETTINGS = {
  triggerPercent: 75,
  targetPercent: 35,
  keepMessages: 10,
  reserveTokens: 16_000,
  atPriceTier: false,
  server: "auto" as const,
};
const PRICES = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const signal = new AbortController().signal;
const during = { signal, settled: async () => {} };

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider();
});
afterEach(() => provider.stop());

describe("a conversation below the trigger", () => {
  test("is left alone, and the model is not asked", async () => {
    const { compactor, session } = await conversation(toolLoop(10, 1000));
    const before = [...session.entries];
    expect(await compactor.beforeTurn(messagesOf(session), during)).toBeUndefined();
    expect([[...session.entries], provider.requests]).toEqual([before, []]);
  });
});

describe("a conversation above the trigger", () => {
  test("has its large tool results shortened first, and needs no summary where that is enough", async () => {
    const { compactor, session, results } = await conversation(toolLoop(20, 3500));
    const messages = await compactor.beforeTurn(messagesOf(session), during);
    expect(messages).toEqual(messagesOf(session));
    expect(results()).toEqual([{ type: "pruned", results: 15, tokensBefore: 17_686, tokensAfter: 12_331 }]);
    expect(provider.requests).toEqual([]);
    // What is recent is whole, and the entries are as they were.
    expect(JSON.stringify(messages?.slice(-10))).not.toContain("left out");
    expect(storedMessages(session)).toEqual(toolLoop(20, 3500));
  });

  test("gets a summary where that is not enough; the goal is there word for word and pairs are whole", async () => {
    const { compactor, session, results, events } = await conversation([...toolLoop(60, 1000), user("now the tests")]);
    provider.answer(textAnswer(GOOD_SUMMARY, { usage: { input: 900, output: 100, cacheRead: 0, cacheWrite: 0 } }));
    const messages = (await compactor.beforeTurn(messagesOf(session), during)) ?? [];
    expect(results()).toEqual([
      { type: "summarised", messages: 99, tokensBefore: 15_510, tokensAfter: 2_944, cost: 0.001 },
    ]);
    expect(events[0]).toEqual({
      type: "compaction-start",
      trigger: "automatic",
      reason: "the conversation is at 15,510 of 20,000 tokens; compaction begins at 75 %",
      tokens: 15_510,
    });
    expect(providerFaults(messages)).toEqual([]);
    expect(messages[0]?.content).toContainEqual({ type: "text", text: "build the thing" });
    expect(messages.slice(1)).toEqual([...toolLoop(60, 1000), user("now the tests")].slice(99));
    const [asked] = provider.requests;
    expect(asked?.body).toMatchObject({ tool_choice: "none", tools: [{ function: { name: "read" } }] });
    expect(JSON.stringify(asked?.body)).toContain("The last 23 messages before this one stay word for word.");
    expect(sessionTotals(session.entries)).toMatchObject({
      turns: 60,
      usage: { input: 900, output: 100 },
      cost: 0.001,
    });
    expect(compactor.takeSpent()).toMatchObject({ usage: { input: 900, output: 100 }, cost: 0.001 });
    expect(compactor.takeSpent()).toBeUndefined();
  });

  test("never has the words of a person shortened", async () => {
    const question = { ...call("q", "ask"), input: { question: "How?" } };
    const said: Message = { ...(result("q", "w".repeat(3000)) as ToolResultMessage), toolName: "ask" };
    const { compactor, session } = await conversation([
      user("go"),
      uncounted(answer("", question)),
      said,
      ...toolLoop(20, 3500),
    ]);
    const messages = await compactor.beforeTurn(messagesOf(session), during);
    expect(messages?.[2]).toEqual(said);
    expect(JSON.stringify(messages)).toContain("left out");
  });

  test("stays with a larger model where one is wanted and there is one", async () => {
    const large = modelNamed("acme/large", { contextWindow: 900_000 });
    const { compactor, session, results } = await conversation(toolLoop(60, 1000), { promote: async () => large });
    const before = [...session.entries];
    expect(await compactor.beforeTurn(messagesOf(session), during)).toBeUndefined();
    expect(results()).toEqual([{ type: "promoted", model: "acme/large" }]);
    expect([...session.entries]).toEqual(before);
  });

  test("is never touched where compaction is off; an overflow then says what to do", async () => {
    const { compactor, session, events } = await conversation(toolLoop(60, 1000), { isEnabled: () => false });
    const before = [...session.entries];
    const overflow = { kind: "context-overflow", message: "too long", retryable: false } as const;
    expect(await compactor.beforeTurn(messagesOf(session), during)).toBeUndefined();
    expect(await compactor.afterFailure(overflow, during)).toBeUndefined();
    expect([[...session.entries], provider.requests]).toEqual([before, []]);
    expect(events).toMatchObject([
      { type: "notice", level: "error", text: expect.stringMatching(/\/compact.*--no-compact/) },
    ]);
  });

  test("is summarised whatever limit answers have", async () => {
    const asked: ModelRequest[] = [];
    const { compactor, session } = await conversation(toolLoop(60, 1000), {
      request: (messages) => ({ ...requestOf(messages), maxOutputTokens: 5 }),
      streamModel: async (request) => {
        asked.push(request);
        return { type: "done", message: uncounted(answer(GOOD_SUMMARY)) };
      },
    });
    await compactor.beforeTurn(messagesOf(session), during);
    expect(asked).toEqual([{ ...requestOf(asked[0]?.messages ?? []), toolChoice: "none" }]);
    expect(asked[0]?.messages.slice(0, -1)).toEqual(toolLoop(60, 1000));
  });

  test("is summarised by a cheaper model where one is handed in", async () => {
    const cheap = modelFor("acme/cheap", { cost: { ...PRICES, input: 0.5 } });
    const summariser = { model: cheap, streamModel: streamOf(cheap) };
    const { compactor, session } = await conversation(toolLoop(60, 1000), { summariser });
    provider.answer(textAnswer(GOOD_SUMMARY, { usage: { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 } }));
    await compactor.beforeTurn(messagesOf(session), during);
    expect(session.entries.at(-1)).toMatchObject({ type: "compaction", model: "acme/cheap", cost: 0.0005 });
    expect(provider.requests[0]?.body).toMatchObject({ model: "cheap" });
  });
});

describe("a bad summary", () => {
  test("is asked for once more with the reason, and a good one is taken", async () => {
    const { compactor, session, results } = await conversation(toolLoop(60, 1000));
    provider.answer(textAnswer(GOOD_SUMMARY.replace("## Goal\nShip it.\n", "")), textAnswer(GOOD_SUMMARY));
    await compactor.beforeTurn(messagesOf(session), during);
    expect(results()).toMatchObject([{ type: "summarised" }]);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain(
      'Your last summary was rejected: the summary lacks \\"## Goal\\"',
    );
    // Both were paid for.
    expect(sessionTotals(session.entries).usage).toMatchObject({ input: 20, output: 4 });
  });

  test.each<[string, PlannedAnswer, RegExp]>([
    ["empty", textAnswer(" "), /empty/],
    ["too long", textAnswer(`${GOOD_SUMMARY} ${"x".repeat(9000)}`), /the limit is 2,000/],
    ["with fake turns", textAnswer(`${GOOD_SUMMARY}\nAssistant: done`), /reads like a turn/],
    ["that is a tool call", toolCallAnswer({ name: "read", input: {} }), /called a tool/],
    ["cut off", { ...textAnswer(GOOD_SUMMARY), stopReason: "length" }, /not finished/],
  ])(
    "twice (%s) leaves it at shorter tool results, says so, and is not tried again at once",
    async (_name, bad, why) => {
      const { compactor, session, results, events } = await conversation([...toolLoop(3, 4000), ...toolLoop(60, 1000)]);
      provider.answer(bad, bad);
      const messages = await compactor.beforeTurn(messagesOf(session), during);
      expect(results()).toMatchObject([{ type: "pruned", results: 3, problem: expect.stringMatching(why) }]);
      expect(events.at(-1)?.type).toBe("compaction-end");
      expect(provider.requests).toHaveLength(2);
      expect(messages).toEqual(messagesOf(session));
      expect(isProviderValid(messages ?? [])).toBe(true);
      expect(await compactor.beforeTurn(messagesOf(session), during)).toBeUndefined();
      await append(session, user("more ".repeat(1000)));
      provider.answer(textAnswer(GOOD_SUMMARY));
      await compactor.beforeTurn(messagesOf(session), during);
      expect(results().at(-1)).toMatchObject({ type: "summarised" });
    },
  );

  test("in a conversation that would not fit leaves old messages out, with a list of them and all pins", async () => {
    const { compactor, session, results } = await conversation([...toolLoop(80, 1000), user("the latest words")]);
    provider.answer(textAnswer(""), textAnswer(""));
    const messages = (await compactor.beforeTurn(messagesOf(session), during)) ?? [];
    expect(results()).toMatchObject([{ type: "trimmed", problem: "the summary is empty" }]);
    expect(providerFaults(messages)).toEqual([]);
    expect(messages[0]?.content).toContainEqual({ type: "text", text: "build the thing" });
    expect(messages.at(-1)).toEqual(user("the latest words"));
    expect(JSON.stringify(messages[0])).toContain("messages were left out because they did not fit");
    expect(compactor.size().tokens).toBeLessThan(15_000);
  });

  test("then shortens recent results, too, and one undo brings all of it back", async () => {
    const { compactor, session, results } = await conversation([...toolLoop(70, 1000), ...toolLoop(5, 6000)]);
    const before = messagesOf(session);
    provider.answer(textAnswer(""), textAnswer(""));
    await compactor.beforeTurn(before, during);
    expect(results()).toMatchObject([{ type: "trimmed" }]);
    expect([...session.entries].slice(-3).map(({ type }) => type)).toEqual([
      "pruned",
      "compaction",
      "compaction-failed",
    ]);
    await compactor.undo();
    expect(messagesOf(session)).toEqual(before);
  });

  test("cannot cut a last turn that is too large: its results are shortened instead", async () => {
    const { compactor, session, results } = await conversation(toolLoop(1, 90_000));
    const messages = await compactor.beforeTurn(messagesOf(session), during);
    expect(results()).toMatchObject([{ type: "pruned", problem: "there are too few messages to summarise" }]);
    expect(isProviderValid(messages ?? [])).toBe(true);
    expect(compactor.size().tokens).toBeLessThan(2000);
    expect(provider.requests).toEqual([]);
  });
});

describe("a compaction that is stopped", () => {
  test("by a person leaves the conversation as it was", async () => {
    const { compactor, session, results } = await conversation(toolLoop(60, 1000));
    const before = messagesOf(session);
    const hold = Promise.withResolvers<void>();
    provider.answer({ ...textAnswer(GOOD_SUMMARY), fault: { type: "hold", afterEvents: 3, until: hold.promise } });
    const stop = new AbortController();
    const working = compactor.beforeTurn(before, { ...during, signal: stop.signal });
    await provider.nextRequest();
    stop.abort();
    expect(await working).toBeUndefined();
    hold.resolve();
    expect(results()).toEqual([{ type: "interrupted" }]);
    expect(messagesOf(session)).toEqual(before);
    // Nothing keeps the next one from being tried.
    provider.answer(textAnswer(GOOD_SUMMARY));
    await compactor.beforeTurn(before, during);
    expect(results().at(-1)).toMatchObject({ type: "summarised" });
  });

  test("before it began does nothing at all", async () => {
    const { compactor, session, results } = await conversation(toolLoop(20, 3500));
    const before = [...session.entries];
    expect(await compactor.beforeTurn(messagesOf(session), { ...during, signal: AbortSignal.abort() })).toBeUndefined();
    expect([[...session.entries], results()]).toEqual([before, [{ type: "interrupted" }]]);
  });

  test("by a failing provider leaves a person's conversation as it was", async () => {
    const { compactor, session } = await conversation([...toolLoop(3, 4000), ...toolLoop(20, 1000)]);
    const before = [...session.entries];
    provider.answer(failAnswer({ type: "status", status: 400 }));
    expect(await compactor.compact({ signal })).toMatchObject({ type: "failed" });
    expect([...session.entries]).toEqual(before);
  });

  test("by a kill between the summary and its entry leaves the conversation as it was", async () => {
    using folder = disposable(tempWorkspace());
    const places = placesIn(folder.root);
    const session = opened(await createSession({ places, cwd: folder.project }));
    for (const message of toolLoop(60, 1000)) await append(session, message);
    const path = session.path ?? "";
    const copy = join(folder.root, "killed.jsonl");
    const model = modelFor("acme/one");
    const streamModel: StreamModel = async (request, options) => {
      const end: ModelEnd = await streamOf(model)(request, options);
      copyFileSync(path, copy);
      return end;
    };
    const { compactor } = compactorOn(session, { streamModel });
    provider.answer(textAnswer(GOOD_SUMMARY));
    const after = await compactor.beforeTurn(messagesOf(session), during);
    await session.close();
    expect(await contextIn(copy, places)).toEqual(toolLoop(60, 1000));
    // The one that was not killed reads back as it was sent, byte for byte.
    expect(JSON.stringify(await contextIn(path, places))).toBe(JSON.stringify(after));
  });
});

describe("/compact", () => {
  test("summarises a conversation of any length, with what the person cares about", async () => {
    const { compactor, session } = await conversation(toolLoop(10, 1500));
    provider.answer(textAnswer(GOOD_SUMMARY));
    const done = await compactor.compact({ focus: "the parser", signal });
    expect(done).toMatchObject({ type: "summarised", messages: 11 });
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("The person says what matters most: the parser");
    expect(isProviderValid(messagesOf(session))).toBe(true);
  });

  test("says so where there is nothing to shorten", async () => {
    const { compactor, session } = await conversation([user("hi"), uncounted(answer("hello"))]);
    expect(await compactor.compact({ signal })).toEqual({
      type: "failed",
      problem: "there are too few messages to summarise",
    });
    expect(messagesOf(session)).toEqual([user("hi"), uncounted(answer("hello"))]);
  });

  test("one after the other keeps the pinned parts of both, and undo goes back step by step", async () => {
    const question = { ...call("q", "ask"), input: { question: "Which colour?" } };
    const first = [...toolLoop(12, 800, "goal one"), uncounted(answer("", question)), result("q", "blue")];
    const { compactor, session } = await conversation([...first, ...toolLoop(12, 800, "goal two")]);
    const whole = messagesOf(session);
    provider.answer(textAnswer(GOOD_SUMMARY), textAnswer(GOOD_SUMMARY.replace("Ship it", "Ship it twice")));
    await compactor.compact({ signal });
    const once = messagesOf(session);
    for (const message of toolLoop(14, 800, "goal three")) await append(session, message);
    const grown = messagesOf(session);
    await compactor.compact({ signal });
    const texts = messagesOf(session)[0]?.content.map((part) => (part.type === "text" ? part.text : ""));
    expect(texts).toEqual(
      expect.arrayContaining(["goal one", "goal two", "goal three", "Asked: Which colour?\nAnswered: blue"]),
    );
    expect(texts?.[0]).toContain("Ship it twice");
    expect(await compactor.undo()).toMatchObject({ ok: true });
    expect(messagesOf(session)).toEqual(grown);
    expect(grown.slice(0, once.length)).toEqual(once);
    expect(await compactor.undo()).toMatchObject({ ok: true });
    expect(messagesOf(session)).toEqual([...whole, ...toolLoop(14, 800, "goal three")]);
    expect(await compactor.undo()).toEqual({
      ok: false,
      message: "No compaction of this conversation is left to undo.",
    });
  });

  test("an undone compaction is not made again at once", async () => {
    const { compactor, session } = await conversation(toolLoop(60, 1000));
    provider.answer(textAnswer(GOOD_SUMMARY));
    await compactor.beforeTurn(messagesOf(session), during);
    await compactor.undo();
    expect(await compactor.beforeTurn(messagesOf(session), during)).toBeUndefined();
    expect(provider.requests).toHaveLength(1);
  });
});

describe("in the turn loop", () => {
  test("a conversation is shortened between the calls of one prompt, and what it cost counts", async () => {
    const { compactor, session } = await conversation([...toolLoop(40, 1000), user("go")]);
    const read = toolCallAnswer({ name: "read", input: { path: "a" }, id: "r" });
    const bare = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    provider.answer({ ...read, ...bare }, textAnswer(GOOD_SUMMARY), textAnswer("Done.", bare));
    const { outcome, messages, totals } = await work(session, compactor, "y".repeat(20_000));
    expect(outcome).toEqual({ type: "done" });
    expect(totals).toMatchObject({ turns: 2, usage: { input: 10, output: 2 } });
    expect(provider.requests).toHaveLength(3);
    expect(messages).toEqual(messagesOf(session));
    expect(JSON.stringify(provider.requests[2]?.body)).toContain("conversation_summary");
  });

  test("an overflow is answered by a compaction and one more try", async () => {
    const { compactor, session, results } = await conversation([...toolLoop(30, 800), user("go")]);
    const overflow = failAnswer({ type: "status", status: 400, reason: "context-overflow" });
    provider.answer(overflow, textAnswer(GOOD_SUMMARY), textAnswer("Done."));
    const { outcome } = await work(session, compactor, "");
    expect(outcome).toEqual({ type: "done" });
    expect(results()).toMatchObject([{ type: "summarised" }]);
    expect(provider.requests).toHaveLength(3);
    provider.answer(overflow, textAnswer(GOOD_SUMMARY), overflow);
    for (const message of [...toolLoop(30, 800), user("again")]) await append(session, message);
    expect(await work(session, compactor, "")).toMatchObject({
      outcome: { type: "failed", error: { kind: "context-overflow" } },
    });
  });
});

describe("any conversation", () => {
  test("stays valid, keeps the goal, reads back the same after a resume, and undo restores it exactly", async () => {
    const summary: ModelEnd = { type: "done", message: uncounted(answer(GOOD_SUMMARY)) };
    const bad: ModelEnd = { type: "done", message: uncounted(answer("no")) };
    const window = fc.constantFrom(2000, 8000, 40_000);
    await fc.assert(
      fc.asyncProperty(
        anyConversation,
        window,
        fc.boolean(),
        fc.boolean(),
        async (drafts, contextWindow, isGood, forced) => {
          const session = await memorySession(drafts);
          const before = messagesOf(session);
          const model = modelNamed("acme/one", { contextWindow });
          const { compactor } = compactorOn(session, {
            model: () => model,
            streamModel: async () => (isGood ? summary : bad),
          });
          const changed = forced ? await compactor.compact({ signal }) : await compactor.beforeTurn(before, during);
          const after = messagesOf(session);
          expect(providerFaults(after)).toEqual([]);
          if (changed === undefined) expect(after).toEqual(before);
          expect(JSON.stringify(after)).toContain('"the goal"');
          const latest = before.findLast(({ role }) => role === "user")?.content[0];
          const words = latest?.type === "text" ? latest.text.slice(0, 60) : "";
          if (contextWindow > 2000) expect(JSON.stringify(after)).toContain(words);
          const lines = session.entries.map((entry) => JSON.parse(JSON.stringify(entry)));
          expect(lines.every(isSessionEntry)).toBe(true);
          expect(foldContext(lines as SessionEntry[]).messages).toEqual(after);
          while ((await compactor.undo()).ok);
          expect(messagesOf(session)).toEqual(before);
        },
      ),
      { numRuns: 150 },
    );
  });
});

interface Setting extends Partial<CompactorOptions> {}

async function conversation(messages: Message[], over: Setting = {}) {
  const session = await memorySession(messages.map(said));
  return { session, ...compactorOn(session, over) };
}

async function memorySession(drafts: EntryDraft[]): Promise<Session> {
  const session = createMemorySession({ cwd: "/w" });
  for (const draft of drafts) await session.append(draft);
  return session;
}

function compactorOn(
  session: Session,
  over: Setting,
): { compactor: Compactor; events: AgentEvent[]; results(): CompactionResult[] } {
  const events: AgentEvent[] = [];
  const model = modelFor("acme/one");
  const compactor = createCompactor({
    session,
    model: () => model,
    streamModel: streamOf(model),
    request: requestOf,
    settings: SETTINGS,
    isEnabled: () => true,
    clock: systemClock,
    toolName: (name) => (name === "ask" ? "ask_user" : name),
    tell: (event) => void events.push(event),
    ...over,
  });
  const results = () => events.flatMap((event) => (event.type === "compaction-end" ? [event.result] : []));
  return { compactor, events, results };
}

function modelFor(name: string, over: Partial<Model> = {}): Model {
  return modelNamed(name, { baseUrl: `${provider.origin}/v1`, contextWindow: 20_000, cost: PRICES, ...over });
}

function streamOf(model: Model): StreamModel {
  return createStreamModel({
    model,
    credential: { type: "key", key: "k" },
    clock: systemClock,
    random: () => 0,
    userAgent: "test",
    retries: { beforeFirstByte: 0, afterFirstByte: 0 },
  });
}

const READ = { name: "read", description: "Reads.", parameters: { type: "object" } };

function requestOf(messages: Message[]): ModelRequest {
  return { system: { base: "You are tested." }, messages, tools: [READ], effort: "off", stream: true };
}

/** The turn loop with a journal, as the coder wires it. */
function work(session: Session, compactor: Compactor, output: string) {
  const tool: Tool = {
    ...READ,
    parameters: { type: "object" },
    aliases: [],
    isReadOnly: true,
    prepare: () => ({ asks: [], run: async () => ({ content: [{ type: "text", text: `read ${output}` }] }) }),
  };
  return runTurns(messagesOf(session), {
    streamModel: streamOf(modelFor("acme/one")),
    request: requestOf,
    findTool: () => tool,
    unknownTool: () => "",
    beforeTool: async () => ({ type: "allow" }),
    emit: async (event) => {
      if (event.type === "message-end") await append(session, event.message);
      if (event.type === "tool-end") await append(session, event.result);
    },
    now: () => 0,
    queue: createMessageQueue(),
    costOf: () => undefined,
    maxTurns: 5,
    goesOnWhenCut: true,
    signal,
    beforeTurn: (messages) => compactor.beforeTurn(messages, during),
    afterFailure: (error) => compactor.afterFailure(error, during),
    takeSpent: compactor.takeSpent,
  });
}

function messagesOf(session: Session): Message[] {
  return contextOf(session.entries, session.leafId).messages;
}

function storedMessages(session: Session): Message[] {
  return [...session.entries].flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

async function append(session: Session, message: Message): Promise<void> {
  await session.append(said(message));
}

async function contextIn(path: string, places: ReturnType<typeof placesIn>): Promise<Message[]> {
  const session = opened(await openSession(path, { places }));
  const messages = messagesOf(session);
  await session.close();
  return messages;
}

function disposable(workspace: TempWorkspace): TempWorkspace & Disposable {
  return Object.assign(workspace, { [Symbol.dispose]: () => workspace.stop() });
}
