import { providerRow, unsupportedProvider } from "../llm/providers.ts";
import type { Credential, Model } from "../protocol/models.ts";
import { AWS_VARIABLES, awsMayHaveCredential, findAwsCredential, type RunCommand } from "./aws-credentials.ts";
import type { ModelsFile, ProviderEntry } from "./models-file-schema.ts";
import type { Environment } from "./provider-address.ts";
import type { CredentialPresence } from "./registry.ts";

// The key for a provider, in fixed order: the command line, the stored key, the stored login, the environment, models.yml.

/** What a login or `ralph` itself has stored. Reading may refresh a token, so it takes time. */
export interface StoredCredentials {
  /** Whether `find` would find something, without opening it. */
  has(provider: string): boolean;
  find(provider: string): Promise<StoredCredential>;
  /** Why nothing that is stored can be used at all. */
  problem?(): string | undefined;
}

/** `problem` says why a login could not be used, for example that it expired, and what to do; beside a login, what went wrong with keeping it. */
export interface StoredCredential {
  key?: string;
  oauth?: { token: string; accountId?: string };
  problem?: string;
}

export interface CredentialSources {
  environment: Environment;
  home: string;
  /** The value of `--api-key`. */
  apiKey?: string;
  stored?: StoredCredentials;
  providers?: ModelsFile["providers"];
  run?: RunCommand;
}

export type CredentialOrigin =
  | { type: "command-line" }
  | { type: "stored-key" }
  | { type: "stored-login" }
  | { type: "environment"; variable: string }
  /** `variable` is absent where the file holds the key itself. */
  | { type: "models.yml"; variable?: string }
  | { type: "aws"; from: string; region: string }
  | { type: "not-needed" };

export type CredentialResult =
  | { ok: true; credential: Credential; origin: CredentialOrigin; warning?: string }
  | { ok: false; provider: string; variables: string[]; message: string };

/** What is asked about: a model, or a provider as such. */
export type CredentialSubject = Pick<Model, "provider"> & Partial<Pick<Model, "auth" | "api" | "baseUrl">>;

export async function findCredential(
  subject: CredentialSubject,
  sources: CredentialSources,
): Promise<CredentialResult> {
  if (sources.apiKey) return keyFound(subject, sources.apiKey, { type: "command-line" });
  if (authOf(subject, sources) === "none")
    return { ok: true, credential: { type: "none" }, origin: { type: "not-needed" } };
  const stored = await fromStore(subject, sources.stored);
  if (stored.found !== undefined) return stored.found;
  const found = await fromEnvironment(subject, sources);
  if (found.ok) return found;
  const configured = fromFile(subject, sources);
  if (configured !== undefined) return configured;
  return stored.problem === undefined ? found : { ...found, message: stored.problem };
}

/**
 * Whether `findCredential` would find one, as far as that can be said without reading files or refreshing tokens. The key of
 * the command line is for the one model that gets chosen, so it makes no model available.
 */
export function credentialPresence(subject: CredentialSubject, sources: CredentialSources): CredentialPresence {
  const { provider } = subject;
  if (authOf(subject, sources) === "none" || sources.stored?.has(provider) === true) return { ok: true };
  if (isAws(subject, sources) && awsMayHaveCredential(sources)) return { ok: true };
  if (firstVariable(variablesOf(subject), sources.environment) !== undefined) return { ok: true };
  if (fromFile(subject, sources) !== undefined) return { ok: true };
  const { variables, message } = missing(subject, sources);
  return { ok: false, variables, message };
}

/** What is stored for it, where that opens the door; `problem` says why it does not. */
export async function fromStore(
  subject: CredentialSubject,
  stored: StoredCredentials | undefined,
): Promise<{ found?: Extract<CredentialResult, { ok: true }>; problem?: string }> {
  if (stored?.has(subject.provider) !== true) return {};
  const { key, oauth, problem } = await stored.find(subject.provider);
  if (key) return { found: keyFound(subject, key, { type: "stored-key" }) };
  if (oauth === undefined) return problem === undefined ? {} : { problem };
  const warning = problem === undefined ? {} : { warning: problem };
  return {
    found: { ok: true, credential: { type: "bearer", ...oauth }, origin: { type: "stored-login" }, ...warning },
  };
}

async function fromEnvironment(subject: CredentialSubject, sources: CredentialSources): Promise<CredentialResult> {
  if (isAws(subject, sources)) return fromAws(subject, sources);
  const variable = firstVariable(variablesOf(subject), sources.environment);
  const key = variable === undefined ? undefined : sources.environment[variable]?.trim();
  if (variable === undefined || !key) return missing(subject, sources);
  return keyFound(subject, key, { type: "environment", variable });
}

