import { askForSecret, askForText, choose } from "../dialogs/ask-in-dialog.ts";
import { textDialog } from "../dialogs/text-dialog.ts";
import type { LoginRow, LoginServices, Outcome, WaitingLogin } from "../services.ts";
import type { CommandHost } from "./command-host.ts";

/** Lets a person log in somewhere. False where they did not, whatever the reason; it is told. */
export async function logIn(host: CommandHost, login: LoginServices, row: LoginRow): Promise<boolean> {
  const outcome = row.method === "browser" ? await withBrowser(host, login, row) : await withKey(host, login, row);
  if (outcome === undefined) return false;
  host.say(outcome.ok ? outcome.text : `**Not done:** ${outcome.message}`);
  return outcome.ok;
}

async function withKey(host: CommandHost, login: LoginServices, row: LoginRow): Promise<Outcome | undefined> {
  const about = `${row.hint ?? ""} Type or paste it; only its length is shown.`.trim();
  const key = await askForSecret(host, `The key of ${row.name}`, about);
  return key === undefined ? undefined : login.storeKey(row.id, key);
}

async function withBrowser(host: CommandHost, login: LoginServices, row: LoginRow): Promise<Outcome> {
  const begun = await login.begin(row.id);
  if (!begun.ok) return begun;
  const waiting = begun.login;
  host.say(await instructions(host, row, waiting));
  const closeDialog = askForAddress(host, row, waiting);
  const outcome = await waiting.done;
  closeDialog();
  return outcome;
}

async function instructions(host: CommandHost, { name }: LoginRow, { url, isOpened }: WaitingLogin): Promise<string> {
  const isCopied = await host.services.copyText(url);
  const how = isOpened ? "Your browser opens the login" : "Open this address in a browser to log in";
  return `**${name}.** ${how}${isCopied ? " (it is on your clipboard, too)" : ""}:\n\n<${url}>`;
}

/** Open until the login is over: a browser on another machine ends on a page that cannot be shown, and its address is the answer. */
function askForAddress(host: CommandHost, { name }: LoginRow, waiting: WaitingLogin): () => void {
  let isOpen = true;
  const close = () => {
    if (isOpen) host.closeDialog();
    isOpen = false;
  };
  host.open(
    textDialog({
      title: `Waiting for the login to ${name}`,
      label: "browser elsewhere? paste the address it ended on",
      text: "",
      onDone(text) {
        const problem = waiting.paste(text);
        if (problem !== undefined) host.hint(problem);
      },
      onCancel() {
        close();
        waiting.cancel();
      },
    }),
  );
  return close;
}

/** A provider nobody knows yet: its name, where it is, what it speaks, its models, its key. */
export async function addProvider(host: CommandHost, login: LoginServices): Promise<string | undefined> {
  const title = "Add a provider";
  const name = await asked(host, login, { title, label: "what it is called", field: "name" });
  const baseUrl =
    name && (await asked(host, login, { title, label: "its address", field: "baseUrl", text: "https://" }));
  if (!name || !baseUrl) return undefined;
  const format = await choose(
    host,
    "What does it speak?",
    (await login.apis()).map((value) => ({ value, label: value.api, description: value.description })),
  );
  if (format === undefined) return undefined;
  const label = format.listsModels ? "its models, with commas (empty: ask it)" : "its models, with commas";
  const listed = await askForText(host, { title, label, ...(format.listsModels ? { mayBeEmpty: true } : {}) });
  const key = listed === undefined ? undefined : await askForKey(host, name);
  if (listed === undefined || key === undefined) return undefined;
  const models = listed.split(/[\s,]+/).filter((id) => id !== "");
  const added = await login.addProvider({ name, baseUrl, api: format.api, models, key });
  host.say(added.ok ? added.text : `**Not done:** ${added.message}`);
  return added.ok ? name : undefined;
}

interface Field {
  title: string;
  label: string;
  field: "name" | "baseUrl";
  text?: string;
}

/** Asked until it can be used. */
async function asked(
  host: CommandHost,
  login: LoginServices,
  { field, ...question }: Field,
): Promise<string | undefined> {
  for (let text = question.text ?? ""; ; ) {
    const given = await askForText(host, { ...question, text });
    if (given === undefined) return undefined;
    const problem = await login.providerProblem({ [field]: given });
    if (problem === undefined) return given;
    host.hint(problem);
    text = given;
  }
}

async function askForKey(host: CommandHost, name: string): Promise<string | undefined> {
  const needs = await choose(host, `Does ${name} want a key?`, [
    { value: true, label: "yes", description: "it is typed next and stored, sealed" },
    { value: false, label: "no", description: "requests carry none" },
  ]);
  if (needs === undefined) return undefined;
  return needs ? askForSecret(host, `The key of ${name}`, "Type or paste it; only its length is shown.") : "";
}
