import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { METHODS } from "../../src/protocol/methods.ts";
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

/** An answer that waits in its middle until it is let go. */
function heldAnswer(text: string) {
  const gate = Promise.withResolvers<void>();
  provider.answer(textAnswer(text, { fault: { type: "hold", afterEvents: 2, until: gate.promise } }));
  return gate.resolve;
}

function saidByPeople(request = provider.requests.at(-1)): string[] {
  const body = request?.body as { messages: { role: string; content: { text?: string }[] }[] } | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.flatMap(({ text }) => (text === undefined ? [] : [text])));
}

describe("prompt", () => {
  test("is answered when the message is on disk, before the model has said a word", async () => {
    await using coder = await open();
    const release = heldAnswer("Hello.");
    expect(await coder.call("prompt", { message: saying("hi") })).toEqual({ ok: true, result: { as: "prompt" } });
    expect(workspace.read(workspace.find("ralph-home/data/sessions/**/*.jsonl")[0] ?? "")).toContain('"text":"hi"');
    release();
    expect((await coder.next("agent-end")).outcome).toEqual({ type: "done" });
  });

  test("needs to know what becomes of it while the agent works", async () => {
    await using coder = await open();
    const release = heldAnswer("Hello.");
    await coder.call("prompt", { message: saying("one") });
    expect(await coder.call("prompt", { message: saying("two") })).toEqual({
      ok: false,
      error: {
        code: "busy",
        message: "The agent is working. Say whether the message steers it or waits until it is done.",
      },
    });
    expect(await coder.call("prompt", { message: saying("three"), whileBusy: "follow-up" })).toEqual({
      ok: true,
      result: { as: "follow-up" },
    });
    release();
    await coder.next("agent-end");
    expect(saidByPeople()).toEqual(["one", "three"]);
  });

  test("leaves nothing half begun when it cannot be stored", async () => {
    await using coder = await open();
    await coder.session.close();
    const answer = await coder.call("prompt", { message: saying("one") });
    expect(answer).toMatchObject({ ok: false, error: { code: "not-stored" } });
    expect([coder.events, provider.requests]).toEqual([[], []]);
  });
});

describe("what is said while the agent works", () => {
  test("is on disk at once and is sent after a kill", async () => {
    const release = heldAnswer("Hello.");
    const first = await open();
    await first.call("prompt", { message: saying("one") });
    await first.call("steer", { message: saying("steer") });
    await first.call("follow_up", { message: saying("later") });
    await first.call("follow_up", { message: saying("never mind") });
    expect(await first.call("take_back", {})).toEqual({ ok: true, result: { message: saying("never mind") } });
    // What a kill leaves behind is the file as it is now.
    const [file = ""] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
    const left = workspace.read(file);
    await first.call("abort", {});
    release();
    await first[Symbol.asyncDispose]();
    await using second = await open({ resume: workspace.write(file, left) });
    const state = await second.call("get_state", {});
    expect(state.ok && state.result.waiting).toEqual([
      { kind: "steering", message: saying("steer") },
      { kind: "follow-up", message: saying("later") },
    ]);
    await second.call("prompt", { message: saying("two") });
    await second.next("agent-end");
    expect(saidByPeople()).toEqual(["one", "two", "steer", "later"]);
  });

  test("stays waiting when the work is stopped, and begins the next work", async () => {
    await using coder = await open();
    const release = heldAnswer("Hello.");
    await coder.call("prompt", { message: saying("one") });
    await coder.call("follow_up", { message: saying("later") });
    expect(await coder.call("abort", {})).toEqual({ ok: true, result: { wasBusy: true } });
    release();
    expect((await coder.next("agent-end")).outcome).toEqual({ type: "interrupted" });
    expect(await coder.call("abort", {})).toEqual({ ok: true, result: { wasBusy: false } });
    const state = await coder.call("get_state", {});
    expect(state.ok && state.result.waiting).toEqual([{ kind: "follow-up", message: saying("later") }]);
    await coder.call("steer", { message: saying("two") });
    await coder.next("agent-end");
    expect(saidByPeople()).toEqual(["one", "two", "later"]);
  });
});

