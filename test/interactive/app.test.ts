import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import type { AgentState } from "../../src/protocol/agent-state.ts";
import { lineWidth } from "../../src/tui/style/styled-line.ts";
import {
  answerEvents,
  DONE,
  keyEvent,
  openOnScreen,
  SAMPLE_STATE,
  STARTED,
  sampleAsk,
  toolCall,
  toolEnd,
  user,
} from "../support/conversation-on-screen.ts";

const CALLS = ["shell", "read_file", "edit_file"].map((name, index) =>
  toolCall(`call-${index}`, name, { command: "漢字 && rm\x1b[2J", path: "a.ts" }),
);

const WAITING: AgentState["waiting"] = Array.from({ length: 5 }, (_, index) => ({
  kind: index % 2 === 0 ? ("steering" as const) : ("follow-up" as const),
  message: { role: "user" as const, content: [{ type: "text" as const, text: `later ${index}\n漢字` }] },
}));

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    "漢字".repeat(30),
    "👩‍👩‍👧 ",
    "x".repeat(300),
    "\x1b[2J\u202e",
    "- a\n- b\n\n```\ncode\n",
    "| a | b |\n|---|---|\n",
  ),
);

const event: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.constantFrom<AgentEvent>(
    STARTED,
    DONE,
    { type: "turn-start", turn: 1 },
    { type: "message-start", role: "assistant" },
  ),
  text.map((words): AgentEvent => ({ type: "message-update", event: { type: "text-delta", index: 0, text: words } })),
  text.map(
    (words): AgentEvent => ({ type: "message-update", event: { type: "thinking-delta", index: 0, text: words } }),
  ),
  fc.constantFrom<AgentEvent>(
    { type: "message-update", event: { type: "text-end", index: 0 } },
    {
      type: "message-update",
      event: {
        type: "attempt-retry",
        attempt: 1,
        delayMs: 10,
        error: { kind: "network", message: "broken", retryable: true },
      },
    },
  ),
  text.map(user),
  text.map((words) => answerEvents(words, CALLS).at(-1) ?? DONE),
  fc.constantFrom(...CALLS).map((call): AgentEvent => ({ type: "tool-start", call })),
  fc.tuple(fc.constantFrom(...CALLS), text).map(
    ([call, words]): AgentEvent => ({
      type: "tool-update",
      toolCallId: call.id,
      text: words,
    }),
  ),
  fc
    .tuple(fc.constantFrom(...CALLS), text, fc.boolean())
    .map(([call, words, isError]) => toolEnd(call, words, { isError })),
  fc
    .tuple(fc.constantFrom("one", "two", "three"), text)
    .map(([id, words]): AgentEvent => ({ type: "ask-start", ask: sampleAsk({ id, resources: [words] }) })),
  fc.constantFrom("one", "two", "three").map(
    (askId): AgentEvent => ({
      type: "ask-end",
      askId,
      decision: { effect: "deny", tier: "person", reason: "no" },
    }),
  ),
  fc.tuple(text, fc.array(text, { maxLength: 12 }), fc.boolean()).map(
    ([question, options, multi]): AgentEvent => ({
      type: "question-start",
      questionId: "q",
      question,
      options,
      multi,
    }),
  ),
  fc.constant<AgentEvent>({ type: "question-end", questionId: "q" }),
  text.map((words): AgentEvent => ({ type: "notice", level: "warning", text: words })),
  fc.constantFrom<AgentEvent>(
    { type: "state-changed", state: { ...SAMPLE_STATE, waiting: WAITING, mode: "plan", safe: true } },
    { type: "state-changed", state: SAMPLE_STATE },
  ),
);

const KEYS = [
  ..."abcyns?eNk/@~ 123漢",
  ..."enter escape tab up down left right backspace delete home end page-up page-down".split(" "),
  ..."ctrl+c ctrl+d ctrl+l ctrl+p ctrl+r ctrl+o ctrl+t ctrl+w ctrl+u ctrl+k ctrl+y ctrl+- alt+up alt+p shift+tab shift+enter".split(
    " ",
  ),
  ..."ctrl+left ctrl+right alt+shift+p ctrl+v ctrl+z ctrl+g".split(" "),
];
const COMMANDS = ["/model", "/effort ", "/tree", "/help", "/hotkeys", "/theme", "/name", "/undo", "/history", "@sr"];

