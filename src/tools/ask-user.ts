import { asObject } from "../protocol/json.ts";
import type { Tool } from "../protocol/tool-runs.ts";
import description from "./ask-user.md" with { type: "text" };
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { type Field, flag, listOf, optional, text } from "./input-fields.ts";

export interface UserQuestion {
  question: string;
  /** Empty for a free answer. A person may always answer with words of their own. */
  options: string[];
  /** More than one option may be chosen. */
  multi: boolean;
}

export type UserAnswer = { type: "answer"; answers: string[] } | { type: "declined" } | { type: "nobody-there" };

/** Settles soon after the signal is aborted, as declined. */
export type AskUser = (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer>;

const MAX_OPTIONS = 20;

export function createAskUser(ask: AskUser): Tool {
  return defineTool({
    name: "ask_user",
    aliases: ["ask", "ask_user_question", "AskUserQuestion"],
    description,
    fields: {
      question: text("The question"),
      options: optional(listOf(optionField(), "Answers to choose from", MAX_OPTIONS)),
      multi: optional(flag("Several may be chosen")),
    },
    isReadOnly: false,
    asks: () => [],
    run: async ({ question, options = [], multi = false }, { signal }) => {
      if (question.trim() === "") return failedOutput("The question is empty. Say what you want to know.");
      const answer = await ask({ question: question.trim(), options: [...new Set(options)], multi }, signal);
      if (answer.type === "nobody-there") return failedOutput(NOBODY);
      if (answer.type === "declined") return failedOutput(DECLINED, { type: "declined" });
      return textOutput(answer.answers.join("\n"), { type: "answer", answers: answer.answers });
    },
  });
}

const NOBODY =
  "Nobody can answer: this session runs without a person. Choose the safest reasonable way yourself, and name the assumption in your final message.";
const DECLINED =
  "The person did not answer. Do not ask the same again; go on with what is certain, or stop and say so.";

/** Also understood: `{label}`. */
function optionField(): Field<string> {
  const plain = text("An answer");
  return { ...plain, parse: (value) => plain.parse(asObject(value)?.label ?? value) };
}