describe("asks and questions", () => {
  test("wait for the first answer of any face", async () => {
    await using coder = await open();
    provider.answer(toolCallAnswer({ name: "write_file", input: { path: "a.txt", content: "x" } }), textAnswer("ok"));
    await coder.call("prompt", { message: saying("write") });
    const { ask } = await coder.next("ask-start");
    expect(ask).toEqual({
      id: ask.id,
      tool: "write_file",
      toolCallId: "call_1",
      category: "file_write",
      resources: [`${workspace.project}/a.txt`],
      rules: ["Write(a.txt)"],
      summary: "Write a.txt (1 bytes)",
      reason: "file_write needs a yes",
      digest: ask.digest,
      boundTo: [`${workspace.project}/a.txt`, `the folder of ${workspace.project}/a.txt`],
      options: ["yes", "session", "always", "no", "never"],
      expiresAt: ask.expiresAt,
    });
    const state = await coder.call("get_state", {});
    expect(state.ok && state.result.asks).toEqual([ask]);
    expect(await coder.call("answer", { askId: ask.id, answer: "always", rules: ["Write", " nonsense"] })).toEqual({
      ok: false,
      error: {
        code: "invalid",
        message: '" nonsense" is no rule: rules begin with Read, Write, Edit, Bash, WebFetch, Mcp.',
      },
    });
    expect(await coder.call("answer", { askId: ask.id, answer: "yes" })).toEqual({ ok: true, result: {} });
    expect(await coder.call("answer", { askId: ask.id, answer: "no" })).toMatchObject({
      error: { code: "already-answered" },
    });
    await coder.next("agent-end");
    expect(workspace.read("project/a.txt")).toBe("x");
  });

  test("are settled when the work is stopped", async () => {
    await using coder = await open();
    provider.answer(toolCallAnswer({ name: "ask_user", input: { question: "Which?", options: ["a", "b"] } }));
    await coder.call("prompt", { message: saying("ask") });
    const { questionId, question, options, multi } = await coder.next("question-start");
    expect([question, options, multi]).toEqual(["Which?", ["a", "b"], false]);
    await coder.call("abort", {});
    expect(await coder.next("question-end")).toEqual({ type: "question-end", questionId });
    expect((await coder.next("agent-end")).outcome).toEqual({ type: "interrupted" });
  });

  test("give the model the person's words", async () => {
    await using coder = await open();
    provider.answer(toolCallAnswer({ name: "ask_user", input: { question: "Which?" } }), textAnswer("ok"));
    await coder.call("prompt", { message: saying("ask") });
    const { questionId } = await coder.next("question-start");
    await coder.call("answer_question", { questionId, answers: ["the red one"] });
    await coder.next("agent-end");
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("the red one");
  });
});

describe("modes", () => {
  test("a person chose to keep the model from writing are only left with their consent", async () => {
    await using coder = await open({ yolo: true });
    await coder.call("set_mode", { mode: "plan" });
    const leave = toolCallAnswer({ name: "switch_mode", input: { mode: "default" } });
    const write = toolCallAnswer({ name: "write_file", input: { path: "a.txt", content: "x" } });
    provider.answer(leave, write, leave, write, textAnswer("ok"));
    await coder.call("prompt", { message: saying("go") });
    await coder.call("answer_question", {
      questionId: (await coder.next("question-start")).questionId,
      answers: ["no"],
    });
    const second = await coder.next("question-start");
    expect(workspace.find("project/a.txt")).toEqual([]);
    await coder.call("answer_question", { questionId: second.questionId, answers: ["yes"] });
    await coder.next("agent-end");
    expect(workspace.read("project/a.txt")).toBe("x");
  });

  test("are not left at all where nobody can be asked, and the model may leave its own", async () => {
    await using coder = await open({ yolo: true, hasPerson: () => false });
    const to = (mode: string) => toolCallAnswer({ name: "switch_mode", input: { mode } });
    provider.answer(to("explore"), to("default"), textAnswer("ok"), to("default"), textAnswer("ok"));
    await coder.call("prompt", { message: saying("go") });
    await coder.next("agent-end");
    await coder.call("set_mode", { mode: "plan" });
    await coder.call("prompt", { message: saying("go on") });
    await coder.next("agent-end");
    const results = coder.events.filter((event) => event.type === "tool-end").map(({ result }) => result.isError);
    expect(results).toEqual([false, false, true]);
    expect(await coder.call("set_mode", { mode: "none" })).toMatchObject({ error: { code: "invalid" } });
  });
});

