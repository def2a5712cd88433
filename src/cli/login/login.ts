import { describeStored, type LoginProvider } from "../../models/login/login-providers.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";
import type { BrowserLogin } from "./browser-login.ts";
import { type FoundProvider, knownProviders, providerNamed } from "./known-providers.ts";

/** What `--login` and `--logout` mean where they name nothing. */
export const SUBSCRIPTION = "openai-codex";

/** `ralph login [PROVIDER]`, and `--login [PROVIDER]`: a subscription in a browser, or a key that is typed or piped once. */
export async function login(context: RunContext): Promise<number> {
  const named = providerWord(context, "login");
  if (named.type === "too-many") return refuse(context, named.message, EXIT.usage);
  const found = named.name === undefined ? await askForProvider(context) : await providerNamed(context, named.name);
  if (!found.ok) return refuse(context, found.message, EXIT.usage);
  return found.provider.method === "browser" ? withBrowser(context, found.provider) : withKey(context, found.provider);
}

export type NamedProvider = { type: "named"; name: string | undefined } | { type: "too-many"; message: string };

/** The one word behind a command, or the value of the flag of the same name. */
export function providerWord(context: RunContext, command: "login" | "logout"): NamedProvider {
  const { words } = context.arguments;
  const given = [flagText(context, command), ...words].filter((word) => word !== undefined);
  if (given.length > 1) {
    // What stands there may be a key, so it is not repeated.
    const key =
      command === "login" ? " A key is typed when it is asked for, or piped in: ralph login PROVIDER < FILE." : "";
    const message = `ralph ${command} takes the name of one provider.${key} To ask a model, use ralph -p.`;
    return { type: "too-many", message };
  }
  const standard = hasFlag(context, command) ? SUBSCRIPTION : undefined;
  return { type: "named", name: given[0] ?? standard };
}

async function askForProvider(context: RunContext): Promise<FoundProvider> {
  const providers = await knownProviders(context);
  if (!process.stdin.isTTY) {
    const names = providers.map(({ id }) => id).join(", ");
    return { ok: false, message: `Name the provider: ralph login PROVIDER. There are: ${names}.` };
  }
  const width = Math.max(...providers.map(({ id }) => id.length));
  const rows = providers.map(({ id, name, stored }, index) => {
    const about = stored === undefined ? name : `${name} (${describeStored(stored, context.clock.now())})`;
    return `${`${index + 1}`.padStart(3)}  ${id.padEnd(width)}  ${about}`;
  });
  print(`${rows.join("\n")}\n`);
  const { askInTerminal } = await import("../print/terminal-question.ts");
  const answer = (await askInTerminal("Provider, by name or number: ")) ?? "";
  const chosen = providers[Number(answer) - 1];
  if (answer === "") return { ok: false, message: "No provider was chosen, so nothing was done." };
  return chosen === undefined ? providerNamed(context, answer) : { ok: true, provider: chosen };
}

async function withKey(context: RunContext, provider: LoginProvider): Promise<number> {
  const given = await keyFrom(context, provider);
  if (!given.ok) return refuse(context, given.message, EXIT.failed);
  const { keepKey } = await import("./keep-key.ts");
  const kept = await keepKey(context, provider, given.text);
  if (!kept.ok) return refuse(context, kept.message, EXIT.failed);
  for (const note of kept.notes) context.note(note);
  print(
    `The key of ${provider.name} is stored, sealed, in ${context.paths.credentials}. Forget it: ralph logout ${provider.id}\n`,
  );
  return EXIT.done;
}

async function keyFrom(
  context: RunContext,
  { name, hint }: LoginProvider,
): Promise<{ ok: true; text: string } | { ok: false; message: string }> {
  if (!process.stdin.isTTY) {
    const { readStandardInput } = await import("../print/standard-input.ts");
    return readStandardInput(context.clock, context.note);
  }
  const { askSecretInTerminal } = await import("./secret-line.ts");
  if (hint !== undefined) context.note(`A key comes from ${hint}`);
  const text = await askSecretInTerminal(`The key of ${name} (nothing of it is shown): `);
  return text === undefined ? { ok: false, message: "No key was given, so nothing was done." } : { ok: true, text };
}

async function withBrowser(context: RunContext, { id, name }: LoginProvider): Promise<number> {
  const { beginBrowserLogin, LOGIN_SECONDS } = await import("./browser-login.ts");
  const begun = await beginBrowserLogin(context, id);
  if (!begun.ok) return refuse(context, begun.message, EXIT.failed);
  const { openBrowser } = await import("./open-browser.ts");
  const { login: waiting } = begun;
  const stopListening = onStopSignal(() => waiting.cancel());
  const isOpened = !waiting.isHeadless && openBrowser(context, waiting.url);
  const how = isOpened
    ? "Your browser opens the login; if it does not, open this address"
    : "Open this address in a browser";
  print(`${how}:\n\n${waiting.url}\n\nWaiting ${LOGIN_SECONDS} seconds for the answer.\n`);
  print("Is the browser on another machine? Paste the address it ended on here (http://localhost:…), and Enter.\n");
  void takePasted(context, waiting);
  const outcome = await waiting.done;
  stopListening();
  if (!outcome.ok) return refuse(context, outcome.message, outcome.isCancelled ? EXIT.interrupted : EXIT.failed);
  print(`Logged in to ${name}. Forget it: ralph logout ${id}\n`);
  return EXIT.done;
}

const LONGEST_LINE = 65_536;

/** Lines of standard input, until the login is over; the process ends without waiting for one. */
async function takePasted({ note }: RunContext, waiting: BrowserLogin): Promise<void> {
  let held = "";
  const decoder = new TextDecoder();
  for await (const bytes of Bun.stdin.stream()) {
    held = (held + decoder.decode(bytes, { stream: true })).slice(-LONGEST_LINE);
    const lines = held.split("\n");
    held = lines.pop() ?? "";
    for (const line of lines.filter((each) => each.trim() !== "")) {
      const problem = waiting.paste(line);
      if (problem !== undefined) note(problem);
    }
  }
  const problem = held.trim() === "" ? undefined : waiting.paste(held);
  if (problem !== undefined) note(problem);
}

function refuse(context: RunContext, message: string, code: number): number {
  context.note(message);
  return code;
}
