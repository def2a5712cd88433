import { type ChoiceItem, chooseDialog } from "../../interactive/dialogs/choose.ts";
import type { Dialog } from "../../interactive/dialogs/dialog.ts";
import { secretDialog } from "../../interactive/dialogs/secret-dialog.ts";
import type { InteractiveRun } from "../../interactive/run-interactive.ts";

// Questions of Ralph itself, over the input of the conversation. Undefined: the person did not want to answer, or left.

type Asking = Pick<InteractiveRun, "host" | "refresh" | "ended">;

export function askChoice<Value>(
  run: Asking,
  title: string,
  items: readonly ChoiceItem<Value>[],
): Promise<Value | undefined> {
  return asked(run, (settle) =>
    chooseDialog({ title, emptyText: "nothing fits", items, onChoose: settle, onCancel: () => settle(undefined) }),
  );
}

/** Only the length of what is typed is shown. */
export function askSecret(run: Asking, title: string, about: string): Promise<string | undefined> {
  return asked(run, (settle) => secretDialog({ title, about, onText: settle, onCancel: () => settle(undefined) }));
}

async function asked<Value>(
  run: Asking,
  dialogFor: (settle: (value: Value | undefined) => void) => Dialog,
): Promise<Value | undefined> {
  const answer = Promise.withResolvers<Value | undefined>();
  const host = run.host();
  host.open(
    dialogFor((value) => {
      host.closeDialog();
      answer.resolve(value);
    }),
  );
  run.refresh();
  return Promise.race([answer.promise, run.ended.then(() => undefined)]);
}
