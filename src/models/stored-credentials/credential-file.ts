import { lstatSync } from "node:fs";
import { asNumber, asObject, asString, parseJson } from "../../protocol/json.ts";
import { errorCode } from "../../system/file-failure.ts";
import { readPrivateFile } from "../../system/private-file.ts";

// The file of stored keys and logins. Which providers it has and until when is readable, so that a start need not open anything;
// what opens their doors is sealed, each by itself.

export const CREDENTIAL_FILE_VERSION = 1;

export interface SealedEntry {
  kind: "key" | "login";
  /** Wall clock, milliseconds. */
  storedAt: number;
  /** Until when a login counts without being renewed; absent where nobody said. */
  expiresAt?: number;
  /** Both base64. The tag of AES-GCM is at the end of `sealed`. */
  nonce: string;
  sealed: string;
}

export type CredentialEntries = ReadonlyMap<string, SealedEntry>;

export type CredentialFileState =
  | { type: "none" }
  | { type: "loaded"; entries: CredentialEntries }
  /** It is left as it is, whatever is asked. */
  | { type: "unusable"; message: string };

export const MAX_CREDENTIAL_BYTES = 1_000_000;

export function readCredentialFile(path: string): CredentialFileState {
  const file = readPrivateFile(path, { maxBytes: MAX_CREDENTIAL_BYTES });
  if (file.ok) return parseCredentialFile(path, file.text);
  const isNone = file.reason === "missing" || file.reason === "not-a-directory";
  return isNone ? { type: "none" } : { type: "unusable", message: file.message };
}

/** Another text wherever the file may be another one; empty where there is none. */
export function credentialFileStamp(path: string): string {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
  } catch (error) {
    return errorCode(error) === "ENOTDIR" ? "" : "out of reach";
  }
}

export function printCredentialFile(entries: CredentialEntries): string {
  return `${JSON.stringify({ version: CREDENTIAL_FILE_VERSION, entries: Object.fromEntries(entries) }, null, 1)}\n`;
}

export function parseCredentialFile(path: string, text: string): CredentialFileState {
  const whole = asObject(parseJson(text));
  const version = asNumber(whole?.version);
  const listed = asObject(whole?.entries);
  if (version !== undefined && version > CREDENTIAL_FILE_VERSION) {
    const message = `${path} has version ${version}, and this Ralph knows versions up to ${CREDENTIAL_FILE_VERSION}. Update Ralph.`;
    return { type: "unusable", message };
  }
  const read = version === undefined || listed === undefined ? undefined : readEntries(listed);
  if (read !== undefined) return { type: "loaded", entries: read };
  const message = `${path} is damaged or not Ralph's, so nothing stored in it is used. Move it away, then log in again: ralph login`;
  return { type: "unusable", message };
}

function readEntries(listed: Record<string, unknown>): CredentialEntries | undefined {
  const entries = new Map<string, SealedEntry>();
  for (const [provider, value] of Object.entries(listed)) {
    const entry = readEntry(value);
    if (entry === undefined) return undefined;
    entries.set(provider, entry);
  }
  return entries;
}

function readEntry(value: unknown): SealedEntry | undefined {
  const object = asObject(value);
  const kind = object?.kind;
  const storedAt = asTime(object?.storedAt);
  const nonce = asString(object?.nonce);
  const sealed = asString(object?.sealed);
  const isKnown = kind === "key" || kind === "login";
  if (!isKnown || storedAt === undefined || nonce === undefined || sealed === undefined) return undefined;
  const expiresAt = asTime(object?.expiresAt);
  if (object?.expiresAt !== undefined && expiresAt === undefined) return undefined;
  return { kind, storedAt, ...(expiresAt === undefined ? {} : { expiresAt }), nonce, sealed };
}

/** Milliseconds that a calendar has a day for. */
function asTime(value: unknown): number | undefined {
  const time = asNumber(value);
  return time !== undefined && time >= 0 && time <= LAST_TIME ? time : undefined;
}

const LAST_TIME = 8_640_000_000_000_000;
