import { describe, expect, test } from "bun:test";
import type { Ask } from "../../../src/protocol/asks.ts";
import { checkAnswer, readAnswerSchema } from "../../../src/rpc/gates/answer-schema.ts";
import { gateForAsk, gateForQuestion, type MomentGate } from "../../../src/rpc/gates/asks-as-gates.ts";

const ASK: Ask = {
  id: "a1",
  tool: "write_file",
  category: "file_write",
  resources: ["/w/a"],
  summary: "Write a",
  digest: "d",
  boundTo: [],
  options: ["yes", "session", "always", "no", "never"],
  expiresAt: 5,
  reason: "file_write needs a yes",
};

/** What the agent is told, or the keywords that reject. */
function said<Answer>({ draft, read }: MomentGate<Answer>, answer: unknown): Answer | string[] {
  const reading = readAnswerSchema(draft.schema);
  if (!reading.ok) throw new Error(reading.error.message);
  const errors = [...checkAnswer(reading.schema, answer), ...(draft.check?.(answer) ?? [])];
  return errors.length === 0 ? read(answer) : errors.map(({ keyword }) => `!${keyword}`);
}

describe("a permission", () => {
  test("stands beside a select, with what the ask offers", () => {
    expect(gateForAsk(ASK).draft).toEqual({
      stage: "select",
      kind: "approval",
      schema: { type: "string", enum: ["yes", "session", "always", "no", "never"] },
      options: ["yes", "session", "always", "no", "never"],
      context: {
        method: "select",
        title: "Permission",
        message: "Write a",
        tool: "write_file",
        category: "file_write",
        resources: ["/w/a"],
        reason: "file_write needs a yes",
        warning: undefined,
        rules: undefined,
        expires_at: 5,
      },
    });
    expect([said(gateForAsk(ASK), "session"), said(gateForAsk(ASK), "perhaps")]).toEqual(["session", ["!enum"]]);
  });

  test("stands beside a confirm where it is yes or no", () => {
    const gate = gateForAsk({ ...ASK, options: ["yes", "no"] });
    expect([gate.draft.stage, gate.draft.schema, gate.draft.options]).toEqual([
      "confirm",
      { type: "boolean" },
      ["Approve", "Reject"],
    ]);
    expect([said(gate, true), said(gate, false), said(gate, "yes")]).toEqual(["yes", "no", ["!type"]]);
  });
});

describe("leaving a mode", () => {
  const gate = gateForQuestion({
    type: "question-start",
    questionId: "q",
    question: "May it?",
    options: ["yes", "no"],
    multi: false,
    about: "leave-mode",
  });

  test("is an approval of the plan", () => {
    expect([gate.draft.stage, gate.draft.kind, gate.draft.context]).toEqual([
      "ralplan",
      "approval",
      { title: "May the model act on its plan?", summary: "May it?" },
    ]);
  });

  test("takes the decision as a word or in an object", () => {
    const answers = [
      "approve",
      { decision: "approve" },
      "reject",
      { decision: "reject" },
      "yes",
      { decision: "x" },
      {},
    ];
    expect(answers.map((answer) => said(gate, answer))).toEqual([
      ["yes"],
      ["yes"],
      ["no"],
      ["no"],
      ["!anyOf"],
      ["!anyOf"],
      ["!anyOf"],
    ]);
  });
});

describe("a question of the model", () => {
  const question = { type: "question-start", questionId: "q", question: "Which?", options: ["a", "b"] } as const;
  const one = gateForQuestion({ ...question, options: ["a", "b"], multi: false });
  const several = gateForQuestion({ ...question, options: ["a", "b"], multi: true });
  const free = gateForQuestion({ ...question, options: [], multi: false });

  test("is an interview with its options", () => {
    const { stage, kind, options, context } = one.draft;
    expect({ stage, kind, options, context }).toEqual({
      stage: "deep-interview",
      kind: "question",
      options: [
        { value: "a", label: "a" },
        { value: "b", label: "b" },
      ],
      context: { title: "Which?", prompt: "Which?", multi: false },
    });
    expect(free.draft.options).toBeUndefined();
  });

  test("is answered with a word, a choice, or words of the host's own", () => {
    expect([
      said(one, "a"),
      said(one, "something else"),
      said(one, { selected: ["b"], other: false }),
      said(one, { selected: [], other: true, custom: "mine" }),
      said(several, ["a", "b"]),
      said(several, { selected: ["a", "b", "a"], other: true, custom: "mine" }),
      said(free, "words"),
      said(free, { selected: [], other: true, custom: "words" }),
    ]).toEqual([["a"], ["something else"], ["b"], ["mine"], ["a", "b"], ["a", "b", "mine"], ["words"], ["words"]]);
  });

  test("is not answered with nothing, with several where one is wanted, or with what was not offered", () => {
    expect([
      said(one, ""),
      said(one, { selected: [] }),
      said(one, { selected: ["a", "b"] }),
      said(one, { selected: ["c"] }),
      said(one, ["a"]),
      said(one, { selected: ["a"], more: 1 }),
      said(several, []),
    ]).toEqual([["!anyOf"], ["!required"], ["!type"], ["!anyOf"], ["!anyOf"], ["!anyOf"], ["!required"]]);
  });
});
