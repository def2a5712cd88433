import { basename, join, resolve } from "node:path";
import type { RalphPaths } from "../system/paths.ts";

// Where the file of a session lies and what its name says: sessions/<cwd slug>/<time>_<id>.jsonl.

export type SessionPlaces = Pick<RalphPaths, "sessions" | "blobs" | "cache">;

const EXTENSION = ".jsonl";
const SLUG_LENGTH = 60;
export const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** The folder for the sessions of a directory: readable, and different for every directory. */
export function sessionDirectory(places: Pick<SessionPlaces, "sessions">, cwd: string): string {
  const path = resolve(cwd);
  const words = path.replaceAll(/[^A-Za-z0-9._]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  const hash = new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 8);
  return join(places.sessions, `${words.slice(-SLUG_LENGTH).replace(/^[-.]+/, "") || "root"}-${hash}`);
}

export function sessionFileName(id: string, time: number): string {
  return `${new Date(time).toISOString().replaceAll(/[:.]/g, "-")}_${id}${EXTENSION}`;
}

export interface SessionFileName {
  id: string;
  /** ISO 8601, as the header has it. */
  at: string;
}

/** Undefined for any other file. */
export function parseSessionFileName(path: string): SessionFileName | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)_([0-9a-z]+)\.jsonl$/.exec(basename(path));
  if (match === null) return undefined;
  const [, hour, minute, second, rest, id = ""] = match;
  return { id, at: `${hour}:${minute}:${second}.${rest}` };
}

/** Whether somebody may look for a session by this text. Nothing that could lead out of the folder passes. */
export function isSessionId(text: string): boolean {
  return /^[0-9a-z]{1,64}$/.test(text);
}

export function newId(length: number): string {
  let id = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) id += ID_ALPHABET[byte % ID_ALPHABET.length];
  return id;
}