async function fromAws(subject: CredentialSubject, sources: CredentialSources): Promise<CredentialResult> {
  const baseUrl = subject.baseUrl ?? entryOf(subject, sources)?.baseUrl ?? "";
  const found = await findAwsCredential({ ...sources, baseUrl });
  if (!found.ok) return { ok: false, provider: subject.provider, variables: AWS_VARIABLES, message: found.message };
  return { ok: true, credential: found.credential, origin: { type: "aws", from: found.from, region: found.region } };
}

/** `apiKeyEnv` is always a variable's name; `apiKey` is one where such a variable is set, and the key itself otherwise. */
function fromFile(subject: CredentialSubject, sources: CredentialSources): CredentialResult | undefined {
  const { apiKey, apiKeyEnv } = entryOf(subject, sources) ?? {};
  const variable = firstVariable(
    [apiKeyEnv, apiKey].filter((name) => name !== undefined),
    sources.environment,
  );
  const value = variable === undefined ? undefined : sources.environment[variable]?.trim();
  if (variable !== undefined && value) return keyFound(subject, value, { type: "models.yml", variable });
  if (apiKey === undefined) return undefined;
  const found = keyFound(subject, apiKey, { type: "models.yml" });
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(apiKey)) return found;
  const warning = `No variable ${apiKey} is set, so the text "${apiKey}" itself is sent as the key of ${subject.provider}.`;
  return { ...found, warning };
}

function keyFound(subject: CredentialSubject, key: string, origin: CredentialOrigin) {
  const api = subject.api ?? providerRow(subject.provider)?.api;
  const isToken = api === "google-vertex" || api === "bedrock-converse-stream";
  const credential: Credential = isToken ? { type: "bearer", token: key } : { type: "key", key };
  return { ok: true as const, credential, origin };
}

function missing(subject: CredentialSubject, sources: CredentialSources): Extract<CredentialResult, { ok: false }> {
  const { provider } = subject;
  const row = providerRow(provider);
  const entry = entryOf(subject, sources);
  const variables = isAws(subject, sources) ? AWS_VARIABLES : variablesOf(subject);
  const named = entry?.apiKeyEnv === undefined ? variables : [entry.apiKeyEnv, ...variables];
  return {
    ok: false,
    provider,
    variables: named,
    message: missingMessage({ provider, row, named, known: entry !== undefined }),
  };
}

interface Missing {
  provider: string;
  row: ReturnType<typeof providerRow>;
  named: string[];
  known: boolean;
}

function missingMessage({ provider, row, named, known }: Missing): string {
  const unsupported = known ? undefined : unsupportedProvider(provider);
  if (unsupported !== undefined) return unsupported;
  if (row === undefined && !known) return `No provider is called "${provider}". Add it to models.yml.`;
  const name = row?.name ?? provider;
  const login = `ralph login ${provider}`;
  if (row?.auth === "oauth")
    return `${name} needs a login. Run ${login}, or set ${named.join(" or ")} to an access token.`;
  const hint = row?.signUpHint === undefined ? "" : ` A key comes from ${row.signUpHint}.`;
  const variables = row?.id === "amazon-bedrock" ? AWS_CHOICES : named.join(" or ");
  const set = variables === "" ? "" : `, set ${variables}`;
  return `No key for ${name}. Run ${login}${set}, or pass --api-key.${SPECIAL_HINTS[provider] ?? hint}`;
}

const AWS_CHOICES = "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE";

const SPECIAL_HINTS: Record<string, string> = {
  "google-vertex":
    " Vertex takes an access token: gcloud auth print-access-token. Service account files (GOOGLE_APPLICATION_CREDENTIALS) are not read.",
};

/** Variables beside those of the provider's row. */
const FURTHER_VARIABLES: Record<string, string[]> = { "google-vertex": ["GOOGLE_VERTEX_ACCESS_TOKEN"] };

function variablesOf({ provider }: CredentialSubject): string[] {
  return [...(FURTHER_VARIABLES[provider] ?? []), ...(providerRow(provider)?.keyVariables ?? [])];
}

function firstVariable(names: string[], environment: Environment): string | undefined {
  return names.find((name) => Object.hasOwn(environment, name) && environment[name]?.trim());
}

function authOf(subject: CredentialSubject, sources: CredentialSources): string {
  return subject.auth ?? entryOf(subject, sources)?.auth ?? providerRow(subject.provider)?.auth ?? "apiKey";
}

function isAws(subject: CredentialSubject, sources: CredentialSources): boolean {
  const api = subject.api ?? entryOf(subject, sources)?.api ?? providerRow(subject.provider)?.api;
  return api === "bedrock-converse-stream";
}

function entryOf({ provider }: CredentialSubject, { providers }: CredentialSources): ProviderEntry | undefined {
  return providers !== undefined && Object.hasOwn(providers, provider) ? providers[provider] : undefined;
}
