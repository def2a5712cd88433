import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask, AskOption } from "../../protocol/asks.ts";
import { asArray, asObject, asString, type JsonObject } from "../../protocol/json.ts";
import type { GateDraft } from "./gate-broker.ts";
import type { AnswerError } from "./schema-keywords.ts";

// Which moments of an agent are gates, and what their answers mean to it.

export interface MomentGate<Answer> {
  draft: GateDraft;
  /** What an answer that fits says to the agent. */
  read(answer: unknown): Answer;
}

export type QuestionStart = Extract<AgentEvent, { type: "question-start" }>;

/** A permission: it stands beside a UI request, whose method is the stage. */
export function gateForAsk(ask: Ask): MomentGate<AskOption> {
  const { tool, category, resources, summary, reason, warning, options, rules, expiresAt } = ask;
  const isYesOrNo = options.every((option) => option === "yes" || option === "no");
  const method = isYesOrNo ? "confirm" : "select";
  const details: JsonObject = { tool, category, resources, reason, warning, rules };
  const context: JsonObject = { method, title: "Permission", message: summary, ...details, expires_at: expiresAt };
  if (isYesOrNo) {
    const draft: GateDraft = { stage: method, kind: "approval", schema: { type: "boolean" }, context };
    return { draft: { ...draft, options: ["Approve", "Reject"] }, read: (answer) => (answer === true ? "yes" : "no") };
  }
  const schema: JsonObject = { type: "string", enum: [...options] };
  return {
    draft: { stage: method, kind: "approval", schema, options: [...options], context },
    read: (answer) => options.find((option) => option === answer) ?? "no",
  };
}

/** Whether the model may go on to act is an approval of its plan; everything else it asks is an interview. */
export function gateForQuestion(question: QuestionStart): MomentGate<string[]> {
  return question.about === "leave-mode" ? approvalOf(question) : interviewOf(question);
}

const DECISIONS = { approve: "yes", reject: "no" } as const;

function approvalOf({ question }: QuestionStart): MomentGate<string[]> {
  const decision: JsonObject = { type: "string", enum: Object.keys(DECISIONS) };
  const wrapped: JsonObject = {
    type: "object",
    properties: { decision },
    required: ["decision"],
    additionalProperties: false,
  };
  const options = [
    { value: "approve", label: "Approve the plan and go on" },
    { value: "reject", label: "Stay with the plan" },
  ];
  return {
    draft: {
      stage: "ralplan",
      kind: "approval",
      schema: { anyOf: [decision, wrapped] },
      options,
      context: { title: "May the model act on its plan?", summary: question },
    },
    read: (answer) => [(asObject(answer)?.decision ?? answer) === "approve" ? DECISIONS.approve : DECISIONS.reject],
  };
}

const WORDS = { type: "string", minLength: 1, maxLength: 100_000 } as const;

/** A plain text is an answer, one of the options or the host's own words; `selected` takes several where several may be chosen. */
function interviewOf({ question, options, multi }: QuestionStart): MomentGate<string[]> {
  const chosen: JsonObject = options.length === 0 ? { ...WORDS } : { type: "string", enum: [...options] };
  const list: JsonObject = { type: "array", items: multi ? { ...WORDS } : chosen };
  const picked: JsonObject = {
    type: "object",
    properties: {
      selected: { type: "array", items: chosen },
      other: { type: "boolean", description: "true where `custom` holds an answer in words of its own" },
      custom: { ...WORDS },
    },
    required: ["selected"],
    additionalProperties: false,
  };
  return {
    draft: {
      stage: "deep-interview",
      kind: "question",
      schema: { anyOf: [{ ...WORDS }, picked, ...(multi ? [list] : [])] },
      ...(options.length === 0 ? {} : { options: options.map((option) => ({ value: option, label: option })) }),
      context: { title: question, prompt: question, multi },
      check: (answer) => countProblem(wordsOf(answer), multi),
    },
    read: wordsOf,
  };
}

function wordsOf(answer: unknown): string[] {
  const plain = asString(answer);
  if (plain !== undefined) return [plain];
  const picked = asObject(answer);
  const list = picked === undefined ? asArray(answer) : asArray(picked.selected);
  const custom = picked?.other === true ? asString(picked.custom) : undefined;
  const words = [...list, custom].filter((word) => typeof word === "string");
  return [...new Set(words)];
}

function countProblem(words: readonly string[], multi: boolean): AnswerError[] {
  if (words.length === 0)
    return [{ path: "/answer", keyword: "required", message: "must choose something, or say something with `custom`" }];
  if (words.length > 1 && !multi)
    return [{ path: "/answer", keyword: "type", message: "must be one answer, and has several", expected: 1 }];
  return [];
}
