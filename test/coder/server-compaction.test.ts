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
import { at } from "../../src/protocol/json.ts";
import type { AssistantMessage, Message } from "../../src/protocol/messages.ts";
import type { ModelEnd } from "../../src/protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { isSessionEntry } from "../../src/sessions/entries/entry-shape.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import { createMemorySession, type Session } from "../../src/sessions/session.ts";
import { sessionTotals } from "../../src/sessions/totals.ts";
import { systemClock } from "../../src/system/clock.ts";
import { failAnswer, textAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, type PlannedAnswer, startFakeProvider } from "../support/fake-provider.ts";
import { anyConversation, GOOD_SUMMARY, NO_COUNT, toolLoop, uncounted } from "../support/long-conversations.ts";
import { manualClock } from "../support/manual-clock.ts";
import { modelNamed } from "../support/model-fixtures.ts";
import { providerFaults } from "../support/provider-validity.ts";
import { answer, opened, placesIn, said, user } from "../support/session-samples.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";
import { encrypted } from "../support/wire/openai-compactions.ts";

const SETTINGS = {
  triggerPercent: 75,
  targetPercent: 35,
  keepMessages: 10,
  reserveTokens: 16_000,
  atPriceTier: false,
  server: "auto" as const,
};
const PRICES = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const LONG = [...toolLoop(60, 1000), user("now the tests")];
const signal = new AbortController().signal;
const during = { signal, settled: async () => {} };

let provider: FakeProvider;
let one: Model;
let two: Model;
beforeEach(async () => {
  provider = await startFakeProvider();
  one = modelFor("acme/one");
  two = modelFor("acme/two");
});
afterEach(() => provider.stop());

describe("a provider that shortens conversations", () => {
  test("is given the older messages; what it made stands before the pins and the recent messages", async () => {
    const { compactor, session, results, events } = await conversation(LONG);
    provider.answer(textAnswer("all of it", { usage: { input: 900, output: 100, cacheRead: 0, cacheWrite: 0 } }));
    const messages = (await compactor.beforeTurn(read(session, one), during)) ?? [];
    expect(results()).toEqual([
      { type: "summarised", messages: 99, tokensBefore: 15_510, tokensAfter: 2_973, cost: 0.001, way: "server" },
    ]);
    expect(events[0]).toMatchObject({ type: "compaction-start", trigger: "automatic", way: "server" });
    const [asked, ...others] = provider.requests;
    expect([asked?.path, others]).toEqual(["/v1/responses/compact", []]);
    expect(Object.keys(asked?.body as object)).toEqual(["model", "instructions", "input"]);
    expect(JSON.stringify(asked?.body)).not.toContain("now the tests");
    expect(messages.slice(1)).toEqual(LONG.slice(99));
    const [first] = messages;
    expect(first?.content).toContainEqual({ type: "text", text: "build the thing" });
    expect(first).toMatchObject({ compacted: { provider: "acme", api: "openai-responses", model: "one" } });
    expect(providerFaults(messages)).toEqual([]);
    expect(sessionTotals(session.entries)).toMatchObject({ usage: { input: 900, output: 100 }, cost: 0.001 });
    expect(compactor.takeSpent()).toMatchObject({ usage: { input: 900, output: 100 }, cost: 0.001 });
    expect([...session.entries].every((entry) => isSessionEntry(JSON.parse(JSON.stringify(entry))))).toBe(true);
  });

  test("gets back what it made, as it was, with every request that follows; the history grows behind it", async () => {
    const { compactor, session } = await conversation(LONG);
    provider.answer(textAnswer("all of it"), textAnswer("first"), textAnswer("second"));
    await work(session, compactor);
    await append(session, user("go on"));
    await work(session, compactor);
    const [, first, second] = provider.requests.map(({ body }) => JSON.stringify(at(body, "input")));
    expect(first).toContain(`{"id":"cmp_1","type":"compaction","encrypted_content":"${encrypted("all of it")}"}`);
    expect(second?.slice(0, first?.length ?? 0).slice(0, -1)).toBe(first?.slice(0, -1) ?? "");
  });

  test("is given its own result again when the conversation grew once more", async () => {
    const { compactor, session, results } = await conversation(LONG);
    provider.answer(textAnswer("once"), textAnswer("twice"));
    await compactor.beforeTurn(read(session, one), during);
    for (const message of toolLoop(60, 1000, "then this")) await append(session, message);
    await compactor.beforeTurn(read(session, one), during);
    expect(results().map((result) => "way" in result && result.way)).toEqual(["server", "server"]);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain(encrypted("once"));
    const [first] = read(session, one);
    expect(first?.content).toEqual(
      expect.arrayContaining([
        { type: "text", text: "build the thing" },
        { type: "text", text: "then this" },
      ]),
    );
    expect(JSON.stringify(first)).toContain(encrypted("twice"));
  });

  test.each<[string, Partial<CompactorOptions>, { focus?: string }]>([
    ["the setting is off", { settings: { ...SETTINGS, server: "off" } }, {}],
    ["a person says what matters most", {}, { focus: "the parser" }],
  ])("is not asked where %s", async (_name, over, wish) => {
    const { compactor, events } = await conversation(LONG, over);
    provider.answer(textAnswer(GOOD_SUMMARY));
    expect(await compactor.compact({ signal, ...wish })).not.toHaveProperty("way");
    expect(provider.requests.map(({ path }) => path)).toEqual(["/v1/responses"]);
    expect(events[0]).not.toHaveProperty("way");
  });

  test("is asked by /compact, too, also where nothing happens by itself", async () => {
    const clock = manualClock();
    const { compactor, session } = await conversation(LONG, { isEnabled: () => false, clock });
    expect(await compactor.beforeTurn(read(session, one), during)).toBeUndefined();
    expect(provider.requests).toEqual([]);
    provider.answer(textAnswer("all of it"));
    expect(await compactor.compact({ signal })).toMatchObject({ type: "summarised", way: "server" });
    expect(clock.pending()).toBe(0);
  });
});

