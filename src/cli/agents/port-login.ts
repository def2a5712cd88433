import { describeStored } from "../../models/login/login-providers.ts";
import type { AgentPort, LoginWish, Outcome } from "../../rpc/agent-port.ts";
import type { BrowserLogin } from "../login/browser-login.ts";
import { chooseModel } from "../model-choice.ts";
import type { RunContext } from "../run-context.ts";
import type { LiveAgent } from "./open-agent.ts";
import { isStandIn } from "./stand-in-model.ts";

type LoginPart = Pick<AgentPort, "loginProviders" | "login" | "cancelLogin">;

/** Logging in for a program that drives the agent. One login in a browser at a time. */
export function createPortLogin(context: RunContext, current: () => LiveAgent): LoginPart {
  let waiting: BrowserLogin | undefined;
  const withBrowser = async (provider: string, openUrl: (url: string) => void): Promise<Outcome> => {
    if (waiting !== undefined) return { ok: false, message: "A login waits already. Answer it, or let its time pass." };
    const { beginBrowserLogin } = await import("../login/browser-login.ts");
    const begun = await beginBrowserLogin(context, provider);
    if (!begun.ok) return begun;
    waiting = begun.login;
    openUrl(waiting.url);
    return waiting.done.finally(() => {
      waiting = undefined;
    });
  };
  const pasted = async (redirectUrl: string): Promise<Outcome> => {
    if (waiting === undefined)
      return { ok: false, message: "No login waits for an answer. Send login without redirectUrl." };
    const problem = waiting.paste(redirectUrl);
    return problem === undefined ? waiting.done : { ok: false, message: problem };
  };
  return {
    async loginProviders() {
      const { knownProviders } = await import("../login/known-providers.ts");
      const rows = await knownProviders(context);
      return rows.map(({ id, name, method, stored }) => ({
        id,
        name,
        method,
        authenticated: stored !== undefined,
        ...(stored === undefined ? {} : { stored: describeStored(stored, context.clock.now()) }),
      }));
    },
    async login(wish, openUrl) {
      const { providerNamed } = await import("../login/known-providers.ts");
      const found = await providerNamed(context, wish.provider);
      if (!found.ok) return found;
      const { provider } = found;
      const isBrowser = provider.method === "browser";
      const problem = wishProblem(wish, provider.name, isBrowser);
      if (problem !== undefined) return { ok: false, message: problem };
      const { redirectUrl, key = "" } = wish;
      const outcome = isBrowser
        ? await (redirectUrl === undefined ? withBrowser(provider.id, openUrl) : pasted(redirectUrl))
        : await (await import("../login/keep-key.ts")).keepKey(context, provider, key);
      if (!outcome.ok) return { ok: false, message: outcome.message };
      await answerFromNowOn(context, current());
      return { ok: true };
    },
    cancelLogin: () => waiting?.cancel(),
  };
}

function wishProblem({ key, redirectUrl }: LoginWish, name: string, isBrowser: boolean): string | undefined {
  if (isBrowser && key !== undefined) return `${name} is logged in to with a browser, so it takes no key.`;
  if (!isBrowser && redirectUrl !== undefined) return `${name} takes a key, so there is no address to bring.`;
  return isBrowser || key !== undefined ? undefined : `${name} takes a key. Send it as "key".`;
}

/** An agent that was opened while nothing could answer goes on with what can now. */
async function answerFromNowOn(context: RunContext, { coder }: LiveAgent): Promise<void> {
  if (!isStandIn(coder.model())) return;
  const chosen = await chooseModel(context);
  if (chosen.ok) await coder.call("set_model", { model: `${chosen.model.provider}/${chosen.model.id}` });
}
