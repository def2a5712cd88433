import type { OpenCoder } from "../../coder/open-coder.ts";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask, AskOption } from "../../protocol/asks.ts";
import type { Message, ToolCallPart } from "../../protocol/messages.ts";
import { choicesFor, detailsOf, listOf, typedRules, wholeAsk } from "./ask-text.ts";
import { askInTerminal } from "./terminal-question.ts";

/** Whether somebody sits at the terminal who can be asked, although standard output may go elsewhere. */
export function hasPerson(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

type Answering = Pick<OpenCoder, "call">;
type Question = Extract<AgentEvent, { type: "question-start" }>;

/**
 * Puts what the agent asks to the person at the terminal, one question after the other and several asks as a list, each behind
 * everything that was printed before it. Returns how to stop that.
 */
export function answerInTerminal(coder: Answering & Pick<OpenCoder, "subscribe">, printed: () => Promise<unknown>) {
  const asks = new Map<string, Ask>();
  const questions = new Map<string, Question>();
  const calls = new Map<string, ToolCallPart>();
  let isAsking = false;
  const putAll = async () => {
    isAsking = true;
    while (asks.size + questions.size > 0) {
      await printed();
      // What is asked in the same moment is put together.
      await new Promise(setImmediate);
      const [question] = questions.values();
      if (question !== undefined) {
        questions.delete(question.questionId);
        await putQuestion(question, coder);
        continue;
      }
      const answered = await putAsks([...asks.values()], {
        ...coder,
        callOf: ({ toolCallId = "" }) => calls.get(toolCallId),
      });
      for (const { id } of answered) asks.delete(id);
    }
    isAsking = false;
  };
  return coder.subscribe((event) => {
    if (event.type === "message-end") noteCalls(calls, event.message);
    if (event.type === "ask-start") asks.set(event.ask.id, event.ask);
    else if (event.type === "question-start") questions.set(event.questionId, event);
    else if (event.type === "ask-end") asks.delete(event.askId);
    else if (event.type === "question-end") questions.delete(event.questionId);
    if (!isAsking && asks.size + questions.size > 0) void putAll();
  });
}

/** Those of the newest answer: nothing else can be asked about. */
function noteCalls(calls: Map<string, ToolCallPart>, message: Message): void {
  if (message.role !== "assistant") return;
  calls.clear();
  for (const part of message.content) if (part.type === "tool-call") calls.set(part.id, part);
}

interface Putting extends Answering {
  /** The call an ask is about, where it is known. */
  callOf(ask: Ask): ToolCallPart | undefined;
}

/** Gives back those that need no answer any more. */
async function putAsks(asks: readonly Ask[], coder: Putting): Promise<readonly Ask[]> {
  const [only] = asks;
  if (only === undefined) return [];
  if (asks.length === 1) {
    await putAsk(only, coder);
    return asks;
  }
  const line = await askInTerminal(`${listOf(asks)}\nA number for one of them (1y, 2n), [y]es to all, [N]o to all? `);
  const groups = /^(?<number>\d+) *(?<key>[yn]?)/i.exec(line ?? "")?.groups;
  if (groups === undefined) {
    for (const ask of asks) await answer(ask, { answer: optionOf(line) === "yes" ? "yes" : "no" }, coder);
    return asks;
  }
  const chosen = asks[Number(groups.number) - 1];
  if (chosen === undefined) return [];
  if (groups.key === "") await putAsk(chosen, coder);
  else await answer(chosen, { answer: optionOf(groups.key) }, coder);
  return [chosen];
}

const OPTIONS: Record<string, AskOption> = { y: "yes", s: "session", a: "always", n: "no", v: "never" };

/** What is none of the answers is a no. */
function optionOf(line: string | undefined): AskOption {
  return OPTIONS[(line ?? "").trim().toLowerCase().slice(0, 1)] ?? "no";
}

async function putAsk(ask: Ask, coder: Putting): Promise<void> {
  const { changeLines } = await import("../../interactive/dialogs/proposed-change.ts");
  const call = coder.callOf(ask);
  const changes = (room: "short" | "whole") =>
    call === undefined ? [] : changeLines(call, room).map(({ text }) => text);
  let rules: readonly string[] = ask.rules ?? [];
  let text: string | undefined = [wholeAsk(ask), ...changes("short")].join("\n");
  while (text !== undefined) {
    const line: string | undefined = await askInTerminal(`${text}\n${choicesFor(ask, rules)} `);
    const key = (line ?? "").trim().toLowerCase().slice(0, 1);
    if (key === "?") text = [detailsOf(ask), ...changes("whole")].join("\n");
    else if (key === "e" && rules.length > 0) {
      const typed = typedRules((await askInTerminal(`The rule instead of ${rules.join(" ")}: `)) ?? "");
      rules = typed.length === 0 ? rules : typed;
      text = "The answer is kept as the rule that is shown.";
    } else text = await answer(ask, { answer: optionOf(line), rules: [...rules] }, coder);
  }
}

/** What the person has to correct; undefined where there is nothing more to say. */
async function answer(
  { id }: Ask,
  { answer: option, rules }: { answer: AskOption; rules?: string[] },
  { call }: Answering,
): Promise<string | undefined> {
  const isKept = option !== "yes" && option !== "no";
  const result = await call("answer", { askId: id, answer: option, ...(isKept && rules?.length ? { rules } : {}) });
  if (result.ok) return undefined;
  if (result.error.code === "invalid") return result.error.message;
  process.stderr.write(`${result.error.message}\n`);
  return undefined;
}

async function putQuestion({ questionId, question, options, multi }: Question, { call }: Answering): Promise<void> {
  const line = await askInTerminal(
    `${[question, ...options.map((option, index) => `  ${index + 1}. ${option}`)].join("\n")}\n> `,
  );
  const answers = line === undefined || line === "" ? undefined : chosenOptions(line, { options, multi });
  await call("answer_question", { questionId, ...(answers === undefined ? {} : { answers }) });
}

/** Numbers choose options, several separated by commas where that is allowed; anything else is an answer of its own. */
function chosenOptions(line: string, { options, multi }: { options: readonly string[]; multi: boolean }): string[] {
  const numbers = (multi ? line.split(",") : [line]).map((word) => options[Number(word.trim()) - 1]);
  return numbers.every((option) => option !== undefined) ? numbers : [line];
}
