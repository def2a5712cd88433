import { existsSync } from "node:fs";
import { authorizationRequest, randomText } from "../../models/login/authorization-request.ts";
import { type CallbackAnswer, judgePasted } from "../../models/login/judge-callback.ts";
import { type CallbackListener, listenForCallback } from "../../models/login/listen-for-callback.ts";
import { CALLBACK_PATH, type LoginServer, loginServer } from "../../models/login/login-server.ts";
import { exchangeCode } from "../../models/login/token-requests.ts";
import { proxyFor } from "../proxy.ts";
import type { RunContext } from "../run-context.ts";
import { isHeadless } from "./headless.ts";

export type LoginOutcome = { ok: true } | { ok: false; message: string; isCancelled?: true };

/** A login that waits for the person to answer in a browser. */
export interface BrowserLogin {
  /** What is to be opened. */
  url: string;
  /** No browser of this machine would be seen. */
  isHeadless: boolean;
  /** Takes the address the browser ended on, from a person whose browser runs elsewhere. Gives back why it is no answer. */
  paste(text: string): string | undefined;
  /** Settles within the time a login has; the login is stored by then. */
  done: Promise<LoginOutcome>;
  cancel(): void;
}

export type BegunLogin = { ok: true; login: BrowserLogin } | { ok: false; message: string };

export const LOGIN_SECONDS = 300;

type Ending = CallbackAnswer | { type: "late" } | { type: "cancelled" };

/** What a login needs of a run. */
export type LoginContext = Pick<RunContext, "environment" | "clock" | "credentials">;

export async function beginBrowserLogin(context: LoginContext, provider: string): Promise<BegunLogin> {
  const { environment, clock } = context;
  const found = loginServer(environment);
  if (!found.ok) return found;
  const state = randomText();
  const listening = listenForCallback({ port: found.server.callbackPort, state });
  if (!listening.ok) return listening;
  const { listener } = listening;
  const redirectUri = `http://localhost:${listener.port}${CALLBACK_PATH}`;
  const request = await authorizationRequest(found.server, { state, redirectUri });
  const ending = Promise.withResolvers<Ending>();
  const cancelled = new AbortController();
  void listener.answer.then(ending.resolve);
  const stopTimer = clock.timer(LOGIN_SECONDS * 1000, () => ending.resolve({ type: "late" }));
  const taking = { context, provider, server: found.server, request, signal: cancelled.signal };
  const done = ending.promise.then((answer) => taken(taking, answer)).finally(() => stopped(listener, stopTimer));
  const login: BrowserLogin = {
    url: request.url,
    isHeadless: isHeadless({ environment, platform: process.platform, exists: existsSync }),
    paste(text) {
      const judged = judgePasted(text, state);
      if (judged.type === "turned-away") return `That is not taken: ${judged.why}.`;
      ending.resolve(judged.answer);
      return undefined;
    },
    done,
    cancel() {
      cancelled.abort();
      ending.resolve({ type: "cancelled" });
    },
  };
  return { ok: true, login };
}

interface Taking {
  context: LoginContext;
  provider: string;
  server: LoginServer;
  request: Awaited<ReturnType<typeof authorizationRequest>>;
  signal: AbortSignal;
}

async function taken(taking: Taking, answer: Ending): Promise<LoginOutcome> {
  const { context, provider, server, request, signal } = taking;
  if (answer.type === "late")
    return { ok: false, message: `The login was not finished within ${LOGIN_SECONDS} seconds. Begin it again.` };
  if (answer.type === "cancelled") return CANCELLED;
  if (answer.type === "refused") return { ok: false, message: `Ralph was not let in: ${answer.reason}` };
  const { environment, clock, credentials } = context;
  const transport = { now: clock.now, proxyFor: (address: string) => proxyFor(address, environment), signal };
  const exchanged = await exchangeCode(server, { code: answer.code, request }, transport);
  if (signal.aborted) return CANCELLED;
  if (!exchanged.ok) return { ok: false, message: `The login failed: ${exchanged.message}. Begin it again.` };
  const { issuer, clientId } = server;
  return credentials.storeLogin(provider, { ...exchanged.tokens, issuer, clientId });
}

const CANCELLED: LoginOutcome = { ok: false, message: "The login was given up.", isCancelled: true };

async function stopped(listener: CallbackListener, stopTimer: () => void): Promise<void> {
  stopTimer();
  await listener.stop();
}
