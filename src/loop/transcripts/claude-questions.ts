import { asArray, asObject, asString } from "../../protocol/json.ts";
import { shortened } from "./shortened.ts";

// Claude Code asks a person with a tool. Nobody sits at a loop, so the call comes back as an error, refused or empty, and the agent
// goes on with what it assumes: the question stays open.

export const QUESTION_TOOL = "AskUserQuestion";
/** More questions at once than this are not remembered one by one. */
export const MAX_OPEN_QUESTIONS = 16;
const MAX_QUESTION_CHARACTERS = 2000;

export interface OpenQuestion {
  id: string;
  text: string;
}

/** The questions of one call, each with what may be answered. */
export function questionText(input: unknown): string {
  const questions = asArray(asObject(input)?.questions).map((entry) => {
    const { question, header, options } = asObject(entry) ?? {};
    const labels = asArray(options).map((option) => asString(asObject(option)?.label) ?? asString(option) ?? "");
    const answers = labels.filter((label) => label !== "").join(" / ");
    return `${asString(question) ?? asString(header) ?? "A question without words"}${answers === "" ? "" : ` (${answers})`}`;
  });
  const text =
    questions.length > 0 ? questions.join("\n") : (asString(asObject(input)?.question) ?? "A question without words");
  return shortened(text, MAX_QUESTION_CHARACTERS);
}

/** Only where the result holds an answer that is not empty. */
export function isAnswered(toolUseResult: unknown): boolean {
  const answers = asObject(asObject(toolUseResult)?.answers);
  return answers !== undefined && Object.values(answers).some((answer) => answer !== "" && answer !== null);
}
