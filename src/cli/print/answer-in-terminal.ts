import type { OpenCoder } from "../../coder/open-coder.ts";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { MethodParams } from "../../protocol/methods.ts";
import { askInTerminal } from "./terminal-question.ts";

/** Whether somebody sits at the terminal who can be asked, although standard output may go elsewhere. */
export function hasPerson(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Puts what the agent asks to the person at the terminal, one question after the other, each behind everything that was printed
 * before it. Returns how to stop that.
 */
export function answerInTerminal(
  coder: Pick<OpenCoder, "call" | "subscribe">,
  printed: () => Promise<unknown>,
): () => void {
  let last: Promise<unknown> = Promise.resolve();
  return coder.subscribe((event) => {
    const put = questionOf(event, coder);
    if (put !== undefined) last = last.then(printed).then(put);
  });
}

function questionOf(event: AgentEvent, { call }: Pick<OpenCoder, "call">): (() => Promise<unknown>) | undefined {
  if (event.type === "ask-start") {
    const { id, rules } = event.ask;
    return async () => {
      const line = await askInTerminal(`${wholeAsk(event.ask)}\n${choicesFor(rules)} `);
      return call("answer", { askId: id, answer: ANSWERS[(line ?? "").trim().toLowerCase().slice(0, 1)] ?? "no" });
    };
  }
  if (event.type !== "question-start") return undefined;
  const { questionId, question, options, multi } = event;
  return async () => {
    const line = await askInTerminal(
      `${[question, ...options.map((option, index) => `  ${index + 1}. ${option}`)].join("\n")}\n> `,
    );
    const answers = line === undefined || line === "" ? undefined : chosen(line, { options, multi });
    return call("answer_question", { questionId, ...(answers === undefined ? {} : { answers }) });
  };
}

/** Everything that would be done, to its last character: what a person cannot see they cannot allow. */
function wholeAsk({ category, resources, summary, cwd }: Ask): string {
  if (category !== "shell")
    return `Allow: ${oneLine(summary)}${resources.map((resource) => `\n  ${oneLine(resource)}`).join("")}`;
  const lines = resources.flatMap((command) => command.split("\n"));
  return `Allow this command${cwd === undefined ? "" : ` in ${oneLine(cwd)}`}?\n${lines.map((line) => `  ${withBlanks(line)}`).join("\n")}`;
}

function oneLine(text: string): string {
  return withBlanks(text.replace(/\r?\n/g, "⏎"));
}

/** Long runs of blanks push what follows out of sight. */
function withBlanks(line: string): string {
  return line.replace(/[^\S\t]{9,}/g, (blanks) => ` [${blanks.length} blanks] `);
}

const ANSWERS: Record<string, MethodParams<"answer">["answer"]> = { y: "yes", s: "session", a: "always", n: "no" };

/** What is kept is shown before it counts. */
function choicesFor(rules: readonly string[] | undefined): string {
  if (rules === undefined) return "[y]es or [N]o?";
  return `[y]es, [N]o, or, for this [s]ession or [a]lways: ${rules.map(oneLine).join(" ")}?`;
}

/** Numbers choose options, several separated by commas where that is allowed; anything else is an answer of its own. */
function chosen(line: string, { options, multi }: { options: readonly string[]; multi: boolean }): string[] {
  const numbers = (multi ? line.split(",") : [line]).map((word) => options[Number(word.trim()) - 1]);
  return numbers.every((option) => option !== undefined) ? numbers : [line];
}
