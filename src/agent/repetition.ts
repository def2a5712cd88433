import type { AssistantMessage, ToolCallPart, ToolResultMessage } from "../protocol/messages.ts";

// Notices that a model goes round in circles: the same call with the same result, or the same words, again and again.

/** From here on the model is told. */
const TELL_AT = 3;
/** Here the agent stops. */
const STOP_AT = 6;

export interface Repetition {
  /** The result as the model should see it: with a remark where the same call gave the same result several times in a row. */
  noteCall(call: ToolCallPart, result: ToolResultMessage): ToolResultMessage;
  noteAnswer(message: AssistantMessage): void;
  /** What is repeated, once it was repeated too often. */
  verdict(): { what: string; times: number } | undefined;
}

export function createRepetition(): Repetition {
  const calls = counter();
  const answers = counter();
  let callName = "";
  return {
    noteCall(call, result) {
      callName = call.name;
      const times = calls.count(JSON.stringify([call.name, call.input, call.invalidInput, result.content]));
      return times < TELL_AT ? result : withRemark(result, times);
    },
    noteAnswer(message) {
      const text = message.content
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("")
        .trim();
      answers.count(text === "" ? undefined : text);
    },
    verdict() {
      if (calls.times() >= STOP_AT) return { what: `the call ${callName} with the same result`, times: calls.times() };
      return answers.times() >= STOP_AT ? { what: "the same answer", times: answers.times() } : undefined;
    },
  };
}

/** How often the newest value came in a row. */
function counter() {
  let last: string | undefined;
  let times = 0;
  return {
    count(value: string | undefined): number {
      times = value !== undefined && value === last ? times + 1 : 1;
      last = value;
      return times;
    },
    times: () => (last === undefined ? 0 : times),
  };
}

function withRemark(result: ToolResultMessage, times: number): ToolResultMessage {
  const text = `[This exact call has now given the same result ${times} times in a row. Do something else.]`;
  return { ...result, content: [...result.content, { type: "text", text }] };
}
