import { choose } from "../dialogs/ask-in-dialog.ts";
import type { ChoiceRow } from "../dialogs/choose.ts";
import type { InteractiveServices, LoginRow, LoginServices } from "../services.ts";
import type { ArgumentChoice, CommandHost, SlashCommand } from "./command-host.ts";
import { addProvider, logIn } from "./login-steps.ts";

// Keys and subscriptions. What is stored counts from the next request on, in the conversation that runs as well.

export const LOGIN_COMMANDS: readonly SlashCommand[] = [
  {
    name: "login",
    usage: "[provider]",
    description: "log in with a subscription or a key, or add a provider",
    choices: (services) => choices(services, () => true),
    run: login,
  },
  {
    name: "logout",
    usage: "[provider]",
    description: "forget a stored key or login",
    choices: (services) => choices(services, ({ stored }) => stored !== undefined),
    run: logout,
  },
];

const UNAVAILABLE = "Nothing can be stored in this run.";

async function choices(services: InteractiveServices, isMeant: (row: LoginRow) => boolean): Promise<ArgumentChoice[]> {
  const rows = (await services.login?.list()) ?? [];
  return rows.filter(isMeant).map(({ id, name, stored }) => ({ label: id, description: stored ?? name }));
}

async function login(host: CommandHost, rest: string): Promise<void> {
  const { login: services } = host.services;
  if (services === undefined) return host.say(UNAVAILABLE);
  const rows = await services.list();
  const wish = rest === "" ? await choose(host, "Log in", loginRows(rows)) : named(rows, rest);
  if (wish === undefined) return rest === "" ? undefined : host.say(unknownProvider(rest, rows));
  const provider = wish === "new" ? await addProvider(host, services) : await loggedIn(host, services, wish);
  if (provider !== undefined) await recommend(host, provider);
}

async function loggedIn(host: CommandHost, services: LoginServices, row: LoginRow): Promise<string | undefined> {
  return (await logIn(host, services, row)) ? row.id : undefined;
}

function loginRows(rows: readonly LoginRow[]): ChoiceRow<LoginRow | "new">[] {
  const items = (method: LoginRow["method"]) =>
    rows
      .filter((row) => row.method === method)
      .map(
        (row): ChoiceRow<LoginRow | "new"> => ({
          value: row,
          label: row.name,
          description: row.stored ?? row.id,
          words: row.id,
        }),
      );
  return [
    { value: "new", label: "Add custom provider", description: "name, address, format, key" },
    { heading: "with a subscription" },
    ...items("browser"),
    { heading: "with a key" },
    ...items("key"),
  ];
}

function named(rows: readonly LoginRow[], text: string): LoginRow | undefined {
  const wanted = text.toLowerCase();
  return rows.find(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted);
}

/** What stands behind the name may be a key, so it is not repeated. */
function unknownProvider(text: string, rows: readonly LoginRow[]): string {
  const [name = "", ...others] = text.split(/\s+/);
  if (others.length > 0) return "Name the provider alone: its key is asked for next, and shown nowhere.";
  return `There is no provider \`${name}\` here. There are: ${rows.map(({ id }) => id).join(", ") || "none"}.`;
}

/** What fits the new login: its profiles, or its models. */
async function recommend(host: CommandHost, provider: string): Promise<void> {
  if (host.state().model.startsWith(`${provider}/`)) return;
  const profiles = ((await host.services.listProfiles?.()) ?? []).filter(
    (row) => row.provider === provider && row.problem === undefined,
  );
  const names = profiles.map(({ name }) => `\`${name}\``);
  host.say(
    names.length === 0
      ? `\`/model\` now has the models of ${provider}.`
      : `\`/model\` now has the models of ${provider}, and profiles that fit: ${names.join(", ")}.`,
  );
}

async function logout(host: CommandHost, rest: string): Promise<void> {
  const { login: services } = host.services;
  if (services === undefined) return host.say(UNAVAILABLE);
  const rows = (await services.list()).filter(({ stored }) => stored !== undefined);
  if (rows.length === 0) return host.say("No key and no login is stored.");
  const items = rows.map((row) => ({ value: row, label: row.name, description: row.stored ?? "" }));
  const row = rest === "" ? await choose(host, "Log out", items) : named(rows, rest);
  if (row === undefined) return rest === "" ? undefined : host.say(unknownProvider(rest, rows));
  const outcome = await services.logout(row.id);
  host.say(outcome.ok ? outcome.text : `**Not done:** ${outcome.message}`);
}
