import type { Message } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model-request.ts";

// A request as named parts, each with a digest, so that two requests can be compared and the first difference be named.

export interface RequestPart {
  name: string;
  digest: string;
  text: string;
}

export interface RequestParts {
  /** Of all parts in their order. */
  digest: string;
  parts: RequestPart[];
}

/** Reads requests of one run. What a request shares with the one before is not hashed again. */
export function createRequestReader(): (request: ModelRequest) => RequestParts {
  const known = new WeakMap<object, RequestPart>();
  const of = (value: object, name: string): RequestPart => {
    const part = known.get(value);
    if (part?.name === name) return part;
    const made = partOf(name, canonical(value));
    known.set(value, made);
    return made;
  };
  return ({ system, messages, tools, ...rest }) => {
    const parts = [
      partOf("the system prompt", system.base),
      partOf("the tail of the system prompt", system.dynamic ?? ""),
      ...tools.map((tool) => of(tool, `the tool ${tool.name}`)),
      ...messages.map((message, index) => of(message, `message ${index + 1} (${roleOf(message)})`)),
      partOf("the choices of the request", canonical(rest)),
    ];
    return { digest: digestOf(parts.map(({ name, digest }) => `${name} ${digest}`).join("\n")), parts };
  };
}

export function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32);
}

/** The same text for the same value, however its fields are ordered; one field a line, so that a difference is small. */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value), undefined, 1);
}

function partOf(name: string, text: string): RequestPart {
  return { name, digest: digestOf(text), text };
}

function roleOf({ role }: Message): string {
  return role === "tool-result" ? "a tool's result" : role;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
