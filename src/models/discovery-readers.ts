import { asArray, asObject, asString, at } from "../protocol/json.ts";
import type { Model } from "../protocol/models.ts";
import { type Answer, safeId, safeName, safeTokens } from "./discovery-http.ts";
import type { DiscoveryType } from "./models-file-schema.ts";

// How each kind of server lists its models. Readers are pure and total over what the server said.

/** What a server tells about a model beyond its id. */
export interface Listed {
  id: string;
  name?: string;
  contextWindow?: number;
  maxTokens?: number;
  tools?: boolean;
  reasoning?: boolean;
  input?: Model["input"];
}

export interface ListingRow {
  /** Where the list is, from the provider's base URL. */
  listUrl(baseUrl: string): string;
  /** A second address that knows more; its absence does no harm. */
  detailUrl?(baseUrl: string): string;
  read(list: unknown, detail: unknown): Listed[];
}

export const LISTINGS: Record<DiscoveryType, ListingRow> = {
  ollama: {
    listUrl: (baseUrl) => `${rootOf(baseUrl)}/api/tags`,
    read: (list) => asArray(at(list, "models")).flatMap((entry) => listed(at(entry, "model") ?? at(entry, "name"), {})),
  },
  "llama.cpp": {
    listUrl: (baseUrl) => `${rootOf(baseUrl)}/v1/models`,
    detailUrl: (baseUrl) => `${rootOf(baseUrl)}/props`,
    read: readLlamaCpp,
  },
  "lm-studio": {
    listUrl: (baseUrl) => `${trimmed(baseUrl)}/models`,
    detailUrl: (baseUrl) => `${rootOf(baseUrl)}/api/v0/models`,
    read: readLmStudio,
  },
  "openai-models-list": {
    listUrl: (baseUrl) => `${trimmed(baseUrl)}/models`,
    read: (list) => dataOf(list).flatMap((entry) => listed(at(entry, "id"), generalFacts(entry))),
  },
};

/** What `/api/show` of Ollama says of one model. */
export function readOllamaDetails(answer: Answer): Partial<Listed> {
  if (!answer.ok) return {};
  const info = asObject(at(answer.value, "model_info")) ?? {};
  const lengthKey = Object.keys(info).find((key) => key.endsWith(".context_length"));
  const capabilities = asArray(at(answer.value, "capabilities")).map(asString);
  return known({
    contextWindow: lengthKey === undefined ? undefined : safeTokens(info[lengthKey]),
    tools: capabilities.length === 0 ? undefined : capabilities.includes("tools"),
    reasoning: capabilities.includes("thinking") ? true : undefined,
    input: capabilities.includes("vision") ? WITH_IMAGES : undefined,
  });
}

const WITH_IMAGES: Model["input"] = ["text", "image"];

/** The window the server was started with counts; what the model was trained for is only its upper bound. */
function readLlamaCpp(list: unknown, properties: unknown): Listed[] {
  const running = safeTokens(at(properties, "default_generation_settings", "n_ctx"));
  const sees = at(properties, "modalities", "vision") === true;
  return dataOf(list).flatMap((entry) =>
    listed(at(entry, "id"), {
      contextWindow: running ?? safeTokens(at(entry, "meta", "n_ctx")) ?? safeTokens(at(entry, "meta", "n_ctx_train")),
      input: sees ? WITH_IMAGES : undefined,
    }),
  );
}

function readLmStudio(list: unknown, detail: unknown): Listed[] {
  const details = new Map(dataOf(detail).map((entry) => [at(entry, "id"), entry]));
  return dataOf(list).flatMap((entry) => {
    const id = at(entry, "id");
    const more = details.get(id);
    const kind = asString(at(more, "type"));
    if (kind === "embeddings" || /(?:^|[-/])embed/i.test(asString(id) ?? "")) return [];
    const capabilities = asArray(at(more, "capabilities"));
    return listed(id, {
      contextWindow: safeTokens(at(more, "loaded_context_length")) ?? safeTokens(at(more, "max_context_length")),
      tools: capabilities.includes("tool_use") ? true : undefined,
      input: kind === "vlm" ? WITH_IMAGES : undefined,
    });
  });
}

/** The names gateways use for the same facts. */
function generalFacts(entry: unknown): Partial<Listed> {
  const input = asArray(at(entry, "architecture", "input_modalities"));
  const parameters = asArray(at(entry, "supported_parameters"));
  return {
    name: safeName(at(entry, "name") ?? at(entry, "display_name")),
    contextWindow:
      safeTokens(at(entry, "context_length")) ??
      safeTokens(at(entry, "max_model_len")) ??
      safeTokens(at(entry, "context_window")),
    maxTokens:
      safeTokens(at(entry, "top_provider", "max_completion_tokens")) ?? safeTokens(at(entry, "max_output_tokens")),
    tools: parameters.length === 0 ? undefined : parameters.includes("tools"),
    reasoning: parameters.includes("reasoning") ? true : undefined,
    input: input.includes("image") ? WITH_IMAGES : undefined,
  };
}

function listed(id: unknown, facts: Partial<Record<keyof Listed, unknown>>): Listed[] {
  const safe = safeId(id);
  return safe === undefined ? [] : [{ ...(known(facts) as Partial<Listed>), id: safe }];
}

function dataOf(value: unknown): unknown[] {
  return asArray(at(value, "data"));
}

function known<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "");
}

/** The server itself, where the base URL points at its OpenAI-compatible part. */
function rootOf(baseUrl: string): string {
  return trimmed(baseUrl).replace(/\/v1$/, "");
}
