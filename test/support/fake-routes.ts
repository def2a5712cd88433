import { asArray, asObject, asString, at } from "../../src/protocol/json.ts";
import type { RecordedRequest } from "./request-log.ts";
import { anthropicMessages } from "./wire/anthropic-messages.ts";
import { bedrockConverseStream } from "./wire/bedrock-converse-stream.ts";
import { googleGenerativeAi } from "./wire/google-generative-ai.ts";
import { ollamaChat } from "./wire/ollama-chat.ts";
import { isOwnCompaction, openAiCompactions } from "./wire/openai-compactions.ts";
import { openAiCompletions } from "./wire/openai-completions.ts";
import { openAiResponses } from "./wire/openai-responses.ts";
import type { WireRenderer } from "./wire/wire-renderer.ts";

// Which wire format a request speaks, and what it asks for.

export interface Route {
  renderer: WireRenderer;
  stream: boolean;
  model: string;
  includeUsage: boolean;
  /** Why the real provider would refuse this request at once. */
  refusal?: string;
}

/** The wire format by the last words of the path, whatever base address they follow. */
const ROUTES: { path: RegExp; route: (request: RecordedRequest, match: RegExpMatchArray) => Route }[] = [
  { path: /\/messages$/, route: (request) => bodyRoute(request, anthropicMessages) },
  { path: /\/chat\/completions$/, route: (request) => bodyRoute(request, openAiCompletions) },
  { path: /\/responses\/compact$/, route: compactionRoute },
  { path: /\/codex\/responses$/, route: codexRoute },
  { path: /\/responses$/, route: responsesRoute },
  { path: /\/models\/([^/]+):(streamGenerateContent|generateContent)$/, route: googleRoute },
  {
    path: /\/model\/([^/]+)\/(converse-stream|converse)$/,
    route: (_, match) => pathRoute(match, bedrockConverseStream, match[2] === "converse-stream"),
  },
  // Ollama streams unless told not to.
  {
    path: /\/api\/chat$/,
    route: (request) => ({ ...bodyRoute(request, ollamaChat), stream: wantsStream(request, true) }),
  },
];

export function routeOf(request: RecordedRequest): Route | undefined {
  for (const { path, route } of ROUTES) {
    const match = request.path.match(path);
    if (match !== null && request.method === "POST") return route(request, match);
  }
  return undefined;
}

function bodyRoute(request: RecordedRequest, renderer: WireRenderer): Route {
  const refusal = asObject(request.body) === undefined ? { refusal: "the body is not a JSON object" } : {};
  return {
    renderer,
    stream: wantsStream(request, false),
    model: asString(at(request.body, "model")) ?? "",
    includeUsage: at(request.body, "stream_options", "include_usage") === true,
    ...refusal,
  };
}

function wantsStream(request: RecordedRequest, otherwise: boolean): boolean {
  const stream = at(request.body, "stream");
  return typeof stream === "boolean" ? stream : otherwise;
}

/** What it did not encrypt itself it cannot read. */
function responsesRoute(request: RecordedRequest): Route {
  const route = bodyRoute(request, openAiResponses);
  const isForeign = asArray(at(request.body, "input")).some((item) => !isOwnCompaction(item));
  if (!isForeign) return route;
  return { ...route, refusal: "The encrypted content for item cmp_1 could not be verified." };
}

/** A conversation goes in; neither tools nor streaming are a part of the documented body. */
function compactionRoute(request: RecordedRequest): Route {
  const route = bodyRoute(request, openAiCompactions(request.body));
  const problem = responsesRoute(request).refusal;
  if (problem !== undefined) return { ...route, refusal: problem };
  if (at(request.body, "stream") !== undefined) return { ...route, refusal: "Unknown parameter: 'stream'." };
  return { ...route, stream: false };
}

/** The ChatGPT backend only streams and never stores. */
function codexRoute(request: RecordedRequest): Route {
  const route = responsesRoute(request);
  if (route.refusal !== undefined) return route;
  if (!route.stream) return { ...route, refusal: "Stream must be set to true" };
  if (at(request.body, "store") !== false) return { ...route, refusal: "Store must be set to false" };
  return route;
}

function googleRoute(request: RecordedRequest, match: RegExpMatchArray): Route {
  const stream = match[2] === "streamGenerateContent";
  const route = pathRoute(match, googleGenerativeAi, stream);
  // Without alt=sse the real service streams one JSON array, which no client of ours reads.
  return stream && request.query.alt !== "sse" ? { ...route, refusal: "the fake provider needs alt=sse" } : route;
}

function pathRoute(match: RegExpMatchArray, renderer: WireRenderer, stream: boolean): Route {
  return { renderer, stream, model: decodeURIComponent(match[1] ?? ""), includeUsage: true };
}
