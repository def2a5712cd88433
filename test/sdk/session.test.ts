import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createPromptTemplate, RalphError, SessionManager } from "../../src/sdk.ts";
import { FIRST_PIECE } from "../support/breaking-answer.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { bodies, openSdkDoor, type SdkDoor, saidIn } from "../support/sdk-door.ts";

let door: SdkDoor;

beforeEach(async () => {
  door = await openSdkDoor();
});
afterEach(() => door[Symbol.asyncDispose]());

const TOTALS = { turns: 1, usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 } };

/** An answer that stands still behind its first piece until it is let go. */
function heldAnswer(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const fault = { type: "hold", afterEvents: FIRST_PIECE, until: promise } as const;
  return { answer: textAnswer(text, { fault }), letGo: resolve };
}

function fails(work: Promise<unknown>): Promise<{ code: string; message: string } | undefined> {
  return work.then(
    () => undefined,
    (error) => (error instanceof RalphError ? { code: error.code, message: error.message } : error),
  );
}

describe("a prompt", () => {
  test("resolves when the work is done, and is told in the events of RPC", async () => {
    door.provider.answer(textAnswer("All good"));
    const { session, events } = await door.create();
    const result = await session.prompt("hello");
    expect(result).toEqual({ outcome: { type: "done" }, totals: expect.objectContaining(TOTALS), text: "All good" });
    expect(events.map(({ type }) => type)).toEqual([
      "agent_start",
      "message_start",
      "message_end",
      "turn_start",
      "message_start",
      ...Array<"message_update">(4).fill("message_update"),
      "message_end",
      "turn_end",
      "agent_end",
    ]);
    const pieces = events.flatMap((event) =>
      event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"
        ? [event.assistantMessageEvent.delta]
        : [],
    );
    expect(pieces).toEqual(["All ", "good"]);
    expect((await session.messages()).map(({ role, content }) => ({ role, content }))).toEqual([
      { role: "user", content: [{ type: "text", text: "hello" }] },
      { role: "assistant", content: [{ type: "text", text: "All good" }] },
    ]);
  });

  test("that the provider refuses resolves with the reason", async () => {
    door.provider.answer(textAnswer("", { fault: { type: "status", status: 401 } }));
    const { session } = await door.create();
    const { outcome } = await session.prompt("hello");
    expect(outcome).toMatchObject({ type: "failed", error: { kind: "credentials" } });
  });

  test("carries pictures, and one that is none is refused before anything is sent", async () => {
    const { session } = await door.create();
    const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await session.prompt("look", { images: [{ type: "image", data: picture, mimeType: "image/png" }] });
    expect(JSON.stringify(bodies(door)[0]?.messages)).toContain(picture);
    const wrong = session.prompt("look", { images: [{ type: "image", data: "%", mimeType: "image/png" }] });
    expect(await fails(wrong)).toEqual({ code: "invalid", message: "The data of an image is not base64." });
    expect(await fails(session.prompt(" "))).toEqual({ code: "invalid", message: "The message is empty." });
    expect(door.provider.requests.length).toBe(1);
  });

  test("stands for its template; a path and an unknown name stand for themselves", async () => {
    const promptTemplates = [createPromptTemplate("fix", "Fix $1 in $ARGUMENTS")];
    const { session } = await door.create({ promptTemplates });
    await session.prompt("/fix bug main.ts");
    await session.prompt("/etc/hosts is what?");
    await session.prompt("/fix this", { expandPromptTemplates: false });
    await session.sendUserMessage("/fix that");
    expect(saidIn(bodies(door).at(-1) ?? never())).toEqual([
      "Fix bug in bug main.ts",
      "/etc/hosts is what?",
      "/fix this",
      "/fix that",
    ]);
  });

  test("given while the agent works says how it is meant, or is refused", async () => {
    const held = heldAnswer("First answer");
    door.provider.answer(held.answer, ...["Second", "Third", "Last"].map((text) => textAnswer(text)));
    const { session } = await door.create();
    const first = session.prompt("one");
    await door.provider.nextRequest();
    expect(await fails(session.prompt("two"))).toEqual({
      code: "busy",
      message: "The agent is working. Say whether the message steers it or waits until it is done.",
    });
    const later = session.prompt("later", { streamingBehavior: "followUp" });
    const steered = session.sendUserMessage("now", { deliverAs: "steer" });
    await session.steer("also");
    held.letGo();
    const results = await Promise.all([first, later, steered]);
    expect(results.map(({ outcome, text }) => [outcome.type, text])).toEqual([
      ["done", "Last"],
      ["done", "Last"],
      ["done", "Last"],
    ]);
    expect(saidIn(bodies(door).at(-1) ?? never())).toEqual(["one", "now", "also", "later"]);
  });

  test("ends with the reason when it is stopped; what waits stays and comes with the next one", async () => {
    const held = heldAnswer("Never whole");
    door.provider.answer(held.answer);
    const { session } = await door.create();
    const work = session.prompt("one");
    await door.provider.nextRequest();
    const waiting = session.prompt("two", { streamingBehavior: "followUp" });
    await session.followUp("three");
    await session.abort();
    held.letGo();
    expect([(await work).outcome, (await waiting).outcome]).toEqual([{ type: "interrupted" }, { type: "interrupted" }]);
    await session.prompt("four");
    expect(saidIn(bodies(door).at(-1) ?? never())).toEqual(["one", "four", "two", "three"]);
  });

  test("without a model that could answer is refused, and the result says why", async () => {
    const { ANTHROPIC_API_KEY: _, ...environment } = door.environment;
    const { session, modelFallbackMessage } = await door.create({ environment });
    expect(modelFallbackMessage).toContain("No model can be used");
    expect(await fails(session.prompt("hello"))).toEqual({
      code: "unavailable",
      message: modelFallbackMessage ?? "",
    });
    expect(session.model).toBeUndefined();
  });
});

