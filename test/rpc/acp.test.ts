import { describe, expect, test } from "bun:test";
import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import type { AgentEvent, AgentOutcome } from "../../src/protocol/agent-events.ts";
import type { AskOption } from "../../src/protocol/asks.ts";
import type { Message, ToolResultMessage } from "../../src/protocol/messages.ts";
import { CallIds } from "../../src/rpc/acp/call-ids.ts";
import { historyUpdates } from "../../src/rpc/acp/history-updates.ts";
import { permissionAnswer, permissionOptions } from "../../src/rpc/acp/permission-request.ts";
import { promptMessage } from "../../src/rpc/acp/prompt-message.ts";
import {
  buttonAnswer,
  formAnswers,
  type Question,
  questionButtons,
  questionForm,
} from "../../src/rpc/acp/questions.ts";
import { sessionPage } from "../../src/rpc/acp/session-page.ts";
import { SessionUpdates, type ShownState } from "../../src/rpc/acp/session-updates.ts";
import { promptEnd } from "../../src/rpc/acp/stop-reason.ts";
import { changedFile, shapeOf } from "../../src/rpc/acp/tool-shapes.ts";
import { createUpdateOutbox, MOST_WAITING } from "../../src/rpc/acp/update-outbox.ts";

const CWD = "/code";
const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const text = (words: string): ContentBlock => ({ type: "text", text: words });

describe("a prompt of an editor", () => {
  test("is the words as they were written, with what is linked and embedded in its place", () => {
    expect(
      promptMessage([
        text("Look at "),
        { type: "resource_link", name: "a & b.ts", uri: "file:///code/a%20b.ts" },
        text(" and "),
        { type: "resource_link", name: "page", uri: "https://example.com" },
        { type: "resource", resource: { uri: "file:///code/c.ts", text: "const c = 1;\n" } },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "resource", resource: { uri: "x://y", blob: "BBBB", mimeType: "application/pdf" } },
      ]),
    ).toEqual({
      ok: true,
      message: {
        role: "user",
        content: [
          {
            type: "text",
            text: 'Look at <resource name="a &amp; b.ts" path="/code/a b.ts" /> and <resource name="page" uri="https://example.com" />\n\n<file path="/code/c.ts">\nconst c = 1;\n</file>',
          },
          { type: "image", mediaType: "image/png", data: "AAAA" },
          { type: "image", mediaType: "application/pdf", data: "BBBB" },
        ],
      },
    });
  });

  test("is refused with what is wrong, never sent in part", () => {
    const refused = (block: ContentBlock) => {
      const read = promptMessage([text("words"), block]);
      return read.ok ? "taken" : read.message;
    };
    expect([
      refused({ type: "audio", data: "", mimeType: "audio/wav" }),
      refused({ type: "image", data: "", mimeType: "image/tiff" }),
      ...["", "!!!!", "AAA", "AA A"].map((data) => refused({ type: "image", data, mimeType: "image/png" })),
      refused({ type: "resource", resource: { uri: "x://y", blob: "" } }),
      promptMessage([text(" \n")]),
      promptMessage([]),
    ]).toEqual([
      "A prompt cannot hold audio.",
      "image/tiff cannot be sent: PNG, JPEG, GIF, WebP and PDF can.",
      ...Array<string>(4).fill("The data of a picture (image/png) is not base64."),
      "x://y holds bytes without a type, which cannot be sent.",
      { ok: false, message: "The prompt is empty." },
      { ok: false, message: "The prompt is empty." },
    ]);
  });
});

describe("a permission", () => {
  const OPTIONS = ["yes", "session", "always", "no", "never"] as const satisfies readonly AskOption[];

  test("offers what the ask offers and nothing else, with the rule that is kept", () => {
    expect(permissionOptions({ options: [...OPTIONS], rules: ["Bash(a $& b)"] })).toEqual([
      { optionId: "yes", kind: "allow_once", name: "Yes" },
      { optionId: "session", kind: "allow_always", name: "For this session: Bash(a $& b)" },
      { optionId: "always", kind: "allow_always", name: "Always: Bash(a $& b)" },
      { optionId: "no", kind: "reject_once", name: "No" },
      { optionId: "never", kind: "reject_always", name: "Never: Bash(a $& b)" },
    ]);
    fc.assert(
      fc.property(fc.subarray([...OPTIONS]), (options) => {
        expect(permissionOptions({ options }).map(({ optionId }) => optionId)).toEqual(options);
      }),
    );
  });

  test("whatever comes back that was not offered is a no", () => {
    fc.assert(
      fc.property(
        fc.subarray([...OPTIONS]),
        fc.oneof(fc.string(), fc.constantFrom(...OPTIONS)),
        (options, optionId) => {
          const answer = permissionAnswer({ outcome: "selected", optionId }, { options });
          expect(answer).toBe(options.find((option) => option === optionId) ?? "no");
        },
      ),
    );
    expect(permissionAnswer({ outcome: "cancelled" }, { options: ["yes"] })).toBe("no");
  });
});

