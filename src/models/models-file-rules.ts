import type { ModelEntry, ModelsFile, ProviderEntry } from "./models-file-schema.ts";
import type { PathPart } from "./yaml-positions.ts";

// What models.yml must say beyond its form: which keys need which others.

export interface RuleFinding {
  path: PathPart[];
  message: string;
  remedy: string;
}

export function checkModelsFile(file: ModelsFile): RuleFinding[] {
  const providers = Object.entries(file.providers ?? {});
  return [
    ...providers.flatMap(([id, provider]) => checkProvider(["providers", id], provider)),
    ...checkEquivalence(file),
  ];
}

/** Any of these makes an entry without models useful. */
const OVERRIDE_KEYS = [
  "baseUrl",
  "headers",
  "compat",
  "requestTransform",
  "disableStrictTools",
  "cacheRetention",
  "modelOverrides",
  "discovery",
] as const;

/** These are opened by something else than a key in the file. */
const KEYLESS_APIS = new Set(["bedrock-converse-stream", "google-vertex", "scripted"]);

function checkProvider(path: PathPart[], provider: ProviderEntry): RuleFinding[] {
  const models = provider.models ?? [];
  return [
    ...(models.length > 0 ? checkFullProvider(path, provider, models) : checkOverrideOnly(path, provider)),
    ...checkAddress([...path, "baseUrl"], provider.baseUrl, provider.api),
    ...models.flatMap((model, index) =>
      checkAddress([...path, "models", index, "baseUrl"], model.baseUrl, model.api ?? provider.api),
    ),
    ...checkAwsKeys(path, provider),
  ];
}

function checkFullProvider(path: PathPart[], provider: ProviderEntry, models: ModelEntry[]): RuleFinding[] {
  const findings: RuleFinding[] = [];
  const name = String(path.at(-1));
  if (provider.baseUrl === undefined && models.some((model) => model.baseUrl === undefined)) {
    findings.push({ path, message: `"${name}" lists models but no baseUrl.`, remedy: 'Add "baseUrl: https://…".' });
  }
  const keyed = models.some((model) => !KEYLESS_APIS.has(model.api ?? provider.api ?? ""));
  if (keyed && provider.auth !== "none" && provider.apiKey === undefined && provider.apiKeyEnv === undefined) {
    const message = `"${name}" lists models but says no key.`;
    findings.push({
      path,
      message,
      remedy: 'Add "apiKeyEnv: NAME_OF_A_VARIABLE", or "auth: none" where no key is needed.',
    });
  }
  if (provider.api !== undefined) return findings;
  for (const [index, model] of models.entries()) {
    if (model.api !== undefined) continue;
    const message = `Neither "${name}" nor its model "${model.id}" says which api it speaks.`;
    findings.push({ path: [...path, "models", index], message, remedy: 'Add for example "api: openai-completions".' });
  }
  return findings;
}

function checkOverrideOnly(path: PathPart[], provider: ProviderEntry): RuleFinding[] {
  const findings: RuleFinding[] = [];
  const name = String(path.at(-1));
  if (OVERRIDE_KEYS.every((key) => provider[key] === undefined)) {
    const message = `"${name}" has no models and changes nothing.`;
    findings.push({ path, message, remedy: `Give it models, or at least one of ${OVERRIDE_KEYS.join(", ")}.` });
  }
  if (provider.discovery !== undefined && provider.api === undefined) {
    const message = `"${name}" discovers models but does not say which api they speak.`;
    findings.push({ path: [...path, "discovery"], message, remedy: 'Add for example "api: openai-completions".' });
  }
  return findings;
}

function checkAddress(path: PathPart[], address: string | undefined, api: string | undefined): RuleFinding[] {
  if (address === undefined || api === "scripted") return [];
  const protocol = URL.canParse(address) ? new URL(address).protocol : undefined;
  if (protocol === "http:" || protocol === "https:") return [];
  return [{ path, message: `"${address}" is not an http or https address.`, remedy: "Write it as https://host/path." }];
}

function checkAwsKeys(path: PathPart[], provider: ProviderEntry): RuleFinding[] {
  if (provider.api !== "bedrock-converse-stream" || !/^A[KS]IA[A-Z0-9]{16}$/.test(provider.apiKey ?? "")) return [];
  const remedy = "Remove it and use AWS_PROFILE or the AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY variables.";
  return [{ path: [...path, "apiKey"], message: "AWS access keys do not belong into this file.", remedy }];
}

function checkEquivalence(file: ModelsFile): RuleFinding[] {
  const { overrides = {}, exclude = [] } = file.equivalence ?? {};
  const places: [PathPart[], string][] = [
    ...Object.keys(overrides).map((key): [PathPart[], string] => [["equivalence", "overrides", key], key]),
    ...exclude.map((selector, index): [PathPart[], string] => [["equivalence", "exclude", index], selector]),
  ];
  return places
    .filter(([, selector]) => !/^[^/]+\/./.test(selector))
    .map(([path, selector]) => ({
      path,
      message: `"${selector}" does not name a provider's model.`,
      remedy: "Write it as provider/model.",
    }));
}
