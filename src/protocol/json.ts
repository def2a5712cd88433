/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
/** A key whose value is undefined is left out when the object is written. */
export type JsonObject = { [key: string]: Json | undefined };

// Total readers for JSON somebody else wrote (a provider's answer, another program's output): a value of the wrong shape
// reads as undefined and never throws. Our own formats are parsed with schemas instead.

/** Undefined where the text is not JSON, which never stands for a JSON value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The value below a chain of object keys, or undefined as soon as one is missing. */
export function at(value: unknown, ...keys: string[]): unknown {
  let current = value;
  for (const key of keys) {
    const object = asObject(current);
    if (object === undefined || !Object.hasOwn(object, key)) return undefined;
    current = object[key];
  }
  return current;
}
