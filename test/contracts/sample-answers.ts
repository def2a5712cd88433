import type { FakeAnswer, FakePart } from "../support/fake-answer.ts";
import { answerOf } from "./ask-model.ts";

// Answers with everything that can go wrong at a border: characters of several bytes, quotes, line ends, empty arguments.

export const THINKING: FakePart = { type: "thinking", text: "Überlegen… 🤔", signature: "thinking-token" };
export const TEXT: FakePart = { type: "text", deltas: ["Grüße", ", 世", "界 ", "👩‍👩‍👧", '\n"quoted"\\ ', "end"] };
export const READ: FakePart = {
  type: "tool-call",
  id: "call_read",
  name: "read",
  deltas: ['{"pa', 'th": "döcs/', '世界.md"', "}"],
};
export const READ_AGAIN: FakePart = { ...READ, id: "call_again", deltas: ['{"path"', ': "b.md"}'] };
export const LIST: FakePart = { type: "tool-call", id: "call_list", name: "list", deltas: [] };

export const SAMPLES: Record<string, FakeAnswer> = {
  "text in many pieces": answerOf([TEXT]),
  "thinking, then text": answerOf([THINKING, TEXT]),
  "one tool call": answerOf([READ]),
  "several tool calls": answerOf([READ, READ_AGAIN, LIST]),
  "several tool calls, mixed": answerOf([READ, READ_AGAIN, LIST], { interleaved: true }),
  "a tool call without arguments": answerOf([LIST]),
  "text, then a tool call": answerOf([TEXT, READ]),
  "thinking, text and tool calls": answerOf([THINKING, TEXT, READ, LIST]),
};
