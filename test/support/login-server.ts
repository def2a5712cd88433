// A login server as ChatGPT subscriptions have one, on loopback: it checks everything a real one checks, and notes what it gave.

export interface LoginServerOptions {
  /** How long access tokens count; absent: it says nothing about that. */
  expiresIn?: number;
  /** Whether a renewal gives another refresh token and ends the one before; true where absent. */
  rotates?: boolean;
  /** Answers a request for tokens in place of the server. */
  refuse?(form: URLSearchParams): Response | undefined;
}

export interface TestLoginServer {
  issuer: string;
  options: LoginServerOptions;
  /** Requests for tokens, in the order they came. */
  requests: URLSearchParams[];
  /** What it answered to them. */
  statuses: number[];
  /** What counts now. */
  refreshToken(): string;
  accessToken(): string;
  /** Logs in as a person does and gives back where the browser is sent. */
  approve(url: string): Promise<string>;
  stop(): void;
  [Symbol.dispose](): void;
}

export const ACCOUNT = "acct-0123";

export function startLoginServer(given: LoginServerOptions = {}): TestLoginServer {
  const options = { ...given };
  const challenges = new Map<string, { challenge: string; redirectUri: string }>();
  const [requests, statuses]: [URLSearchParams[], number[]] = [[], []];
  let serial = 0;
  const refreshToken = () => `refresh-token-${serial}-0123456789`;
  const accessToken = () => tokenOf({ serial, "https://api.openai.com/auth": { chatgpt_account_id: ACCOUNT } });
  const give = (isFirst: boolean) => {
    serial += 1;
    return Response.json({
      access_token: accessToken(),
      id_token: tokenOf({ "https://api.openai.com/auth": { chatgpt_account_id: ACCOUNT } }),
      ...(isFirst || options.rotates !== false ? { refresh_token: refreshToken() } : {}),
      ...(options.expiresIn === undefined ? {} : { expires_in: options.expiresIn }),
    });
  };
  const tokens = async (form: URLSearchParams): Promise<Response> => {
    const refused = options.refuse?.(form);
    if (refused !== undefined) return refused;
    if (form.get("grant_type") === "refresh_token") {
      const isOwn = options.rotates === false || form.get("refresh_token") === refreshToken();
      return isOwn ? give(false) : Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const code = form.get("code") ?? "";
    const begun = challenges.get(code);
    challenges.delete(code);
    const isProven = begun?.challenge === (await challengeOf(form.get("code_verifier") ?? ""));
    const isWhole = isProven && begun?.redirectUri === form.get("redirect_uri");
    return isWhole ? give(true) : Response.json({ error: "invalid_grant" }, { status: 400 });
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const isForm = request.headers.get("content-type") === "application/x-www-form-urlencoded";
      if (url.pathname !== "/oauth/token" || request.method !== "POST" || !isForm)
        return new Response("", { status: 404 });
      const form = new URLSearchParams(await request.text());
      requests.push(form);
      const response = await tokens(form);
      statuses.push(response.status);
      return response;
    },
  });
  const stop = () => void server.stop(true);
  return {
    issuer: `http://127.0.0.1:${server.port}`,
    options,
    requests,
    statuses,
    refreshToken,
    accessToken,
    async approve(text) {
      const query = new URL(text).searchParams;
      const code = `code-${crypto.randomUUID()}`;
      const redirectUri = query.get("redirect_uri") ?? "";
      challenges.set(code, { challenge: query.get("code_challenge") ?? "", redirectUri });
      return `${redirectUri}?code=${code}&state=${query.get("state")}`;
    },
    stop,
    [Symbol.dispose]: stop,
  };
}

/** A JSON web token; nobody checks its signature. */
export function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.c2lnbmF0dXJl`;
}

async function challengeOf(verifier: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString("base64url");
}