describe("a question of the model", () => {
  const question = (more: Partial<Question>): Question => ({
    type: "question-start",
    questionId: "q",
    question: "Which?",
    options: ["a", "b"],
    multi: false,
    ...more,
  });

  test("is a form that gives back what was chosen or written", () => {
    const properties = (asked: Question) => questionForm(asked, "s").requestedSchema.properties?.answer;
    expect([
      properties(question({})),
      properties(question({ multi: true })),
      properties(question({ options: [] })),
    ]).toEqual([
      { type: "string", title: "Answer", enum: ["a", "b"] },
      { type: "array", title: "Answer", items: { type: "string", enum: ["a", "b"] } },
      { type: "string", title: "Answer" },
    ]);
    expect([
      formAnswers({ action: "accept", content: { answer: "a" } }),
      formAnswers({ action: "accept", content: { answer: ["a", "b"] } }),
      formAnswers({ action: "accept", content: { answer: "" } }),
      formAnswers({ action: "accept" }),
      formAnswers({ action: "decline" }),
    ]).toEqual([["a"], ["a", "b"], undefined, undefined, undefined]);
  });

  test("is a row of buttons where there are no forms, and nothing where a text is wanted", () => {
    expect(questionButtons(question({}))?.map(({ optionId, name }) => [optionId, name])).toEqual([
      ["option-0", "a"],
      ["option-1", "b"],
      ["declined", "No answer"],
    ]);
    expect(questionButtons(question({ options: [] }))).toBeUndefined();
    expect(["option-1", "option-2", "declined", "b"].map((id) => buttonAnswer(id, question({})))).toEqual([
      ["b"],
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("how a prompt ends", () => {
  test("is a reason of the protocol, with words where that says too little, or a failure", () => {
    const error = (kind: "aborted" | "credentials" | "server") => ({ kind, message: "m", retryable: false });
    const outcomes: AgentOutcome[] = [
      { type: "done" },
      { type: "interrupted" },
      { type: "refused" },
      { type: "truncated" },
      { type: "limit-reached", limit: "tokens", allowed: 5 },
      { type: "limit-reached", limit: "turns", allowed: 5 },
      { type: "repeating", what: "x", times: 3 },
      { type: "failed", error: error("aborted") },
      { type: "failed", error: error("credentials") },
      { type: "failed", error: error("server") },
      { type: "not-stored", message: "full" },
    ];
    const short = outcomes
      .map(promptEnd)
      .map((end) => (end.ok ? [end.stopReason, end.words] : [end.needsCredentials, end.message]));
    expect(short).toEqual([
      ["end_turn", undefined],
      ["cancelled", undefined],
      ["refusal", undefined],
      ["max_tokens", undefined],
      ["max_tokens", "Stopped: the limit of 5 tokens is reached."],
      ["max_turn_requests", "Stopped: the limit of 5 turns is reached."],
      ["end_turn", "Stopped: the model repeats itself (x, 3 times). Say what it should do differently."],
      ["cancelled", undefined],
      [true, "m"],
      [false, "m"],
      [false, "full"],
    ]);
  });
});

describe("a tool call", () => {
  test("has a title, a kind and places, under every name models use", () => {
    const shape = (name: string, input: Record<string, unknown>) => {
      const { title, kind, locations } = shapeOf({ name, input }, CWD);
      return [title, kind, ...locations.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`))];
    };
    expect([
      shape("cat", { file_path: "a.ts", start_line: 7 }),
      shape("bash", { cmd: "echo 1\necho 2" }),
      shape("move_file", { source: "a", destination: "/b" }),
      shape("grep", { pattern: "x`y" }),
      shape("read_file", { path: "mem://x" }),
      shape("own_tool", { path: 3 }),
    ]).toEqual([
      ["Read `a.ts`", "read", "/code/a.ts:7"],
      ["Run `echo 1 …`", "execute"],
      ["Move to `/b`", "move", "/code/a", "/b"],
      ["Search for x`y", "search"],
      ["Read `mem://x`", "read"],
      ["own_tool", "other"],
    ]);
    expect([
      changedFile({ name: "write", input: { path: "a" } }, CWD),
      changedFile({ name: "read_file", input: { path: "a" } }, CWD),
    ]).toEqual(["/code/a", undefined]);
  });
});

const STATE: ShownState = {
  model: "m/m",
  effort: "off",
  mode: "default",
  tasks: [],
  context: { tokens: 0, window: 10 },
  totals: { turns: 0, usage: USAGE, largestPrompt: 0 },
};

function updates(files: Record<string, string> = {}) {
  const choices = { modes: [], models: [] };
  const shows = { notices: false, compaction: false };
  const readText = (path: string) => files[path];
  return new SessionUpdates({ cwd: CWD, choices, readText, shows, ids: new CallIds() }, STATE);
}

const callEnd = (id: string, name: string, input: Record<string, unknown>): AgentEvent => ({
  type: "message-update",
  event: { type: "tool-call-end", index: 0, id, name, input },
});
const result = (toolCallId: string, isError = false): ToolResultMessage => ({
  role: "tool-result",
  toolCallId,
  toolName: "t",
  content: [{ type: "text", text: "r" }],
  isError,
});
const assistant = (content: Extract<Message, { role: "assistant" }>["content"]): Message => ({
  role: "assistant",
  content,
  provider: "p",
  api: "a",
  model: "m",
  stopReason: "stop",
  usage: USAGE,
});

describe("the updates of a session", () => {
  test("a call of an attempt that failed is void; the next one with its id is another call", () => {
    const session = updates();
    const retry: AgentEvent = {
      type: "message-update",
      event: {
        type: "attempt-retry",
        attempt: 1,
        delayMs: 1,
        error: { kind: "server", message: "m", retryable: true },
      },
    };
    const told = [callEnd("c", "shell", {}), retry, callEnd("c", "shell", {})].flatMap((event) => session.of(event));
    expect(told.map((update) => ("toolCallId" in update ? [update.toolCallId, update.status] : []))).toEqual([
      ["c", "pending"],
      ["c", "failed"],
      ["c#2", "pending"],
    ]);
  });

  test("nothing that was shown begins anew", () => {
    const session = updates();
    const said: AgentEvent = { type: "message-update", event: { type: "text-delta", index: 0, text: "a" } };
    const before = session.mayRestart();
    session.of(said);
    const after = session.mayRestart();
    session.of({ type: "message-start", role: "assistant" });
    expect([before, after, session.mayRestart()]).toEqual([true, false, true]);
  });

  test("an ask is about the call it fits, of those that wait", () => {
    const session = updates();
    session.of(callEnd("one", "read_file", { path: "a.ts" }));
    session.of(callEnd("two", "read_file", { path: "b.ts" }));
    session.of(callEnd("three", "bash", { command: "ls" }));
    const id = (tool: string, ...resources: string[]) => session.callOf({ tool, resources })?.id;
    expect([
      id("read_file", "/code/b.ts"),
      id("read_file", "/code/a.ts"),
      id("shell", "ls"),
      id("web_fetch", "https://example.com"),
    ]).toEqual(["two", "one", "three", undefined]);
  });

  test("what a command prints is sent whole and bounded, its newest part", () => {
    const session = updates();
    session.of(callEnd("c", "shell", {}));
    session.of({ type: "tool-update", toolCallId: "c", text: "a".repeat(16_000) });
    expect(session.of({ type: "tool-update", toolCallId: "c", text: "end" })).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c",
        content: [{ type: "content", content: { type: "text", text: `${"a".repeat(15_997)}end` } }],
      },
    ]);
  });

  test("a change shows what stood there before and after, also where the call does not say it", () => {
    const files: Record<string, string> = { "/code/a.ts": "old\n" };
    const session = updates(files);
    session.of(callEnd("c", "apply_delta", { path: "a.ts", operations: [] }));
    files["/code/a.ts"] = "new\n";
    const ended: AgentEvent = { type: "tool-end", toolCallId: "c", result: result("c"), durationMs: 1 };
    expect(session.of(ended)).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c",
        status: "completed",
        content: [{ type: "diff", path: "/code/a.ts", oldText: "old\n", newText: "new\n" }],
        rawOutput: { content: [{ type: "text", text: "r" }] },
      },
    ]);
    session.of(callEnd("outside", "write_file", { path: "/etc/x", content: "n" }));
    expect(session.diffOf("outside")).toEqual([{ type: "diff", path: "/etc/x", newText: "n" }]);
  });

  test("what was said is told again in its order, each call with its own result", () => {
    const history: Message[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "q" },
          { type: "image", mediaType: "image/png", data: "A" },
        ],
      },
      assistant([
        { type: "thinking", text: "t" },
        { type: "text", text: "a" },
        { type: "tool-call", id: "c", name: "shell", input: { command: "x" } },
      ]),
      result("c"),
      assistant([{ type: "tool-call", id: "c", name: "shell", input: { command: "y" } }]),
      result("c", true),
    ];
    const told = historyUpdates(history, { cwd: CWD, ids: new CallIds() });
    expect(
      told.map((update) => [update.sessionUpdate, "toolCallId" in update ? [update.toolCallId, update.status] : ""]),
    ).toEqual([
      ["user_message_chunk", ""],
      ["user_message_chunk", ""],
      ["agent_thought_chunk", ""],
      ["agent_message_chunk", ""],
      ["tool_call", ["c", "pending"]],
      ["tool_call_update", ["c", "completed"]],
      ["tool_call", ["c#2", "pending"]],
      ["tool_call_update", ["c#2", "failed"]],
    ]);
  });
});

