import type { Api, Credential, Model } from "../protocol/models.ts";

/** The headers that carry a credential. AWS keys are not headers: they sign the request (`aws-signature`). */
export function authHeaders(model: Model, credential: Credential): Record<string, string> {
  if (credential.type === "none" || credential.type === "aws") return {};
  if (credential.type === "bearer") {
    const account: Record<string, string> =
      credential.accountId === undefined ? {} : { "chatgpt-account-id": credential.accountId };
    return { ...bearer(credential.token), ...account };
  }
  const header = KEY_HEADERS[model.api];
  if (header === undefined) return bearer(credential.key);
  return { [header]: credential.key, ...(model.authHeader === true ? bearer(credential.key) : {}) };
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