describe("a message of the program", () => {
  test("waits for the next prompt without a turn of its own, and is told when it is stored", async () => {
    const { session, events } = await door.create();
    await session.sendCustomMessage({ customType: "ci", content: "The build is red.", details: { run: 7 } });
    expect(door.provider.requests.length).toBe(0);
    expect(events).toEqual([
      { type: "message_start", message: { role: "user", content: [{ type: "text", text: "The build is red." }] } },
      { type: "message_end", message: { role: "user", content: [{ type: "text", text: "The build is red." }] } },
    ]);
    await session.prompt("why?");
    expect(saidIn(bodies(door)[0] ?? never())).toEqual(["The build is red.", "why?"]);
    const kept = (await Bun.file(session.sessionFile ?? "").text())
      .split("\n")
      .filter((line) => line.includes('"custom"'));
    expect(kept.map((line) => JSON.parse(line))).toMatchObject([
      { type: "custom", kind: "custom-message", data: { customType: "ci", details: { run: 7 } } },
    ]);
  });

  test("begins work where it is to, steers, follows, or waits for the next prompt while there is some", async () => {
    const held = heldAnswer("Working on it");
    door.provider.answer(textAnswer("Seen"), held.answer);
    const { session } = await door.create();
    await session.sendCustomMessage({ customType: "ci", content: "red" }, { triggerTurn: true });
    expect(saidIn(bodies(door)[0] ?? never())).toEqual(["red"]);
    const work = session.prompt("go");
    await door.provider.nextRequest();
    await door.provider.nextRequest();
    await session.sendCustomMessage({ customType: "ci", content: "next" }, { deliverAs: "nextTurn" });
    await session.sendCustomMessage({ customType: "ci", content: "after" }, { deliverAs: "followUp" });
    await session.sendCustomMessage({ customType: "ci", content: "now" });
    held.letGo();
    await work;
    expect(saidIn(bodies(door).at(-1) ?? never())).toEqual(["red", "go", "now", "after"]);
    await session.prompt("and?");
    expect(saidIn(bodies(door).at(-1) ?? never())).toEqual(["red", "go", "now", "after", "next", "and?"]);
  });
});

