import type { LoginRow, LoginServices, Outcome, WaitingLogin } from "../../../interactive/services.ts";
import { describeStored } from "../../../models/login/login-providers.ts";
import { addProvider, NEW_PROVIDER_APIS, providerProblem } from "../../login/add-provider.ts";
import { beginBrowserLogin } from "../../login/browser-login.ts";
import { keepKey } from "../../login/keep-key.ts";
import { knownProviders, providerNamed } from "../../login/known-providers.ts";
import { openBrowser } from "../../login/open-browser.ts";
import type { RunContext } from "../../run-context.ts";

/** Logging in and out from the conversation. */
export function loginServices(context: RunContext): LoginServices {
  return {
    list: () => list(context),
    async storeKey(id, key) {
      const found = await providerNamed(context, id);
      const kept = found.ok ? await keepKey(context, found.provider, key) : found;
      if (!kept.ok) return { ok: false, message: kept.message };
      return { ok: true, text: [`The key of ${id} is stored, sealed, and used from now on.`, ...kept.notes].join(" ") };
    },
    begin: (id) => begin(context, id),
    async logout(id) {
      const removed = await context.credentials.remove(id);
      return removed.ok ? { ok: true, text: `What was stored for ${id} is forgotten.` } : removed;
    },
    apis: async () => NEW_PROVIDER_APIS,
    providerProblem: (provider) => providerProblem(context, provider),
    addProvider: (provider) => addProvider(context, provider),
  };
}

async function list(context: RunContext): Promise<LoginRow[]> {
  return (await knownProviders(context)).map(({ stored, ...row }) => ({
    ...row,
    ...(stored === undefined ? {} : { stored: describeStored(stored, context.clock.now()) }),
  }));
}

async function begin(
  context: RunContext,
  id: string,
): Promise<{ ok: true; login: WaitingLogin } | { ok: false; message: string }> {
  const begun = await beginBrowserLogin(context, id);
  if (!begun.ok) return begun;
  const { url, isHeadless, paste, cancel, done } = begun.login;
  const isOpened = !isHeadless && openBrowser(context, url);
  const told = done.then((outcome): Outcome => (outcome.ok ? { ok: true, text: `Logged in to ${id}.` } : outcome));
  return { ok: true, login: { url, isOpened, paste, cancel, done: told } };
}