describe("a prompt", () => {
  test("has the whole conversation before it, also where something else is being stored at that moment", async () => {
    await using coder = await open();
    await coder.call("prompt", { message: saying("one") });
    await coder.next("agent-end");
    const asked = coder.call("prompt", { message: saying("two") });
    const stop = { now: false };
    // Entries come one after the other while the prompt begins, as an undo or a changed name writes them.
    const storing = (async () => {
      while (!stop.now) await coder.session.append({ type: "name", name: "again" }, "soon");
    })();
    await asked;
    await coder.next("agent-end");
    stop.now = true;
    await storing;
    const counts = provider.requests.map(({ body }) => (body as { messages: unknown[] }).messages.length);
    expect(counts).toEqual([1, 3]);
  });
});

describe("choices", () => {
  test("count from the next request, are kept for a resume, and are told to every face", async () => {
    const first = await open();
    await first.call("prompt", { message: saying("one") });
    await first.next("agent-end");
    await first.call("set_model", { model: "test/two" });
    await first.call("set_effort", { effort: "high" });
    await first.call("set_mode", { mode: "review" });
    await first.call("set_name", { name: "a name" });
    await first.call("set_tasks", { tasks: [{ id: "1", content: "look", status: "pending", priority: "medium" }] });
    await first.call("set_queue_modes", { interrupt: "wait" });
    expect(await first.call("set_model", { model: "other/x" })).toEqual({
      ok: false,
      error: { code: "unavailable", message: "There is no other/x." },
    });
    await first.call("prompt", { message: saying("two") });
    await first.next("agent-end");
    expect(provider.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["one", "two"]);
    const before = await first.call("get_state", {});
    expect(first.events.filter(({ type }) => type === "state-changed")).toHaveLength(6);
    const file = first.session.path ?? "";
    await first[Symbol.asyncDispose]();
    await using second = await open({ resume: file });
    const after = await second.call("get_state", {});
    expect(before.ok && after.ok && { ...after.result, model: "test/two", effort: "high" }).toEqual(
      before.ok && {
        ...before.result,
        queueModes: { steering: "one-at-a-time", followUp: "one-at-a-time", interrupt: "immediate" },
      },
    );
  });

  test("branch: the next message hangs on an earlier entry, and what came after it stays in the file", async () => {
    await using coder = await open();
    for (const text of ["one", "two"]) {
      await coder.call("prompt", { message: saying(text) });
      await coder.next("agent-end");
    }
    const entries = [...coder.session.entries];
    const answer = entries.find((entry) => entry.type === "message" && entry.message.role === "assistant");
    expect(await coder.call("branch", { entryId: answer?.id ?? "" })).toEqual({
      ok: true,
      result: { leafId: answer?.id ?? "" },
    });
    expect(await coder.call("branch", { entryId: "nowhere" })).toMatchObject({ error: { code: "not-found" } });
    await coder.call("prompt", { message: saying("three") });
    await coder.next("agent-end");
    expect(saidByPeople()).toEqual(["one", "three"]);
    expect([...coder.session.entries].slice(0, entries.length)).toEqual(entries);
  });
});

test("every method answers what its schema says", async () => {
  await using coder = await open();
  await coder.call("prompt", { message: saying("one") });
  await coder.next("agent-end");
  for (const name of ["get_state", "get_messages"] as const) {
    const answer = await coder.call(name, {});
    expect(answer.ok && METHODS[name].result.parse(answer.result)).toEqual(answer.ok && answer.result);
  }
});