describe("updates on their way", () => {
  const chunk = (sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", words: string): SessionUpdate => ({
    sessionUpdate,
    content: { type: "text", text: words },
  });

  test("grow together while the editor is slow, and say the same", async () => {
    const update = fc.oneof(
      fc.string().map((words) => chunk("agent_message_chunk", words)),
      fc.string().map((words) => chunk("agent_thought_chunk", words)),
      fc.record({
        sessionUpdate: fc.constant("tool_call_update" as const),
        toolCallId: fc.constantFrom("a", "b"),
        title: fc.string(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(update, { maxLength: 30 }), async (sent) => {
        const taken: SessionUpdate[] = [];
        const outbox = createUpdateOutbox({
          write: async (one) => {
            await Promise.resolve();
            taken.push(one);
          },
          onStuck: () => undefined,
        });
        for (const one of sent) outbox.send(one);
        await outbox.drained();
        expect(meaningOf(taken)).toEqual(meaningOf(sent));
        expect(taken.length).toBeLessThanOrEqual(sent.length);
      }),
    );
  });

  test("do not pile up without end before somebody who does not read", async () => {
    let stuck = 0;
    const outbox = createUpdateOutbox({
      write: () => new Promise(() => undefined),
      onStuck: () => {
        stuck += 1;
      },
    });
    for (let count = 0; count < MOST_WAITING + 10; count++)
      outbox.send({ sessionUpdate: "tool_call_update", toolCallId: String(count) });
    expect(stuck).toBe(1);
  });

  /** The text of each run of chunks of a kind, and the last title of each run of updates of a call. */
  function meaningOf(list: readonly SessionUpdate[]): string[][] {
    const runs: { key: string; words: string[] }[] = [];
    for (const update of list) {
      const isCall = update.sessionUpdate === "tool_call_update";
      const key = isCall ? `call ${update.toolCallId}` : update.sessionUpdate;
      const words = isCall ? (update.title ?? "") : wordsOf(update);
      if (runs.at(-1)?.key !== key) runs.push({ key, words: [] });
      runs.at(-1)?.words.push(words);
    }
    return runs.map(({ key, words }) => [key, key.startsWith("call") ? (words.at(-1) ?? "") : words.join("")]);
  }

  function wordsOf(update: SessionUpdate): string {
    return update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk"
      ? update.content.type === "text"
        ? update.content.text
        : ""
      : "";
  }
});

describe("a list of sessions", () => {
  test("is read page by page, each session once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 350 }), (count) => {
        const rows = Array.from({ length: count }, (_, index) => ({
          id: `s${index}`,
          cwd: CWD,
          title: "t",
          updatedAt: 0,
        }));
        const seen: string[] = [];
        for (let cursor: string | undefined, more = true; more; ) {
          const page = sessionPage(rows, cursor);
          seen.push(...(page?.sessions ?? []).map(({ sessionId }) => sessionId));
          cursor = page?.nextCursor ?? undefined;
          more = cursor !== undefined;
        }
        expect(seen).toEqual(rows.map(({ id }) => id));
      }),
    );
    expect(sessionPage([], "unknown")).toBeUndefined();
  });
});
