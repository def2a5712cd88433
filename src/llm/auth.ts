import { asString, at, parseJson } from "../protocol/json.ts";
import type { Api, Credential, Model } from "../protocol/models.ts";

/** The headers that carry a credential. AWS keys are not headers: they sign the request (`aws-signature`). */
export function authHeaders(model: Model, credential: Credential): Record<string, string> {
  if (credential.type === "none" || credential.type === "aws") return {};
  if (credential.type === "bearer") return { ...bearer(credential.token), ...accountHeader(model, credential) };
  if (model.api === "openai-codex-responses") return authHeaders(model, { type: "bearer", token: credential.key });
  const header = KEY_HEADERS[model.api];
  if (header === undefined) return bearer(credential.key);
  return { [header]: credential.key, ...(model.authHeader === true ? bearer(credential.key) : {}) };
}

/** The ChatGPT backend wants the account beside the token; the token itself names it where nobody else did. */
function accountHeader(
  model: Model,
  { token, accountId }: { token: string; accountId?: string },
): Record<string, string> {
  if (model.api !== "openai-codex-responses") return {};
  const account = accountId ?? asString(at(claimsOf(token), "https://api.openai.com/auth", "chatgpt_account_id"));
  return account === undefined ? {} : { "chatgpt-account-id": account };
}

/** The middle part of a JSON web token. It is read, not trusted: the server checks it. */
function claimsOf(token: string): unknown {
  return parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

/** APIs that take a key in a header of their own; all others take it as a bearer token. */
const KEY_HEADERS: Partial<Record<Api, string>> = {
  "anthropic-messages": "x-api-key",
  "google-generative-ai": "x-goog-api-key",
  "azure-openai-responses": "api-key",
};

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
