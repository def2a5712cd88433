import { asArray, asObject, asString } from "../../protocol/json.ts";
import { toolId } from "./open-tools.ts";
import { shortened } from "./shortened.ts";

// What Ralph's own agent asks a person. With a person there is a question event; without one the tool that asks fails at once,
// and its call is all that is told.

export const QUESTION_TOOL = "ask_user";
/** More questions at once than this are not remembered one by one. */
const MAX_OPEN_QUESTIONS = 16;
const MAX_QUESTION_CHARACTERS = 2000;

export type OpenQuestions = readonly { id: string; text: string }[];

/** The same words asked by the tool and by its event are one question. */
export function openQuestion(questions: OpenQuestions, id: string, asked: Record<string, unknown>): OpenQuestions {
  const labels = asArray(asked.options).map((option) => asString(asObject(option)?.label) ?? asString(option) ?? "");
  const answers = labels.filter((label) => label !== "").join(" / ");
  const words = `${(asString(asked.question) ?? "").trim()}${answers === "" ? "" : ` (${answers})`}`;
  const text = shortened(words, MAX_QUESTION_CHARACTERS);
  if (questions.some((question) => question.text === text)) return questions;
  return [...questions, { id: toolId(id), text }].slice(-MAX_OPEN_QUESTIONS);
}

/** The question of that id, and the others. */
export function closeQuestion(questions: OpenQuestions, id: string): { closed?: string; questions: OpenQuestions } {
  const known = toolId(id);
  const closed = questions.find((question) => question.id === known);
  if (closed === undefined) return { questions };
  return { closed: closed.text, questions: questions.filter((question) => question !== closed) };
}
