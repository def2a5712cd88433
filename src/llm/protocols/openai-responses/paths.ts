// Where the Responses endpoint is, below base URLs as people write them.

/**
 * A base URL without any path is a bare host (a local server, most often) whose API is under /v1. A path, versioned or a proxy's
 * prefix, is taken as it is.
 */
export function responsesPath(baseUrl: string): string {
  return pathOf(baseUrl) === "" ? "/v1/responses" : "/responses";
}

/** `https://chatgpt.com/backend-api`, with or without the trailing `/codex`. */
export function codexPath(baseUrl: string): string {
  return pathOf(baseUrl).endsWith("/codex") ? "/responses" : "/codex/responses";
}

/** `https://<resource>.openai.azure.com/openai/v1`, or any beginning of it. */
export function azurePath(baseUrl: string): string {
  const path = pathOf(baseUrl);
  if (path === "") return "/openai/v1/responses";
  return path.endsWith("/openai") ? "/v1/responses" : "/responses";
}

function pathOf(baseUrl: string): string {
  return baseUrl
    .replace(/[?#].*$/, "")
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/]*/, "")
    .replace(/\/+$/, "");
}
