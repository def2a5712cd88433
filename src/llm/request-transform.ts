import type { JsonObject } from "../protocol/json.ts";
import type { RequestTransform } from "../protocol/models.ts";
import { mergeExtraBody } from "./extra-body.ts";

/** What a `models.yml` entry changes on the finished request: headers taken away, headers set, fields added to the body. */
export function transformRequest(
  request: { headers: Record<string, string>; body: JsonObject },
  transform: RequestTransform | undefined,
): { headers: Record<string, string>; body: JsonObject } {
  if (transform === undefined) return request;
  const strip = transform.stripHeaders ?? (transform.profile === "openai-proxy" ? TELEMETRY_HEADERS : []);
  const headers = new Map(Object.entries(request.headers).filter(([name]) => !isStripped(name, strip)));
  if (transform.profile === "openai-proxy") headers.set("user-agent", NEUTRAL_AGENT);
  for (const [name, value] of Object.entries(transform.setHeaders ?? {})) {
    if (value === null) headers.delete(name.toLowerCase());
    else headers.set(name.toLowerCase(), value);
  }
  return { headers: Object.fromEntries(headers), body: mergeExtraBody(request.body, transform.extraBody) };
}

/** A trailing star strips every header that begins so. */
const TELEMETRY_HEADERS = [
  "x-stainless-*",
  "openai-beta",
  "anthropic-beta",
  "openai-organization",
  "openai-project",
  "originator",
  "session_id",
];
const NEUTRAL_AGENT = "ralph";

function isStripped(name: string, patterns: string[]): boolean {
  const lower = name.toLowerCase();
  return patterns.some((pattern) => {
    const wanted = pattern.toLowerCase();
    return wanted.endsWith("*") ? lower.startsWith(wanted.slice(0, -1)) : lower === wanted;
  });
}