test("a subscription, which otherwise only streams, is asked for the whole result at once", async () => {
  const codex = modelFor("acme/gpt-9", {
    api: "openai-codex-responses",
    baseUrl: `${provider.origin}/backend-api/codex`,
  });
  const own = LONG.map((message) => (message.role === "assistant" ? { ...message, api: codex.api } : message));
  const { compactor } = await conversation(own, { model: () => codex, streamModel: asks(() => codex) });
  provider.answer(textAnswer("all of it"));
  expect(await compactor.compact({ signal })).toMatchObject({ type: "summarised", way: "server" });
  expect(provider.requests.map(({ path, headers }) => [path, headers.accept])).toEqual([
    ["/backend-api/codex/responses/compact", "application/json"],
  ]);
});

describe("where the provider", () => {
  const half = "x".repeat(40_000);
  test.each<[string, PlannedAnswer, RegExp, number]>([
    ["does not have it", failAnswer({ type: "status", status: 404 }), /answered 404/, 1],
    ["refuses the request", failAnswer({ type: "status", status: 400 }), /answered 400/, 1],
    ["gives back garbage", failAnswer({ type: "garbage" }), /not JSON/, 1],
    ["gives back nothing that is encrypted", { ...textAnswer(""), parts: [] }, /nothing in it is encrypted/, 1],
    ["makes it longer", textAnswer(half), /too many for the/, 2],
    ["is overloaded", failAnswer({ type: "status", status: 503 }), /answered 503/, 2],
  ])("%s, a summary is made, and it says so", async (_name, bad, why, asked) => {
    const { compactor, session, results, events } = await conversation(LONG);
    provider.answer(bad, textAnswer(GOOD_SUMMARY));
    await compactor.beforeTurn(read(session, one), during);
    expect(results()).toMatchObject([{ type: "summarised" }]);
    expect(results()[0]).not.toHaveProperty("way");
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toEqual([expect.stringMatching(why)]);
    expect(JSON.stringify(read(session, two)[0])).toContain("Ship it.");
    // What will not work the next time is not tried the next time.
    provider.answer(textAnswer("all of it"), textAnswer(GOOD_SUMMARY));
    for (const message of toolLoop(60, 1000)) await append(session, message);
    await compactor.beforeTurn(read(session, one), during);
    expect(provider.requests.filter(({ path }) => path.endsWith("/compact"))).toHaveLength(asked);
  });

  test("takes too long, a summary is made", async () => {
    const clock = manualClock();
    const { compactor, session, results, events } = await conversation(LONG, { clock });
    provider.answer(failAnswer({ type: "silence", after: "request" }), textAnswer(GOOD_SUMMARY));
    const working = compactor.beforeTurn(read(session, one), during);
    await provider.nextRequest();
    await clock.advance(120_000);
    await working;
    expect(results()).toMatchObject([{ type: "summarised" }]);
    expect(events).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining("it took longer than 120 seconds") }),
    );
    expect(clock.pending()).toBe(0);
  });

  test("and the model both fail, tool results are shortened, and what both used is counted", async () => {
    const { compactor, session, results } = await conversation([...toolLoop(3, 4000), ...LONG]);
    const usage = { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 };
    provider.answer({ ...textAnswer(half), usage }, textAnswer("", { usage }), textAnswer("", { usage }));
    await compactor.beforeTurn(read(session, one), during);
    expect(results()).toMatchObject([{ type: "pruned", results: 3, problem: "the summary is empty" }]);
    expect(session.entries.at(-1)).toMatchObject({ type: "compaction-failed", usage: { input: 3000 }, cost: 0.003 });
    expect(compactor.takeSpent()).toMatchObject({ usage: { input: 3000 }, cost: 0.003 });
  });

  test("is stopped by a person, the conversation is as it was", async () => {
    const { compactor, session, results, events } = await conversation(LONG);
    const before = [...session.entries];
    provider.answer(failAnswer({ type: "silence", after: "request" }));
    const stop = new AbortController();
    const working = compactor.beforeTurn(read(session, one), { ...during, signal: stop.signal });
    await provider.nextRequest();
    stop.abort();
    expect(await working).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(["compaction-start", "compaction-end"]);
    expect([results(), [...session.entries], provider.requests.length]).toEqual([[{ type: "interrupted" }], before, 1]);
  });

  test("cannot read any more what it made, the messages are sent again, summarised where they are too many", async () => {
    const { compactor, session, events } = await conversation(LONG);
    provider.answer(textAnswer("all of it"), textAnswer("Before."));
    await work(session, compactor);
    const body = JSON.stringify({
      error: {
        code: "invalid_encrypted_content",
        message: "The encrypted content for item cmp_1 could not be verified.",
      },
    });
    provider.answer(
      failAnswer({ type: "status", status: 400, body }),
      textAnswer(GOOD_SUMMARY),
      textAnswer("Here I am again."),
    );
    await append(session, user("go on"));
    expect(await work(session, compactor)).toMatchObject({ outcome: { type: "done" } });
    expect(events).toContainEqual(
      expect.objectContaining({
        level: "warning",
        text: expect.stringContaining("could not read what it had compacted"),
      }),
    );
    const sent = provider.requests.at(-1);
    expect([sent?.path, JSON.stringify(sent?.body).includes("gAAAA")]).toEqual(["/v1/responses", false]);
    expect(JSON.stringify(sent?.body)).toContain("Ship it.");
  });
});

