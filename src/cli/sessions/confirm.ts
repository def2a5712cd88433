import { confirmInTerminal } from "../print/terminal-question.ts";

/** Asks the person at the terminal. True only for a yes. */
export async function confirm(question: string): Promise<boolean> {
  return confirmInTerminal(question);
}
