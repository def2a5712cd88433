import type { Environment } from "../provider-address.ts";

/** Where people log in, and as which program they let Ralph in. */
export interface LoginServer {
  /** Without a slash at its end. */
  issuer: string;
  clientId: string;
  /** Where the browser brings the answer; 0 takes any free port. */
  callbackPort: number;
}

export type LoginServerResult = { ok: true; server: LoginServer } | { ok: false; message: string };

/** The address the browser is sent back to is registered with this port and this path. */
export const CALLBACK_PATH = "/auth/callback";
const CALLBACK_PORT = 1455;

const ISSUER = "https://auth.openai.com";
/** The public client of ChatGPT subscriptions for programs on a person's own machine. It is no secret. */
const CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann";

/** `RALPH_LOGIN_ISSUER` and `RALPH_LOGIN_PORT` are for a login server of one's own. */
export function loginServer(environment: Environment): LoginServerResult {
  const issuer = (environment.RALPH_LOGIN_ISSUER?.trim() || ISSUER).replace(/\/+$/, "");
  if (!isSafeIssuer(issuer)) {
    const message = `RALPH_LOGIN_ISSUER is "${issuer}". It has to be an https address, or http on this machine.`;
    return { ok: false, message };
  }
  const port = environment.RALPH_LOGIN_PORT?.trim();
  const callbackPort = port ? Number(port) : CALLBACK_PORT;
  if (!Number.isInteger(callbackPort) || callbackPort < 0 || callbackPort > 65_535)
    return { ok: false, message: `RALPH_LOGIN_PORT is "${port}". It has to be a port: 0 to 65535.` };
  return { ok: true, server: { issuer, clientId: CLIENT_ID, callbackPort } };
}

/** Tokens travel there: encrypted, or not off this machine. */
export function isSafeIssuer(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return false;
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isHere);
}