describe("another model", () => {
  test("gets the messages themselves, the first one what it can read, and who looks a list", async () => {
    const { compactor, session } = await conversation(LONG);
    provider.answer(textAnswer("all of it"));
    const short = (await compactor.beforeTurn(read(session, one), during)) ?? [];
    expect(read(session, two)).toEqual(LONG);
    expect(read(session, one)).toEqual(short);
    const [list, ...recent] = read(session, undefined);
    expect([recent, Object.keys(list ?? {})]).toEqual([short.slice(1), ["role", "content"]]);
    expect(JSON.stringify(list)).toContain("99 messages were left out because they did not fit. In them:");
    expect(JSON.stringify(list)).toContain("- the person: build the thing");
  });

  test("in the middle of the work gets its own history, and back again", async () => {
    let chosen = one;
    const big = modelFor("acme/big", { contextWindow: 900_000 });
    const { compactor, session } = await conversation(LONG, { model: () => chosen });
    provider.answer(textAnswer("all of it"));
    const short = (await compactor.beforeTurn(read(session, one), during)) ?? [];
    expect(compactor.size().tokens).toBeLessThan(4000);
    chosen = big;
    expect(await compactor.beforeTurn(short, during)).toEqual(LONG);
    expect(compactor.size().tokens).toBeGreaterThan(14_000);
    expect(await compactor.beforeTurn(LONG, during)).toBeUndefined();
    chosen = one;
    expect(await compactor.beforeTurn(LONG, during)).toEqual(short);
    const fresh = compactorOn(session, { model: () => big }).compactor;
    expect(await fresh.beforeTurn(short, during)).toEqual(LONG);
    expect(provider.requests).toHaveLength(1);
  });

  test("with the larger window it is promoted to gets the messages at once", async () => {
    let chosen = one;
    const big = modelFor("acme/big", { contextWindow: 900_000 });
    const { compactor, session } = await conversation(LONG, { model: () => chosen });
    provider.answer(textAnswer("all of it"));
    await compactor.beforeTurn(read(session, one), during);
    for (const message of toolLoop(60, 1000)) await append(session, message);
    const promoting = compactorOn(session, {
      model: () => chosen,
      promote: async () => {
        chosen = big;
        return big;
      },
    });
    const whole = await promoting.compactor.beforeTurn(read(session, one), during);
    expect(promoting.results()).toEqual([{ type: "promoted", model: "acme/big" }]);
    expect(whole).toEqual([...LONG, ...toolLoop(60, 1000)]);
  });

  test("that is too small for them has them shortened in its own way, which then counts for both", async () => {
    let chosen = one;
    const { compactor, session, results } = await conversation(LONG, {
      model: () => chosen,
      streamModel: asks(() => chosen),
    });
    provider.answer(textAnswer("all of it"), textAnswer("for two"));
    const short = (await compactor.beforeTurn(read(session, one), during)) ?? [];
    chosen = two;
    const own = (await compactor.beforeTurn(short, during)) ?? [];
    expect(results()).toMatchObject([{ way: "server" }, { way: "server" }]);
    expect(own[0]).toMatchObject({ compacted: { model: "two" } });
    expect(JSON.stringify(provider.requests[1]?.body)).not.toContain("gAAAA");
    expect(read(session, one)).toEqual(short);
  });

  test("never writes the summary of what it cannot read", async () => {
    const cheap = modelFor("acme/cheap");
    const summariser = { model: cheap, streamModel: asks(() => cheap) };
    const { compactor, session } = await conversation(LONG, { summariser });
    provider.answer(textAnswer("all of it"), textAnswer(GOOD_SUMMARY));
    await compactor.beforeTurn(read(session, one), during);
    for (const message of toolLoop(20, 1000, "then this")) await append(session, message);
    expect(await compactor.compact({ signal, focus: "the parser" })).toMatchObject({ type: "summarised" });
    expect(provider.requests[1]?.body).toMatchObject({ model: "one" });
    expect(provider.requests[1]?.rawBody).toContain(encrypted("all of it"));
    expect(JSON.stringify(read(session, two)[0])).toContain("Ship it.");
  });

  test("does not count what the first one's provider counted", async () => {
    const { session } = await conversation(LONG);
    const { compactor } = compactorOn(session, {});
    provider.answer(textAnswer("all of it"));
    await compactor.beforeTurn(read(session, one), during);
    const counted: AssistantMessage = {
      ...answer("counted"),
      api: "openai-responses",
      usage: { ...NO_COUNT, input: 3100, output: 10 },
    };
    await append(session, counted);
    expect(compactor.size().tokens).toBe(3110);
    expect(compactorOn(session, { model: () => two }).compactor.size().tokens).toBeGreaterThan(15_000);
  });
});

