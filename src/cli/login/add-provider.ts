import type { NewProvider, Outcome } from "../../interactive/services.ts";
import { providerRow } from "../../llm/providers.ts";
import { modelInput } from "../model-choice.ts";
import type { RunContext } from "../run-context.ts";
import { writeYamlValue } from "../settings/write-setting.ts";

/** Wire formats a person may give a provider of their own. */
export const NEW_PROVIDER_APIS = [
  { api: "openai-completions", description: "chat completions, as most servers speak them", listsModels: true },
  { api: "openai-responses", description: "the responses of OpenAI", listsModels: true },
  { api: "anthropic-messages", description: "the messages of Anthropic", listsModels: false },
  { api: "google-generative-ai", description: "the Gemini API", listsModels: false },
  { api: "ollama-chat", description: "Ollama's own", listsModels: false },
] as const;

export async function providerProblem(
  context: RunContext,
  { name, baseUrl }: Partial<NewProvider>,
): Promise<string | undefined> {
  if (name !== undefined && !/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    return "A provider's name is letters, digits, dots, dashes and underscores.";
  if (name !== undefined && (await isKnown(context, name)))
    return `There is a provider ${name} already. Log in to it, or choose another name.`;
  if (baseUrl === undefined) return undefined;
  const url = URL.parse(baseUrl);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== "";
  if (!isWeb) return `"${baseUrl}" is not an address. Write it as https://host/path.`;
  return url.username === "" && url.password === "" ? undefined : "The address must not hold a password.";
}

async function isKnown(context: RunContext, name: string): Promise<boolean> {
  const { loadModelSources } = await import("../../models/model-sources.ts");
  const { sources } = await loadModelSources(modelInput(context));
  return providerRow(name) !== undefined || Object.hasOwn(sources.file?.providers ?? {}, name);
}

/** Writes it into models.yml, without its key; the key is stored, sealed. */
export async function addProvider(context: RunContext, provider: NewProvider): Promise<Outcome> {
  const { name, baseUrl, api, models, key } = provider;
  const problem = await providerProblem(context, provider);
  if (problem !== undefined) return { ok: false, message: problem };
  const { checkKey } = await import("../../models/login/check-key.ts");
  const checked = key === "" ? undefined : checkKey(name, key);
  if (checked?.ok === false) return checked;
  const path = `${context.paths.config}/models.yml`;
  const access = checked === undefined ? { auth: "none" } : { apiKeyEnv: variableFor(name) };
  const offered =
    models.length > 0 ? { models: models.map((id) => ({ id })) } : { discovery: { type: "openai-models-list" } };
  // The key comes first: a provider without one would be offered and refused.
  const stored = checked === undefined ? { ok: true as const } : await context.credentials.storeKey(name, checked.key);
  if (!stored.ok) return stored;
  const value = { baseUrl, api, ...access, ...offered };
  const unwritten = await writeYamlValue({ path, keys: ["providers", name], value });
  if (unwritten === undefined)
    return { ok: true, text: `The provider \`${name}\` is in \`${path}\`.${plainWarning(baseUrl)}` };
  if (checked !== undefined) await context.credentials.remove(name);
  return { ok: false, message: unwritten };
}

/** Where the key may be besides the store. */
function variableFor(name: string): string {
  return `${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_API_KEY`;
}

function plainWarning(baseUrl: string): string {
  const { protocol, hostname } = new URL(baseUrl);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return protocol === "http:" && !isHere ? " Its address is http: keys and prompts travel there unencrypted." : "";
}
