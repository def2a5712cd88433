import type { JsonObject } from "../../src/protocol/json.ts";
import type { LoopbackRequest } from "./loopback-server.ts";

// The model lists that providers and local servers answer discovery with.

export interface FakeModel {
  id: string;
  contextWindow?: number;
  maxTokens?: number;
}

/** The listing a request asks for, or undefined when it asks for something else. */
export function modelListing(request: LoopbackRequest, models: FakeModel[]): JsonObject | undefined {
  const row = LISTINGS.find(({ method, path }) => request.method === method && path.test(request.path));
  return row?.list(models, request);
}

const LISTINGS: {
  method: string;
  path: RegExp;
  list: (models: FakeModel[], request: LoopbackRequest) => JsonObject;
}[] = [
  { method: "GET", path: /^\/v1beta\/models$/, list: googleModels },
  { method: "GET", path: /\/api\/v0\/models$/, list: lmStudioModels },
  { method: "GET", path: /\/models$/, list: openAiOrAnthropicModels },
  { method: "GET", path: /\/api\/tags$/, list: ollamaTags },
  { method: "POST", path: /\/api\/show$/, list: ollamaShow },
  { method: "GET", path: /\/props$/, list: llamaProps },
];

function openAiOrAnthropicModels(models: FakeModel[], request: LoopbackRequest): JsonObject {
  if (request.headers["anthropic-version"] !== undefined) return anthropicModels(models);
  return {
    object: "list",
    data: models.map(({ id }) => ({ id, object: "model", created: 1_760_000_000, owned_by: "fake" })),
  };
}

function anthropicModels(models: FakeModel[]): JsonObject {
  return {
    data: models.map(({ id }) => ({ type: "model", id, display_name: id, created_at: "2025-10-09T00:00:00Z" })),
    has_more: false,
    first_id: models.at(0)?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

function googleModels(models: FakeModel[]): JsonObject {
  return {
    models: models.map(({ id, contextWindow, maxTokens }) => ({
      name: `models/${id}`,
      version: "001",
      displayName: id,
      description: "A fake model",
      inputTokenLimit: contextWindow ?? 1_048_576,
      outputTokenLimit: maxTokens ?? 65_536,
      supportedGenerationMethods: ["generateContent", "countTokens"],
      thinking: true,
    })),
  };
}

function lmStudioModels(models: FakeModel[]): JsonObject {
  return {
    object: "list",
    data: models.map(({ id, contextWindow }) => ({
      id,
      object: "model",
      type: "llm",
      publisher: "fake",
      arch: "llama",
      compatibility_type: "gguf",
      quantization: "Q4_K_M",
      state: "not-loaded",
      max_context_length: contextWindow ?? 32_768,
      capabilities: ["tool_use"],
    })),
  };
}

function ollamaTags(models: FakeModel[]): JsonObject {
  return {
    models: models.map(({ id }) => ({
      name: id,
      model: id,
      modified_at: "2025-10-09T08:53:20.123456789Z",
      size: 4_661_224_676,
      digest: "365c0bd3c000a25d28ddbf732fe1c6add414de7275464c4e4d1c3b5fcb5d8ad1",
      details: {
        parent_model: "",
        format: "gguf",
        family: "llama",
        families: ["llama"],
        parameter_size: "8.0B",
        quantization_level: "Q4_0",
      },
    })),
  };
}

function ollamaShow(models: FakeModel[], request: LoopbackRequest): JsonObject {
  const asked = models.find(({ id }) => request.rawBody.includes(JSON.stringify(id))) ?? models[0];
  return {
    modelfile: "",
    details: { format: "gguf", family: "llama", parameter_size: "8.0B", quantization_level: "Q4_0" },
    model_info: { "general.architecture": "llama", "llama.context_length": asked?.contextWindow ?? 32_768 },
    capabilities: ["completion", "tools", "thinking"],
  };
}

function llamaProps(models: FakeModel[]): JsonObject {
  const model = models[0];
  return {
    default_generation_settings: { id: 0, n_ctx: model?.contextWindow ?? 32_768 },
    total_slots: 1,
    model_alias: model?.id ?? "fake",
    model_path: `/models/${model?.id ?? "fake"}.gguf`,
    modalities: { vision: false, audio: false },
    build_info: "b1-fake",
  };
}