describe("undo", () => {
  test("brings back every word, and the same is not done again at once", async () => {
    const { compactor, session } = await conversation(LONG);
    provider.answer(textAnswer("all of it"));
    await compactor.beforeTurn(read(session, one), during);
    expect(await compactor.undo()).toMatchObject({ ok: true });
    expect(read(session, one)).toEqual(LONG);
    expect(await compactor.beforeTurn(read(session, one), during)).toBeUndefined();
    expect(provider.requests).toHaveLength(1);
  });

  test("takes back only what the model of the moment sees", async () => {
    const { compactor, session } = await conversation(LONG);
    provider.answer(textAnswer("all of it"));
    await compactor.beforeTurn(read(session, one), during);
    const other = compactorOn(session, { model: () => two }).compactor;
    expect(await other.undo()).toMatchObject({ ok: false });
    expect(await compactor.undo()).toMatchObject({ ok: true });
  });
});

describe("a session on disk", () => {
  test("killed between the answer and its entry is as it was; one that was not sends the same bytes", async () => {
    const workspace = tempWorkspace();
    const places = placesIn(workspace.root);
    const session = opened(await createSession({ places, cwd: workspace.project }));
    for (const message of LONG) await append(session, message);
    const copy = join(workspace.root, "killed.jsonl");
    const streamModel: StreamModel = async (request, options) => {
      const end = await asks(() => one)(request, options);
      copyFileSync(session.path ?? "", copy);
      return end;
    };
    // Long enough to be kept as a blob.
    provider.answer(textAnswer("y".repeat(15_000)));
    const { compactor } = compactorOn(session, { streamModel });
    const after = await compactor.beforeTurn(read(session, one), during);
    await session.close();
    const resumed = opened(await openSession(session.path ?? "", { places }));
    expect(JSON.stringify(read(resumed, one))).toBe(JSON.stringify(after));
    expect(read(resumed, two)).toEqual(LONG);
    await resumed.close();
    const killed = opened(await openSession(copy, { places }));
    expect(read(killed, one)).toEqual(LONG);
    await killed.close();
    workspace.stop();
  });

  test("whose stored result was lost falls back to the messages", async () => {
    const { compactor, session } = await conversation(LONG);
    provider.answer(textAnswer("all of it"));
    await compactor.beforeTurn(read(session, one), during);
    const entries = [...session.entries].map((entry) =>
      entry.type === "compaction" && entry.server !== undefined
        ? { ...entry, server: { ...entry.server, items: "[The stored text is missing.]" } }
        : entry,
    );
    expect(contextOf(entries, session.leafId, one).messages).toEqual(LONG);
  });
});

