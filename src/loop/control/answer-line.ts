import { asObject, asString, parseJson } from "../../protocol/json.ts";
import { ERROR, METHODS, type MethodWorld, type Params } from "./methods.ts";

type RequestId = string | number | null;

type Parsed =
  /** `id` is undefined for a notification: it is carried out and not answered. */
  | { ok: true; id: RequestId | undefined; method: string; params: Params }
  | { ok: false; id: RequestId; code: number; message: string; data?: string };

/** The answer to one line, without its end; undefined where none is due. `text` is undefined where the line is not UTF-8. */
export async function answerLine(text: string | undefined, world: MethodWorld): Promise<string | undefined> {
  if (text?.trim() === "") return undefined;
  const request = parseRequest(text);
  if (!request.ok) return errorLine(request);
  const answer = await run(request.method, request.params, world);
  const { id } = request;
  if (id === undefined) return undefined;
  return answer.ok ? JSON.stringify({ jsonrpc: "2.0", id, result: answer.result }) : errorLine({ ...answer, id });
}

export function errorLine(error: { id: RequestId; code: number; message: string; data?: string }): string {
  const { id, code, message, data } = error;
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}

function parseRequest(text: string | undefined): Parsed {
  const value = text === undefined ? undefined : parseJson(text);
  if (value === undefined) return { ok: false, id: null, code: ERROR.parse, message: "Parse error" };
  const request = asObject(value);
  if (request === undefined)
    return invalid(null, Array.isArray(value) ? "batches are not supported: send one request a line" : "no object");
  const { id } = request;
  if (!isId(id)) return invalid(null, "id must be a string, a number or null");
  if (request.jsonrpc !== "2.0") return invalid(id ?? null, 'jsonrpc must be "2.0"');
  const method = asString(request.method);
  if (method === undefined) return invalid(id ?? null, "method is missing");
  return { ok: true, id, method, params: asObject(request.params) ?? {} };
}

/** JSON has no undefined: where the id is that, there is none. */
function isId(id: unknown): id is RequestId | undefined {
  return id === null || ["string", "number", "undefined"].includes(typeof id);
}

function invalid(id: RequestId, data: string): Parsed {
  return { ok: false, id, code: ERROR.invalidRequest, message: "Invalid request", data };
}

async function run(name: string, params: Params, world: MethodWorld) {
  const method = METHODS.get(name);
  if (method === undefined) {
    return { ok: false, code: ERROR.methodNotFound, message: `Method not found: ${name}` } as const;
  }
  try {
    return await method(params, world);
  } catch (error) {
    // Whatever is wrong here, a night's work does not end with it.
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, code: ERROR.internal, message: `Internal error: ${detail}` } as const;
  }
}
