import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileFailure } from "../../system/file-failure.ts";
import { syncDirectory } from "../../system/files.ts";
import { readPrivateFile } from "../../system/private-file.ts";
import { importKey } from "./seal.ts";

// The key everything stored is sealed with, in a file of its own beside it. It is no keychain: asking one starts a program that
// may open a window or wait for a person, in every process of a loop, and machines without a desktop have none.

export type EncryptionKey =
  | { ok: true; key: CryptoKey }
  | { ok: false; reason: "missing" | "unusable"; message: string };

const KEY_BYTES = 32;

export function encryptionKeyPath(credentials: string): string {
  return `${credentials.replace(/\.db$/, "")}.key`;
}

export async function readEncryptionKey(credentials: string): Promise<EncryptionKey> {
  const path = encryptionKeyPath(credentials);
  const file = readPrivateFile(path, { maxBytes: 1000 });
  if (file.ok) {
    const hex = file.text.trim();
    if (KEY_TEXT.test(hex)) return { ok: true, key: await importKey(new Uint8Array(Buffer.from(hex, "hex"))) };
    return { ok: false, reason: "unusable", message: `${path} is damaged. ${remedyFor(credentials)}` };
  }
  if (file.reason !== "missing") return { ok: false, reason: "unusable", message: file.message };
  return { ok: false, reason: "missing", message: `${path} is missing. ${remedyFor(credentials)}` };
}

/** Whoever calls holds the lock of the store and has seen that there is none. */
export async function makeEncryptionKey(credentials: string): Promise<EncryptionKey> {
  const path = encryptionKeyPath(credentials);
  const temporary = `${path}.new`;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  try {
    // What a process that was killed here has left is nobody's key.
    await rm(temporary, { force: true });
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(`${Buffer.from(bytes).toString("hex")}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    return { ok: false, reason: "unusable", message: fileFailure(path, error, "written").message };
  }
  return { ok: true, key: await importKey(bytes) };
}

const KEY_TEXT = /^[0-9a-f]{64}$/;

function remedyFor(credentials: string): string {
  return `What is stored cannot be opened without it: bring it back, or move ${credentials} away and log in again.`;
}
