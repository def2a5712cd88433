import type { CommandHost } from "../commands/command-host.ts";
import { type ChoiceRow, chooseDialog } from "./choose.ts";
import type { Dialog } from "./dialog.ts";
import { secretDialog } from "./secret-dialog.ts";
import { textDialog } from "./text-dialog.ts";

// Questions one behind the other. Undefined: the person did not want to answer.

type Asking = Pick<CommandHost, "open" | "closeDialog">;

export function choose<Value>(host: Asking, title: string, items: readonly ChoiceRow<Value>[]) {
  return asked<Value>(host, (settle) =>
    chooseDialog({ title, emptyText: "nothing fits", items, onChoose: settle, onCancel: () => settle(undefined) }),
  );
}

/** Only the length of what is typed is shown. */
export function askForSecret(host: Asking, title: string, about: string) {
  return asked<string>(host, (settle) =>
    secretDialog({ title, about, onText: settle, onCancel: () => settle(undefined) }),
  );
}

export function askForText(host: Asking, question: { title: string; label: string; text?: string; mayBeEmpty?: true }) {
  const { text = "", ...rest } = question;
  return asked<string>(host, (settle) =>
    textDialog({ ...rest, text, onDone: settle, onCancel: () => settle(undefined) }),
  );
}

function asked<Value>(
  host: Asking,
  dialogFor: (settle: (value: Value | undefined) => void) => Dialog,
): Promise<Value | undefined> {
  const answer = Promise.withResolvers<Value | undefined>();
  host.open(
    dialogFor((value) => {
      host.closeDialog();
      answer.resolve(value);
    }),
  );
  return answer.promise;
}
