import { asNumber, asString, at, parseJson } from "../../protocol/json.ts";
import { redactSecrets } from "../../system/redact.ts";
import type { Renewal, RenewedTokens, StoredLogin } from "../stored-credentials/stored-login.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { plain } from "./judge-callback.ts";
import { isSafeIssuer, type LoginServer } from "./login-server.ts";

// The two requests for tokens. Answers and refusals are values; no token is in what they say.

export interface TokenTransport {
  now(): number;
  /** The proxy for this address, where there is one. */
  proxyFor(address: string): string | undefined;
  signal?: AbortSignal;
}

export async function exchangeCode(
  server: LoginServer,
  { code, request }: { code: string; request: AuthorizationRequest },
  transport: TokenTransport,
): Promise<Renewal> {
  const form = {
    grant_type: "authorization_code",
    client_id: server.clientId,
    code,
    code_verifier: request.verifier,
    redirect_uri: request.redirectUri,
  };
  return tokensFor(server.issuer, form, transport);
}

export async function renewLogin(login: StoredLogin, transport: TokenTransport): Promise<Renewal> {
  const { issuer, clientId, refreshToken = "" } = login;
  return tokensFor(
    issuer,
    { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken },
    transport,
  );
}

const DEADLINE_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024;

async function tokensFor(issuer: string, form: Record<string, string>, transport: TokenTransport): Promise<Renewal> {
  if (!isSafeIssuer(issuer)) return failed(`${plain(issuer)} is no address tokens may be sent to`);
  const answered = await post(`${issuer}/oauth/token`, form, transport);
  if (!answered.ok) return failed(redactSecrets(`${new URL(issuer).host}: ${answered.message}`, Object.values(form)));
  const { status, body } = answered;
  if (status < 200 || status > 299) {
    const message = redactSecrets(refusalOf(new URL(issuer).host, status, body), Object.values(form));
    return { ok: false, isOver: status === 400 || status === 401 || status === 403, message };
  }
  const tokens = tokensIn(body, transport.now());
  return tokens === undefined ? failed(`${new URL(issuer).host} answered without a token`) : { ok: true, tokens };
}

type Answered = { ok: true; status: number; body: unknown } | { ok: false; message: string };

async function post(url: string, form: Record<string, string>, transport: TokenTransport): Promise<Answered> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const proxy = transport.proxyFor(url);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(form).toString(),
      // A redirect would carry the tokens to an address nobody chose.
      redirect: "manual",
      signal: transport.signal === undefined ? deadline : AbortSignal.any([deadline, transport.signal]),
      ...(proxy === undefined ? {} : { proxy }),
    });
    return { ok: true, status: response.status, body: parseJson(await limitedText(response)) };
  } catch (error) {
    if (deadline.aborted) return { ok: false, message: `no answer within ${DEADLINE_MS / 1000} seconds` };
    return { ok: false, message: error instanceof Error ? plain(error.message) : "the request failed" };
  }
}

async function limitedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.byteLength;
    if (length <= MAX_ANSWER_BYTES) continue;
    void reader.cancel().catch(() => {});
    throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/** What would count for longer than ten years is no time. */
const LONGEST_MS = 10 * 365 * 24 * 60 * 60 * 1000;

/** Servers say it as OAuth has it, or as an object of their own. */
function refusalOf(host: string, status: number, body: unknown): string {
  const said =
    asString(at(body, "error_description")) ?? asString(at(body, "error", "message")) ?? asString(at(body, "error"));
  return `${host} refused it (${status})${said === undefined ? "" : `: ${plain(said)}`}`;
}

function tokensIn(body: unknown, now: number): RenewedTokens | undefined {
  const accessToken = asString(at(body, "access_token"));
  if (accessToken === undefined || accessToken === "") return undefined;
  const refreshToken = asString(at(body, "refresh_token"));
  const seconds = asNumber(at(body, "expires_in"));
  const claimed = asNumber(at(claimsOf(accessToken), "exp"));
  const said = seconds === undefined ? (claimed ?? Number.NaN) * 1000 : now + seconds * 1000;
  const expiresAt = said >= 0 && said <= now + LONGEST_MS ? Math.round(said) : undefined;
  const accountId = accountOf(asString(at(body, "id_token")) ?? "") ?? accountOf(accessToken);
  return {
    accessToken,
    ...(refreshToken === undefined || refreshToken === "" ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(accountId === undefined ? {} : { accountId }),
  };
}

function accountOf(token: string): string | undefined {
  const claims = claimsOf(token);
  const account =
    asString(at(claims, "https://api.openai.com/auth", "chatgpt_account_id")) ??
    asString(at(claims, "chatgpt_account_id"));
  // It becomes a header.
  return account !== undefined && /^[\w.:-]{1,200}$/.test(account) ? account : undefined;
}

/** The middle part of a JSON web token. It is read, not trusted: it came over a connection to whoever made it. */
function claimsOf(token: string): unknown {
  return parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

function failed(message: string): Renewal {
  return { ok: false, isOver: false, message };
}
