import { asObject, parseJson } from "../../protocol/json.ts";
import { printExactly } from "../output.ts";

/** What a line is answered with; an `error` says why it could not be used. */
export type LineAnswer = Record<string, unknown>;

/** Longer lines are answered with an error, so that memory stays bounded. */
const LONGEST_LINE = 1_000_000;

/**
 * Answers each JSON line of standard input with one line on standard output, in order, as soon as it is there. A line that
 * cannot be used gets an error and the next one is read; blank lines get nothing. False when the reader went away.
 */
export async function answerJsonLines(answer: (value: Record<string, unknown>) => LineAnswer): Promise<boolean> {
  const decoder = new TextDecoder();
  let held = "";
  let isTooLong = false;
  for await (const chunk of Bun.stdin.stream()) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
    const last = lines.pop() ?? "";
    if (isTooLong && lines.length > 0) lines[0] = " ".repeat(LONGEST_LINE + 1);
    if (!printAnswers(lines, answer)) return false;
    isTooLong = last.length > LONGEST_LINE || (isTooLong && lines.length === 0);
    held = isTooLong ? "" : last;
  }
  const rest = isTooLong ? " ".repeat(LONGEST_LINE + 1) : held + decoder.decode();
  return printAnswers([rest], answer);
}

function printAnswers(lines: readonly string[], answer: (value: Record<string, unknown>) => LineAnswer): boolean {
  const answers = lines.flatMap((line) => answerLine(line, answer) ?? []);
  return answers.length === 0 || printExactly(answers.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

function answerLine(line: string, answer: (value: Record<string, unknown>) => LineAnswer): LineAnswer | undefined {
  if (line.length > LONGEST_LINE) return { id: null, error: `the line is longer than ${LONGEST_LINE} characters` };
  const text = line.replace(/^\ufeff/, "").trim();
  if (text === "") return undefined;
  const value = asObject(parseJson(text));
  if (value === undefined) return { id: null, error: "the line is not a JSON object" };
  const id = value.id ?? null;
  return { id, ...answer(value) };
}
