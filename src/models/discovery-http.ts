import { asNumber, asString } from "../protocol/json.ts";

// Asking a server that may be anything: every answer is bounded in time and size, and what it says is not trusted.

export interface Ask {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON with POST; without it the request is a GET. */
  body?: unknown;
  signal: AbortSignal;
}

export type Answer = { ok: true; value: unknown } | { ok: false; message: string };

const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_ID_LENGTH = 200;
export const MAX_MODELS = 500;

/** The JSON a server answers with. Redirects are not followed: they would carry keys to another host. */
export async function askJson({ url, headers = {}, body, signal }: Ask): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, message: `${url} answered with status ${response.status}` };
    }
    const text = await readBounded(response);
    return text === undefined
      ? { ok: false, message: `${url} answered with more than 2 MB` }
      : { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: `${url} ${reasonOf(error)}` };
  }
}

/** A model id as it may be shown and sent: printable, without spaces, of bounded length. */
export function safeId(value: unknown): string | undefined {
  const id = asString(value);
  return id !== undefined && id.length <= MAX_ID_LENGTH && /^[\x21-\x7e\p{L}\p{N}]+$/u.test(id) ? id : undefined;
}

export function safeName(value: unknown): string | undefined {
  const name = asString(value)?.trim();
  return name !== undefined && name !== "" && name.length <= MAX_ID_LENGTH && /^[^\p{C}]+$/u.test(name)
    ? name
    : undefined;
}

/** A number of tokens that can be one. */
export function safeTokens(value: unknown): number | undefined {
  const tokens = asNumber(value);
  return tokens !== undefined && Number.isInteger(tokens) && tokens > 0 && tokens <= 100_000_000 ? tokens : undefined;
}

async function readBounded(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "answered with something that is not JSON";
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"))
    return "did not answer in time";
  return "cannot be reached";
}
