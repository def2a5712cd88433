import type { OpenCoder } from "../../coder/open-coder.ts";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import { printable } from "../printable.ts";

/** Whether somebody sits at the terminal who can be asked, although standard output may go elsewhere. */
export function hasPerson(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Puts what the agent asks to the person at the terminal, one question after the other. Returns how to stop that. */
export function answerInTerminal(coder: Pick<OpenCoder, "call" | "subscribe">): () => void {
  let last: Promise<unknown> = Promise.resolve();
  return coder.subscribe((event) => {
    const put = questionOf(event, coder);
    if (put !== undefined) last = last.then(put);
  });
}

function questionOf(event: AgentEvent, { call }: Pick<OpenCoder, "call">): (() => Promise<unknown>) | undefined {
  if (event.type === "ask-start") {
    const { id, summary } = event.ask;
    return async () => {
      const line = await read(`Allow: ${summary}? [y/N] `);
      return call("answer", { askId: id, answer: /^y(es)?$/i.test(line ?? "") ? "yes" : "no" });
    };
  }
  if (event.type !== "question-start") return undefined;
  const { questionId, question, options, multi } = event;
  return async () => {
    const line = await read(
      `${[question, ...options.map((option, index) => `  ${index + 1}. ${option}`)].join("\n")}\n> `,
    );
    const answers = line === undefined || line === "" ? undefined : chosen(line, { options, multi });
    return call("answer_question", { questionId, ...(answers === undefined ? {} : { answers }) });
  };
}

/** Numbers choose options, several separated by commas where that is allowed; anything else is an answer of its own. */
function chosen(line: string, { options, multi }: { options: readonly string[]; multi: boolean }): string[] {
  const numbers = (multi ? line.split(",") : [line]).map((word) => options[Number(word.trim()) - 1]);
  return numbers.every((option) => option !== undefined) ? numbers : [line];
}

/** Undefined when the terminal was closed. */
async function read(text: string): Promise<string | undefined> {
  process.stderr.write(printable(text));
  for await (const line of console) return line.trim();
  return undefined;
}