test("any conversation stays valid and keeps the goal for its model, is whole for another, and undo restores it", async () => {
  const items = JSON.stringify([{ type: "compaction", encrypted_content: "gAAAA" }]);
  const made: ModelEnd = {
    type: "done",
    message: { ...uncounted(answer("")), content: [{ type: "thinking", text: "", encrypted: items }] },
  };
  await fc.assert(
    fc.asyncProperty(anyConversation, fc.constantFrom(2000, 8000, 40_000), async (drafts, contextWindow) => {
      const session = createMemorySession({ cwd: "/w" });
      for (const draft of drafts) await session.append(draft);
      const model = { ...one, contextWindow };
      const before = read(session, model);
      const { compactor } = compactorOn(session, { model: () => model, streamModel: async () => made });
      await compactor.compact({ signal });
      const after = read(session, model);
      expect(providerFaults(after)).toEqual([]);
      expect(JSON.stringify(after)).toContain('"the goal"');
      const types = session.entries.map(({ type }) => type);
      if (!types.includes("pruned")) expect(read(session, two)).toEqual(before);
      while ((await compactor.undo()).ok);
      expect(read(session, model)).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

async function conversation(messages: Message[], over: Partial<CompactorOptions> = {}) {
  const session = createMemorySession({ cwd: "/w" });
  for (const message of messages) await append(session, message);
  return { session, ...compactorOn(session, over) };
}

function compactorOn(
  session: Session,
  over: Partial<CompactorOptions>,
): { compactor: Compactor; events: AgentEvent[]; results(): CompactionResult[] } {
  const events: AgentEvent[] = [];
  const compactor = createCompactor({
    session,
    model: () => one,
    streamModel: asks(() => one),
    request: requestOf,
    settings: SETTINGS,
    isEnabled: () => true,
    toolName: (name) => name,
    clock: systemClock,
    tell: (event) => void events.push(event),
    ...over,
  });
  const results = () => events.flatMap((event) => (event.type === "compaction-end" ? [event.result] : []));
  return { compactor, events, results };
}

function modelFor(name: string, over: Partial<Model> = {}): Model {
  return modelNamed(name, {
    api: "openai-responses",
    baseUrl: `${provider.origin}/v1`,
    contextWindow: 20_000,
    cost: PRICES,
    compat: { compaction: "responses" },
    ...over,
  });
}

function asks(model: () => Model): StreamModel {
  return (request, options) =>
    createStreamModel({
      model: model(),
      credential: { type: "key", key: "k" },
      clock: systemClock,
      random: () => 0,
      userAgent: "test",
      retries: { beforeFirstByte: 0, afterFirstByte: 0 },
    })(request, options);
}

const READ = { name: "read", description: "Reads.", parameters: { type: "object" } };

function requestOf(messages: Message[]): ModelRequest {
  return { system: { base: "You are tested." }, messages, tools: [READ], effort: "off", stream: true };
}

/** The turn loop with a journal, as the coder wires it. */
function work(session: Session, compactor: Compactor) {
  return runTurns(read(session, one), {
    streamModel: asks(() => one),
    request: requestOf,
    findTool: () => undefined,
    unknownTool: () => "",
    beforeTool: async () => ({ type: "allow" }),
    emit: async (event) => {
      if (event.type === "message-end") await append(session, event.message);
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

function read(session: Session, reader: Model | undefined): Message[] {
  return contextOf(session.entries, session.leafId, reader).messages;
}

async function append(session: Session, message: Message): Promise<void> {
  await session.append(said(message));
}
