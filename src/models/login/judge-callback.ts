import { CALLBACK_PATH } from "./login-server.ts";

// Any page in any browser can send requests to a port of this machine. Only one that carries the state of this login says anything
// about it; all others are turned away and change nothing.

/** How the person answered, at the login page. */
export type CallbackAnswer = { type: "code"; code: string } | { type: "refused"; reason: string };

export type Judgement =
  | { type: "answer"; answer: CallbackAnswer }
  | { type: "turned-away"; status: 400 | 403 | 404 | 405; why: string };

export interface CallbackRequest {
  method: string;
  /** Path and query. */
  target: string;
  /** The Host header, which a page that plays with names cannot choose. */
  host: string;
}

export function judgeCallback(
  { method, target, host }: CallbackRequest,
  { state, port }: { state: string; port: number },
): Judgement {
  if (!OWN_NAMES.some((name) => host === `${name}:${port}`))
    return turnedAway(403, "this is not the host it was sent to");
  if (method !== "GET") return turnedAway(405, "only GET is answered here");
  const url = URL.parse(target, `http://127.0.0.1:${port}`);
  if (url === null || url.pathname !== CALLBACK_PATH) return turnedAway(404, "there is nothing here");
  return judgeAnswer(url.searchParams, state);
}

/** The address of the page a browser ended on, as a person copied it: from another machine it leads nowhere. */
export function judgePasted(text: string, state: string): Judgement {
  const trimmed = text.trim();
  const query = trimmed.includes("?") ? trimmed.slice(trimmed.indexOf("?") + 1) : trimmed;
  if (trimmed.length > LONGEST_PASTE || !query.includes("="))
    return turnedAway(400, "this is not the address the browser ended on; it begins with http://localhost");
  return judgeAnswer(new URLSearchParams(query.split("#", 1)[0]), state);
}

const LONGEST_PASTE = 16_384;
const LONGEST_CODE = 4096;
const OWN_NAMES = ["localhost", "127.0.0.1"];

function judgeAnswer(query: URLSearchParams, state: string): Judgement {
  const given = only(query, "state");
  if (given === undefined || given !== state) return turnedAway(400, "it is not an answer to this login");
  const error = query.get("error");
  if (error !== null) {
    const reason = plain(query.get("error_description") ?? error);
    return { type: "answer", answer: { type: "refused", reason: reason === "" ? "no reason was given" : reason } };
  }
  const code = only(query, "code");
  const isCode = code !== undefined && code !== "" && code.length <= LONGEST_CODE;
  return isCode ? { type: "answer", answer: { type: "code", code } } : turnedAway(400, "it carries no code");
}

/** Undefined where it is missing or said twice. */
function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** What a stranger wrote, fit for one line of a terminal. */
export function plain(text: string): string {
  return text
    .replace(/[^\x21-\x7e]+/g, " ")
    .trim()
    .slice(0, 200);
}

function turnedAway(status: 400 | 403 | 404 | 405, why: string): Judgement {
  return { type: "turned-away", status, why };
}