describe("a command of the person", () => {
  test("is shown in the state while it runs, is stopped, and the model is told with the next message", async () => {
    await using coder = await open();
    const running = coder.call("run_command", { command: "echo seen; exec sleep 300" });
    const state = await coder.call("get_state", {});
    expect(state.ok && state.result.command).toBe("echo seen; exec sleep 300");
    expect(await coder.call("run_command", { command: "true" })).toEqual({
      ok: false,
      error: { code: "failed", message: "A command of yours still runs. Stop it first." },
    });
    expect(await coder.call("stop_command", {})).toEqual({ ok: true, result: {} });
    const ran = await running;
    expect(ran.ok && [ran.result.isStopped, ran.result.exitCode]).toEqual([true, undefined]);
    provider.answer(textAnswer("I see."));
    await coder.call("prompt", { message: saying("well?") });
    await coder.next("agent-end");
    expect(saidByPeople()[0]).toContain("$ echo seen; exec sleep 300");
  });
});

describe("commands beside the conversation", () => {
  test("are listed, read and ended, and the state tells how many run", async () => {
    await using coder = await open({ yolo: true });
    const command = "echo begun; exec sleep 300";
    provider.answer(toolCallAnswer({ name: "shell", input: { command, background: true } }), textAnswer("It runs."));
    await coder.call("prompt", { message: saying("start it") });
    await coder.next("agent-end");
    const listed = await coder.call("list_jobs", {});
    const [job] = listed.ok ? listed.result.jobs : [];
    expect(job).toEqual({
      id: "job-1",
      command,
      startedAt: expect.any(Number),
      isRunning: true,
      standing: "running.",
      log: expect.stringContaining("job-1-"),
    });
    expect(await runningJobs(coder)).toBe(1);
    // What it prints comes with the next round of the event loop.
    while ((await read(coder)) === "") await Bun.sleep(1);
    expect(await read(coder)).toBe("begun\n");
    const ended = await coder.call("end_job", { jobId: "job-1" });
    expect(ended.ok && ended.result.job.isRunning).toBe(false);
    expect(await runningJobs(coder)).toBe(0);
    expect(coder.events.flatMap((event) => (event.type === "state-changed" ? [event.state.jobs] : []))).toEqual(
      expect.arrayContaining([1, 0]),
    );
    expect(await coder.call("read_job", { jobId: "job-9" })).toEqual({
      ok: false,
      error: { code: "not-found", message: "There is no job job-9." },
    });
    expect(await coder.call("end_job", { jobId: "job-9" })).toEqual({
      ok: false,
      error: { code: "not-found", message: "There is no job job-9." },
    });
  });

  const runningJobs = async (coder: TestCoder) => {
    const state = await coder.call("get_state", {});
    return state.ok ? state.result.jobs : undefined;
  };
  const read = async (coder: TestCoder) => {
    const answer = await coder.call("read_job", { jobId: "job-1" });
    return answer.ok ? answer.result.output : undefined;
  };
});

describe("a place in a session", () => {
  test("gets a name that is kept, and loses it", async () => {
    await using coder = await open();
    provider.answer(textAnswer("Hello."));
    await coder.call("prompt", { message: saying("hi") });
    await coder.next("agent-end");
    const [first] = [...coder.session.entries].filter(({ type }) => type === "message");
    const entryId = first?.id ?? "";
    expect(await coder.call("set_label", { entryId, label: "start" })).toEqual({
      ok: true,
      result: { label: "start" },
    });
    expect(await coder.call("set_label", { entryId, label: null })).toEqual({ ok: true, result: { label: null } });
    const labels = [...coder.session.entries].flatMap((entry) =>
      entry.type === "label" ? [[entry.targetId, entry.label]] : [],
    );
    expect(labels).toEqual([
      [entryId, "start"],
      [entryId, null],
    ]);
    expect(await coder.call("set_label", { entryId: "nowhere", label: "x" })).toEqual({
      ok: false,
      error: { code: "not-found", message: "The session has no entry nowhere." },
    });
  });
});
