import type { Model } from "../../protocol/models.ts";
import type { WireProtocol } from "../wire-protocol.ts";
import { buildCompactionRequest, readCompaction } from "./openai-responses/compaction.ts";
import { azurePath, codexPath, responsesPath } from "./openai-responses/paths.ts";
import { buildResponsesRequest, type Variant } from "./openai-responses/request.ts";
import { type ResponsesState, readResponse, startResponses, stepResponses } from "./openai-responses/stream.ts";

// OpenAI's Responses API in its three homes. They share the request body and the reader; what differs is a row of data.

export const openaiResponses = protocolOf({
  path: responsesPath,
  wireModel: (model) => model.wireModelId ?? model.id,
  headers: () => ({}),
  streamsAlways: false,
  limitsOutput: true,
  takesCacheRetention: true,
  foreignCalls: "items",
  compactsWithTools: false,
});

/** The backend of ChatGPT subscriptions. It only streams, and refuses an output limit and a cache lifetime. */
export const openaiCodexResponses = protocolOf({
  path: codexPath,
  wireModel: codexWireModel,
  headers: ({ sessionId }) => ({
    "openai-beta": "responses=experimental",
    originator: "ralph",
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  }),
  streamsAlways: true,
  limitsOutput: false,
  takesCacheRetention: false,
  foreignCalls: "text",
  compactsWithTools: true,
});

/** Azure's v1 API: no api-version is needed there, and the model on the wire is the name of a deployment. */
export const azureOpenaiResponses = protocolOf({
  path: azurePath,
  wireModel: (model) => model.wireModelId ?? model.id,
  headers: () => ({}),
  streamsAlways: false,
  limitsOutput: true,
  takesCacheRetention: true,
  foreignCalls: "items",
  compactsWithTools: false,
});

function protocolOf(variant: Variant): WireProtocol<ResponsesState> {
  return {
    framing: "sse",
    ...(variant.streamsAlways ? { streamsAlways: true } : {}),
    buildRequest: (request, model) =>
      (request.compact === true ? buildCompactionRequest : buildResponsesRequest)(request, model, variant),
    start: startResponses,
    step: stepResponses,
    readBody: readResponse,
    readCompaction,
  };
}

const CODEX_DEFAULT = "gpt-5.3-codex";
const SERVED_BY_CODEX = /codex|^gpt-(?:[5-9]|\d{2,})(?!\d)/i;

/**
 * The subscription backend refuses models it does not serve, so those are asked for under a name it knows. It serves the whole
 * of GPT-5 and later, not only the models with "codex" in their name: replacing one of these would silently answer with a model
 * the user did not choose. A `wireModelId` is the user's explicit word and stands.
 */
function codexWireModel(model: Model): string {
  return model.wireModelId ?? (SERVED_BY_CODEX.test(model.id) ? model.id : CODEX_DEFAULT);
}
