import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readTextFile } from "../../system/text-file.ts";
import { flagText, type RunContext } from "../run-context.ts";

export const TOKEN_VARIABLE = "RALPH_MCP_TOKEN";

export type HttpToken =
  | { ok: true; token: string; isNew: boolean; warnings: readonly string[] }
  | { ok: false; message: string };

/** What clients have to send: of the file that was named, else of the environment, else a new one. */
export function httpToken(context: RunContext): HttpToken {
  const file = flagText(context, "token-file");
  if (file !== undefined) return fromFile(resolve(context.cwd, file));
  const said = context.environment[TOKEN_VARIABLE];
  if (said !== undefined && said !== "") return checked(said, TOKEN_VARIABLE);
  return { ok: true, token: randomBytes(32).toString("base64url"), isNew: true, warnings: [] };
}

const MOST_BYTES = 4096;

function fromFile(path: string): HttpToken {
  const read = readTextFile(path, { maxBytes: MOST_BYTES });
  if (!read.ok) return read;
  const token = checked(read.text.trim(), path);
  if (!token.ok || (statSync(path).mode & 0o077) === 0) return token;
  return { ...token, warnings: [`Other users can read the token in ${path}. Close it: chmod 600 ${path}`] };
}

/** As a header can carry it, and too long to be guessed. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{16,512}$/;

function checked(token: string, place: string): HttpToken {
  if (TOKEN.test(token)) return { ok: true, token, isNew: false, warnings: [] };
  const rule = "16 to 512 letters, digits and . _ ~ + / = -";
  return {
    ok: false,
    message: `The token in ${place} cannot be used: it has to be ${rule}. Make one: openssl rand -hex 32`,
  };
}