type Step =
  | { type: "key"; key: string }
  | { type: "write"; text: string }
  | { type: "paste"; text: string }
  | { type: "event"; event: AgentEvent }
  | { type: "pass"; milliseconds: number }
  | { type: "settle" }
  | { type: "resize"; columns: number; rows: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...KEYS).map((key): Step => ({ type: "key", key })) },
  { weight: 2, arbitrary: fc.constantFrom(...COMMANDS).map((words): Step => ({ type: "write", text: words })) },
  { weight: 8, arbitrary: event.map((given): Step => ({ type: "event", event: given })) },
  { weight: 1, arbitrary: text.map((words): Step => ({ type: "paste", text: words })) },
  { weight: 2, arbitrary: fc.constantFrom(1, 100, 800).map((milliseconds): Step => ({ type: "pass", milliseconds })) },
  { weight: 2, arbitrary: fc.constant<Step>({ type: "settle" }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ columns: fc.integer({ min: 4, max: 120 }), rows: fc.integer({ min: 1, max: 40 }) })
      .map((size): Step => ({ type: "resize", ...size })),
  },
);

const MODELS = ["acme/large-1", "acme/small-1", "other/big"].map((selector) => ({
  selector,
  provider: selector.split("/")[0] ?? "",
  description: "a model",
  ...(selector === "other/big" && { problem: "no key" }),
}));

describe("the conversation as a program", () => {
  test("any keys and events leave a frame that fits the screen, with the cursor in it, and throw nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60, size: "max" }),
        fc.constantFrom<"default" | "vim">("default", "vim"),
        async (steps, preset) => {
          const services = {
            listModels: async () => MODELS,
            sessionTree: async () => [
              { entryId: "a", depth: 0, role: "user" as const, text: "漢字", isOnBranch: true },
              { entryId: "b", depth: 20, role: "assistant" as const, text: "x".repeat(200), isOnBranch: false },
            ],
            pastePicture: async () => ({ mediaType: "image/png", data: "AAAA" }),
          };
          const world = openOnScreen({ keys: { preset }, services, history: ["earlier", "two\nlines"] });
          let size = { columns: 80, rows: 24 };
          for (const one of steps) {
            if (one.type === "key") world.app.onInput(keyEvent(one.key));
            else if (one.type === "write") for (const letter of one.text) world.app.onInput(keyEvent(letter));
            else if (one.type === "paste") world.app.onInput({ type: "paste", text: one.text, isCut: false });
            else if (one.type === "event") world.emit(one.event);
            else if (one.type === "pass") world.pass(one.milliseconds);
            else if (one.type === "settle") await world.settle();
            else size = { columns: one.columns, rows: one.rows };
            world.app.takeFinished(size);
            const { lines, cursor } = world.app.frame(size);
            expect(lines.length).toBeLessThanOrEqual(size.rows);
            expect(Math.max(0, ...lines.map(lineWidth))).toBeLessThanOrEqual(size.columns);
            expect(cursor.row >= 0 && cursor.row < lines.length).toBe(true);
            expect(cursor.column >= 0 && cursor.column < size.columns).toBe(true);
          }
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);

  test("what could not be sent returns to the input, above what was written meanwhile", async () => {
    const world = openOnScreen({
      answer: (name) =>
        name === "prompt" ? { ok: false, error: { code: "busy", message: "The agent works." } } : undefined,
    });
    world.type("first");
    world.press("enter");
    world.type("second");
    await world.settle();
    expect([world.app.draft, (await world.seen()).at(-1)?.startsWith("The agent works.")]).toEqual([
      "first\nsecond",
      true,
    ]);
  });

  test("pictures go along where their markers stand, twenty at most", async () => {
    const world = openOnScreen({ services: { pastePicture: async () => ({ mediaType: "image/png", data: "AAAA" }) } });
    for (let count = 0; count < 21; count++) {
      world.press("ctrl+v");
      await world.settle();
    }
    expect((await world.seen()).at(-1)).toStartWith("a message holds 20 pictures at most");
    world.press("enter");
    await world.settle();
    const [, sent] = world.calls[0] ?? [];
    const { content } = (sent as { message: { content: { type: string }[] } }).message;
    expect(content.map(({ type }) => type)).toEqual(["text", ...Array.from({ length: 20 }, () => "image")]);
  });

  test("Ctrl+C clears what is written, then stops the work, then leaves when it is pressed twice", async () => {
    const world = openOnScreen();
    world.play(STARTED);
    world.type("words");
    world.press("ctrl+c");
    expect([world.app.draft, world.calls]).toEqual(["", []]);
    world.press("ctrl+c");
    expect(world.calls).toEqual([["abort", {}]]);
    world.play(DONE);
    world.press("ctrl+c");
    expect(world.exits()).toBe(0);
    world.press("ctrl+c");
    expect(world.exits()).toBe(1);
  });

  test("a list that is open hides no question: the status says that one waits", async () => {
    const world = openOnScreen();
    world.type("/theme");
    world.press("enter");
    await world.settle();
    world.play(STARTED, { type: "ask-start", ask: sampleAsk() });
    expect((await world.seen()).at(-1)).toStartWith("1 question waits");
    world.press("escape");
    expect((await world.seen()).some((row) => row.includes("shell needs your answer"))).toBe(true);
  });
});