describe("a session", () => {
  test("in a file is found again, goes on, and says which model it could not keep", async () => {
    const { session } = await door.create({ modelPattern: "anthropic/claude-opus-4-8" });
    await session.prompt("remember me");
    const { sessionFile = "", sessionId } = session;
    await session.dispose();
    const { agentDir } = door;
    const [row, ...others] = await SessionManager.list(door.workspace.project, agentDir);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ id: sessionId, path: sessionFile, preview: "remember me", messageCount: 2 });
    const again = await door.create({
      sessionManager: await SessionManager.continueRecent(door.workspace.project, agentDir),
    });
    expect([again.session.sessionFile, again.session.model?.id, again.modelFallbackMessage]).toEqual([
      sessionFile,
      "claude-opus-4-8",
      undefined,
    ]);
    expect((await again.session.messages()).length).toBe(2);
    await again.session.dispose();
    door.workspace.write(
      "ralph-home/config/config.yml",
      "disabledProviders: [anthropic]\nmodel: openai/gpt-5.5\ndiscovery.local: false\n",
    );
    const without = await door.create({
      sessionManager: await SessionManager.open(sessionFile),
      environment: { ...door.environment, OPENAI_API_KEY: "sk-fake", OPENAI_BASE_URL: door.provider.origin },
    });
    expect(without.modelFallbackMessage).toStartWith(
      "The session used anthropic/claude-opus-4-8, which cannot be used now:",
    );
    expect(without.modelFallbackMessage).toEndWith("It goes on with openai/gpt-5.5.");
  });

  test("that is open already is refused, wherever it is opened", async () => {
    const { session } = await door.create();
    await session.prompt("mine");
    const sessionManager = await SessionManager.open(session.sessionFile ?? "");
    expect((await fails(door.create({ sessionManager })))?.message).toContain("is open in ralph");
    expect(await fails(SessionManager.open("/tmp/sessions/x/notes.txt"))).toMatchObject({ code: "invalid" });
    expect(
      await fails(SessionManager.open(`${session.sessionFile}`.replace(/_\w+\./, "_0000."))).then(
        (error) => error?.code,
      ),
    ).toBe("not-found");
  });

  test("that is kept in memory leaves no file and no session to go on with", async () => {
    const { session } = await door.create({ sessionManager: SessionManager.inMemory() });
    await session.prompt("forget me");
    expect(session.sessionFile).toBeUndefined();
    expect(await fails(session.switchSession("abc"))).toMatchObject({ code: "failed" });
    await session.newSession();
    await session.prompt("again");
    expect(saidIn(bodies(door)[1] ?? never())).toEqual(["again"]);
    await session.dispose();
    expect(door.workspace.find("ralph-home/data/sessions/**")).toEqual([]);
  });

  test("changes for another one and back, and branches", async () => {
    const { session } = await door.create();
    await session.prompt("first");
    const first = { id: session.sessionId, file: session.sessionFile ?? "" };
    await session.newSession({ parentSession: first.id });
    await session.prompt("second");
    await session.switchSession(first.file);
    expect(session.sessionId).toBe(first.id);
    await session.prompt("more");
    const [start] = await session.branchMessages();
    expect(await session.branch(start?.entryId ?? "")).toBe("first");
    await session.prompt("first, differently");
    expect(bodies(door).map((body) => saidIn(body))).toEqual([
      ["first"],
      ["second"],
      ["first", "more"],
      ["first, differently"],
    ]);
    expect(await fails(session.branch("nowhere"))).toEqual({
      code: "not-found",
      message: "The session has no prompt nowhere.",
    });
    expect(await session.stats()).toMatchObject({ sessionId: first.id, userMessages: 1, assistantMessages: 1 });
  });

  test("changes its model and how hard it thinks, and tells its state", async () => {
    const { session, events } = await door.create({ modelPattern: "anthropic/claude-sonnet-4-6" });
    await session.setModel("anthropic/claude-opus-4-8");
    expect(await session.setThinkingLevel("low")).toBe("low");
    await session.prompt("hello");
    expect(bodies(door)[0]?.model).toBe("claude-opus-4-8");
    expect(await session.state()).toMatchObject({
      model: { provider: "anthropic", id: "claude-opus-4-8" },
      thinkingLevel: "low",
      isStreaming: false,
      sessionId: session.sessionId,
      messageCount: 2,
      systemPrompt: [session.systemPrompt],
    });
    expect(events.filter(({ type }) => type === "thinking_level_changed")).toEqual([
      { type: "thinking_level_changed", thinkingLevel: "low" },
    ]);
    expect((await fails(session.setModel("anthropic/nobody")))?.code).toBe("unavailable");
    expect((await fails(session.compact()))?.code).toBe("failed");
  });

  test("that is disposed does nothing more and says so; disposing twice is once", async () => {
    const { session } = await door.create();
    await session.dispose();
    await session.dispose();
    const closed = { code: "disposed", message: "The session is closed. Make another one." };
    expect(await fails(session.prompt("hello"))).toEqual(closed);
    expect(await fails(session.messages())).toEqual(closed);
    expect(() => session.setActiveToolsByName([])).toThrow(closed.message);
  });

  test("is stopped by disposing it, and whoever waits for it hears that", async () => {
    const held = heldAnswer("Never");
    door.provider.answer(held.answer);
    const { session } = await door.create();
    const work = session.prompt("hello");
    await door.provider.nextRequest();
    await session.dispose();
    expect((await work).outcome).toEqual({ type: "interrupted" });
    held.letGo();
  });
});

