import type { Json, JsonObject } from "../protocol/json.ts";

// The text of a request's body. Most of it is a conversation that only grows, so what was written once is not written again.

/** From now on the text of this object is kept as long as it lives: it must never change. */
export function keepJson(object: JsonObject): void {
  if (!KEPT.has(object)) KEPT.set(object, undefined);
}

const KEPT = new WeakMap<JsonObject, string | undefined>();

/** The same as `JSON.stringify`. Put together with `+`: the pieces are copied once, when the whole is sent. */
export function bodyJson(body: JsonObject): string {
  let text = "";
  for (const [name, value] of Object.entries(body)) {
    const field = Array.isArray(value) ? arrayJson(value) : JSON.stringify(value);
    if (field !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${field}`;
  }
  return `{${text}}`;
}

function arrayJson(values: readonly Json[]): string {
  let text = "";
  for (const value of values) text += (text === "" ? "" : ",") + elementJson(value);
  return `[${text}]`;
}

function elementJson(value: Json): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value) ?? "null";
  const known = KEPT.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  if (KEPT.has(value)) KEPT.set(value, text);
  return text;
}
