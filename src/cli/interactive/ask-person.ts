import { askForSecret, choose } from "../../interactive/dialogs/ask-in-dialog.ts";
import type { ChoiceItem } from "../../interactive/dialogs/choose.ts";
import type { InteractiveRun } from "../../interactive/run-interactive.ts";

// Questions of Ralph itself, over the input of the conversation. Undefined: the person did not want to answer, or left.

type Asking = Pick<InteractiveRun, "host" | "refresh" | "ended">;

export function askChoice<Value>(
  run: Asking,
  title: string,
  items: readonly ChoiceItem<Value>[],
): Promise<Value | undefined> {
  return unlessEnded(run, choose(run.host(), title, items));
}

/** Only the length of what is typed is shown. */
export function askSecret(run: Asking, title: string, about: string): Promise<string | undefined> {
  return unlessEnded(run, askForSecret(run.host(), title, about));
}

function unlessEnded<Value>(run: Asking, answer: Promise<Value | undefined>): Promise<Value | undefined> {
  run.refresh();
  return Promise.race([answer, run.ended.then(() => undefined)]);
}
