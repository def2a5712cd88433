import type { LoginServer } from "./login-server.ts";

/** One login that was begun. Neither the state nor the verifier is ever used for another. */
export interface AuthorizationRequest {
  /** What the person opens in a browser. */
  url: string;
  /** What the answer has to carry. */
  state: string;
  /** Proves that whoever brings the code is who asked for it. */
  verifier: string;
  redirectUri: string;
}

export const SCOPE = "openid profile email offline_access";

/** `state` is made before, because whoever waits for the answer has to know it. */
export async function authorizationRequest(
  { issuer, clientId }: LoginServer,
  { state, redirectUri }: Pick<AuthorizationRequest, "state" | "redirectUri">,
): Promise<AuthorizationRequest> {
  const verifier = randomText();
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: "S256",
    state,
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
    originator: "ralph",
  });
  return { url: `${issuer}/oauth/authorize?${query}`, state, verifier, redirectUri };
}

/** 256 random bits in characters that need no escaping anywhere. */
export function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return Buffer.from(digest).toString("base64url");
}
