import { existsSync } from "node:fs";
import { join } from "node:path";
import { MAX_PROMPT_CHARACTERS } from "../../loop/control/methods.ts";
import { lockTask } from "../../loop/run/task-lock.ts";
import { JournalFailure, journalPath, openJournal } from "../../loop/state/loop-journal.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import type { FoundLoop } from "./find-loop.ts";
import { whatNow } from "./send-wish.ts";

/** An answer to a run that waits for a person and is over: it is stored, and the next run's first agent is told. */
export async function injectLater(context: RunContext, loop: FoundLoop, prompt: string): Promise<number> {
  const { name, folder } = loop;
  if (!existsSync(journalPath(folder))) return refuse(context, `No loop named ${name} is running. ${whatNow(loop)}`);
  if (prompt.length > MAX_PROMPT_CHARACTERS)
    return refuse(context, `The text is longer than ${MAX_PROMPT_CHARACTERS} characters. Name a file in it instead.`);
  const locked = await lockTask(join(folder, "lock"), `ralph inject ${name}`);
  if (!locked.ok) {
    const why = locked.holder === undefined ? locked.message : `A loop works on ${name} but does not answer.`;
    return refuse(context, `${why} Try it again in a moment.`);
  }
  try {
    return await storePrompt(context, loop, prompt);
  } catch (error) {
    if (error instanceof JournalFailure) return refuse(context, `The text could not be kept: ${error.message}`);
    throw error;
  } finally {
    await locked.lock.release();
  }
}

async function storePrompt(context: RunContext, loop: FoundLoop, prompt: string): Promise<number> {
  const { name, folder } = loop;
  const opened = await openJournal({ folder, clock: context.clock, onEntry: () => undefined });
  if (!opened.ok) return refuse(context, opened.message);
  const { journal } = opened;
  try {
    const { run, verdict } = journal.state();
    if (run === undefined || verdict?.verdict === "done")
      return refuse(context, `No loop named ${name} is running. ${whatNow(loop)}`);
    await journal.append({ type: "injected", prompt });
    print(`${name} is not running. Its next agent is told first: ${prompt}\nGo on: ralph run ${run.directory}\n`);
    return EXIT.done;
  } finally {
    await journal.close();
  }
}

function refuse(context: RunContext, message: string): number {
  context.note(message);
  return EXIT.failed;
}
