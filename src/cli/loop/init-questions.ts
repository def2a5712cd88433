import { branchProblem } from "../../loop/tasks/branch-name.ts";
import { defaultBranch } from "../../loop/tasks/init-task.ts";
import { type NewStory, printTask } from "../../loop/tasks/new-task.ts";
import { EXIT } from "../exit-codes.ts";
import { askInTerminal } from "../print/terminal-question.ts";
import type { RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";

/**
 * Asks the person at the terminal for a task. Undefined where they closed the input before the end; Ctrl-C ends the process.
 * Nothing is written before the last answer.
 */
export async function askForTask(context: RunContext, directory: string): Promise<{ prd?: string } | undefined> {
  const stopListening = onStopSignal(() => {
    context.note("Nothing was written.");
    process.exit(EXIT.interrupted);
  });
  try {
    const branchName = await askForBranch(context, defaultBranch(directory));
    const stories = branchName === undefined ? undefined : await askForStories();
    if (branchName === undefined || stories === undefined) return undefined;
    return stories.length === 0 ? {} : { prd: printTask({ branchName, description: "", stories }) };
  } finally {
    stopListening();
  }
}

async function askForBranch({ note }: RunContext, standard: string): Promise<string | undefined> {
  for (;;) {
    const answer = await askInTerminal(`Branch for the work [${standard}]: `);
    if (answer === undefined) return undefined;
    const name = answer === "" ? standard : answer;
    const problem = branchProblem(name);
    if (problem === undefined) return name;
    note(`${problem}.`);
  }
}

async function askForStories(): Promise<NewStory[] | undefined> {
  const stories: NewStory[] = [];
  for (;;) {
    const number = stories.length + 1;
    const title = await askInTerminal(`Story ${number}, what should be true when it is done (empty to end): `);
    if (title === undefined || title === "") return title === undefined ? undefined : stories;
    const acceptanceCriteria = await askForLines("  Criterion (empty to go on): ");
    const checks = acceptanceCriteria && (await askForLines("  Command that proves it with exit 0 (empty to go on): "));
    if (acceptanceCriteria === undefined || checks === undefined) return undefined;
    const rest = { description: "", priority: number, sealed: [], dependsOn: [] };
    stories.push({ id: `S-${number}`, title, acceptanceCriteria, checks, ...rest });
  }
}

async function askForLines(question: string): Promise<string[] | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await askInTerminal(question);
    if (line === undefined) return undefined;
    if (line === "") return lines;
    lines.push(line);
  }
}