describe("events", () => {
  test("stop for who unsubscribes, and come on the bus with the session they are of", async () => {
    const { session, eventBus } = await door.create();
    const heard: string[] = [];
    const onBus: unknown[] = [];
    const stop = session.subscribe(({ type }) => void heard.push(type));
    const stopBus = eventBus.on("agent_start", (data) => void onBus.push(data));
    await session.prompt("one");
    stop();
    stopBus();
    const before = heard.length;
    await session.prompt("two");
    expect([before > 0, heard.length]).toEqual([true, before]);
    expect(onBus).toEqual([{ sessionId: session.sessionId, event: { type: "agent_start" } }]);
  });

  test("say what is wrong in files of the person, as notices of the session", async () => {
    door.workspace.write("ralph-home/config/config.yml", "modle: x\n");
    const { session } = await door.create();
    expect(session.notices).toEqual([
      expect.stringMatching(/config\.yml:1: modle: there is no such setting \(nearest: model\); it is left out\.$/),
    ]);
  });

  test("two sessions in one process keep to themselves", async () => {
    const one = await door.create({ modelPattern: "anthropic/claude-opus-4-8" });
    const two = await door.create({ sessionManager: SessionManager.inMemory(), toolNames: ["read"] });
    door.provider.answer(toolCallAnswer({ name: "list_dir", input: {} }), textAnswer("One"));
    await one.session.prompt("first");
    await two.session.prompt("second");
    await one.session.dispose();
    expect((await two.session.prompt("third")).outcome).toEqual({ type: "done" });
    expect(bodies(door).map((body) => [saidIn(body).at(-1), body.tools?.length])).toEqual([
      ["first", 8],
      ["first", 8],
      ["second", 1],
      ["third", 1],
    ]);
    expect(two.events.some(({ type }) => type === "tool_execution_start")).toBe(false);
  });
});

function never(): never {
  throw new Error("there is nothing");
}
